// SPDX-License-Identifier: Apache-2.0
#include "loader/cache.h"

#include <gmock/gmock.h>

#include "loader/cache_for_test.h"
#include "loader/machine_for_test.h"

namespace loadable::loader {
namespace {

using ::testing::ElementsAre;

constexpr std::int32_t kFlags = 0x303;

Hwcaps v3() {
  Identity identity;
  identity.version = {2, 36, 0};
  identity.machine = elf::EM_X86_64;
  identity.elf_class = elf::ELFCLASS64;
  Environment environment;
  environment.cpu = {CpuLevel::V3, "haswell"};
  return make_hwcaps(identity, environment);
}

std::optional<std::string> find(const std::string& bytes, std::string_view name,
                                Endian endian = Endian::Little) {
  return Cache(bytes, endian).find(name, kFlags, v3());
}

TEST(LoaderCache, AllLayoutsAreSearched) {
  for (const CacheLayout layout : {CacheLayout::Old, CacheLayout::OldAndNew, CacheLayout::New}) {
    for (const Endian endian : {Endian::Little, Endian::Big}) {
      CacheWriter writer(layout, endian);
      for (int i = 0; i < 50; ++i) {
        const std::string name = "lib" + std::to_string(i) + ".so." + std::to_string(i % 12);
        writer.add(name, "/lib/" + name);
      }
      const std::string bytes = writer.write();
      EXPECT_EQ(find(bytes, "lib7.so.7", endian), "/lib/lib7.so.7");
      EXPECT_EQ(find(bytes, "lib49.so.1", endian), "/lib/lib49.so.1");
      EXPECT_EQ(find(bytes, "lib0.so.0", endian), "/lib/lib0.so.0");
      EXPECT_EQ(find(bytes, "lib50.so.2", endian), std::nullopt);
    }
  }
}

TEST(LoaderCache, DigitsCompareByNumber) {
  EXPECT_GT(compare_cache_names("libx.so.10", "libx.so.9"), 0);
  EXPECT_LT(compare_cache_names("libx.so", "libx.so.1"), 0);
  EXPECT_GT(compare_cache_names("lib1", "liba"), 0);
  EXPECT_LT(compare_cache_names("liba", "lib1"), 0);
  EXPECT_EQ(compare_cache_names("lib01.so", "lib1.so"), 0);
  EXPECT_EQ(compare_cache_names("", ""), 0);
}

TEST(LoaderCache, EntriesOfOtherMachinesAreNotSeen) {
  CacheWriter writer(CacheLayout::New);
  writer.add("libx.so", "/lib32/libx.so", 3).add("libx.so", "/lib64/libx.so");
  EXPECT_EQ(find(writer.write(), "libx.so"), "/lib64/libx.so");
}

TEST(LoaderCache, BestHwcapsSubdirectoryOfTheCpuWins) {
  CacheWriter writer(CacheLayout::New);
  writer.hwcaps({"x86-64-v2", "x86-64-v3", "x86-64-v4"})
      .add("libx.so", "/p/libx.so")
      .add("libx.so", "/p/v2/libx.so", kFlags, CacheWriter::named_hwcap(0))
      .add("libx.so", "/p/v3/libx.so", kFlags, CacheWriter::named_hwcap(1))
      .add("libx.so", "/p/v4/libx.so", kFlags, CacheWriter::named_hwcap(2));
  const std::string bytes = writer.write();
  EXPECT_EQ(find(bytes, "libx.so"), "/p/v3/libx.so");
  Hwcaps none = v3();
  none.names.clear();
  EXPECT_EQ(Cache(bytes, Endian::Little).find("libx.so", kFlags, none), "/p/libx.so");
}

TEST(LoaderCache, IsaLevelOfAnEntryIsHonoured) {
  CacheWriter writer(CacheLayout::New);
  writer.hwcaps({"x86-64-v3"})
      .add("libx.so", "/p/libx.so")
      .add("libx.so", "/p/v3/libx.so", kFlags, CacheWriter::named_hwcap(0, 3));
  EXPECT_EQ(find(writer.write(), "libx.so"), "/p/libx.so");
}

TEST(LoaderCache, LegacyHardwareBitsCountUntil236) {
  CacheWriter writer(CacheLayout::New);
  writer.add("libx.so", "/p/libx.so")
      .add("libx.so", "/p/haswell/libx.so", kFlags, std::uint64_t{1} << 50U)
      .add("liby.so", "/p/xeon_phi/liby.so", kFlags, std::uint64_t{1} << 51U);
  const std::string bytes = writer.write();
  EXPECT_EQ(find(bytes, "libx.so"), "/p/haswell/libx.so");
  EXPECT_EQ(find(bytes, "liby.so"), std::nullopt);
  Hwcaps later = v3();
  later.has_legacy = false;
  EXPECT_EQ(Cache(bytes, Endian::Little).find("libx.so", kFlags, later), "/p/libx.so");
}

TEST(LoaderCache, ListsItsEntries) {
  CacheWriter writer(CacheLayout::New);
  writer.add("liba.so", "/lib/liba.so").add("libb.so", "/lib/libb.so");
  const Cache cache(writer.write(), Endian::Little);
  ASSERT_EQ(cache.entries().size(), 2U);
  EXPECT_EQ(cache.entries()[0].name, "libb.so");
  EXPECT_EQ(cache.size(), 2U);
}

struct Damage {
  const char* reason;
  std::size_t offset;
  std::string bytes;
};

TEST(LoaderCache, DamagedFieldsAreRefusedOrPassedOver) {
  CacheWriter writer(CacheLayout::New);
  writer.hwcaps({"x86-64-v3"}).add("liba.so", "/lib/liba.so").add("libb.so", "/lib/libb.so");
  const std::string good = writer.write();
  const std::string all = std::string(4, '\xff');
  for (const Damage& damage : {Damage{"magic", 0, "x"}, Damage{"number of entries", 20, all},
                               Damage{"byte order", 28, "\x01"}, Damage{"key outside", 52, all}}) {
    std::string bytes = good;
    bytes.replace(damage.offset, damage.bytes.size(), damage.bytes);
    EXPECT_EQ(find(bytes, "libb.so"), std::nullopt) << damage.reason;
  }
  for (const Damage& damage :
       {Damage{"extension outside", 32, all}, Damage{"length of strings", 24, all},
        Damage{"padding", 29, "zzz"}}) {
    std::string bytes = good;
    bytes.replace(damage.offset, damage.bytes.size(), damage.bytes);
    EXPECT_EQ(find(bytes, "liba.so"), "/lib/liba.so") << damage.reason;
  }
  for (std::size_t size = 0; size < good.size(); ++size) {
    static_cast<void>(find(good.substr(0, size), "liba.so"));
    static_cast<void>(Cache(good.substr(0, size), Endian::Little).entries());
  }
}

TEST(LoaderCache, LookupGivesOnePathAndThenOnlyDefaultDirectories) {
  Machine machine;
  machine.program({"libx.so", "liby.so", "libz.so"}).library("/opt/b/libx.so");
  machine.library("/usr/lib/liby.so").library("/opt/a/libz.so");
  machine.tree.add_file("/etc/ld.so.cache", CacheWriter(CacheLayout::New)
                                                .add("libx.so", "/opt/a/libx.so")
                                                .add("libx.so", "/opt/b/libx.so")
                                                .add("liby.so", "/opt/a/liby.so")
                                                .add("libz.so", "/opt/a/libz.so")
                                                .write());
  machine.tree.add_file("/etc/ld.so.conf", "/opt/a\n/opt/b\n");
  const Process process = machine.start();
  EXPECT_THAT(missing(process), ElementsAre("libx.so"));
  EXPECT_EQ(path_of(process, "liby.so"), "/usr/lib/liby.so");
  EXPECT_EQ(path_of(process, "libz.so"), "/opt/a/libz.so");
}

TEST(LoaderCache, TheTraceTellsNoCacheFromNoEntry) {
  const auto told = [](Machine& machine) {
    machine.program({"libx.so"});
    const Process process = machine.start();
    for (const Candidate& candidate : process.requests().back().tried) {
      if (candidate.rule == Rule::Cache) return candidate.detail;
    }
    return std::string("not asked");
  };
  Machine none;
  EXPECT_EQ(told(none), "not there");
  Machine other;
  other.tree.add_file("/etc/ld.so.cache",
                      CacheWriter(CacheLayout::New).add("liby.so", "/opt/liby.so").write());
  EXPECT_EQ(told(other), "");
  Machine text;
  text.tree.add_file("/etc/ld.so.cache", "no cache");
  EXPECT_EQ(told(text), "not used: no cache of a known format");
}

}  // namespace
}  // namespace loadable::loader
