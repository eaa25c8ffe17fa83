// SPDX-License-Identifier: Apache-2.0
#include "accel/process_facts.h"

#include <gmock/gmock.h>

#include "accel/plan_test.h"

namespace loadable::accel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(Plan, OfTwoCudaMajorsNamesTheStranger) {
  add_cuda12();
  add_1_24_4();
  add("/t13/libcurand.so.10", library("libcurand.so.10", {"libcudart.so.13"}));
  add("/t13/libcudart.so.13", library("libcudart.so.13"));
  auto result = run(all_directories());
  EXPECT_FALSE(cuda_majors(knowledge_, *result.process, kCuda).is_mixed());
  result = run("/t13:" + all_directories());
  const CudaMajors majors = cuda_majors(knowledge_, *result.process, kCuda);
  EXPECT_EQ(majors.expected, 12);
  EXPECT_TRUE(majors.is_mixed());
  std::vector<std::string> strangers;
  for (const CudaObject& object : majors.objects) {
    if (object.cuda == 13) strangers.push_back(object.path + ": " + object.reason);
  }
  EXPECT_THAT(strangers, ElementsAre("/t13/libcurand.so.10: needs libcudart.so.13",
                                     "/t13/libcudart.so.13: its soname"));
}

TEST_F(Plan, ASetOfTwoDirectoriesOrReleasesIsMixed) {
  add_cuda12();
  add_1_24_4();
  auto result = run(all_directories());
  auto sets = library_sets(knowledge_, *result.process, {});
  ASSERT_EQ(sets.size(), 1U);
  EXPECT_EQ(sets[0].front, kSite + "/nvidia/cudnn/lib/libcudnn.so.9");
  EXPECT_EQ(sets[0].members.size(), 8U);
  EXPECT_FALSE(sets[0].is_mixed());
  const auto release_of = [](const std::string& path) {
    return path.find("_adv") != std::string::npos ? "9.28.1" : "9.28.0";
  };
  EXPECT_TRUE(library_sets(knowledge_, *result.process, release_of)[0].is_mixed());
  // Without its own piece the front library takes that of another directory on the path.
  tree_.remove(kSite + "/nvidia/cudnn/lib/libcudnn_adv.so.9");
  add("/other/libcudnn_adv.so.9", library("libcudnn_adv.so.9"));
  result = run(all_directories() + ":/other");
  EXPECT_TRUE(library_sets(knowledge_, *result.process, {})[0].is_mixed());
}

/// A driver library whose cuInit is the given code.
std::vector<std::byte> driver(const std::string& code, std::vector<std::string> needed,
                              std::uint16_t machine = elf::EM_X86_64) {
  ElfSpec spec = with_symbols(library("libcuda.so.1", std::move(needed)), {defines("cuInit")});
  spec.machine = machine;
  spec.segments = {{elf::PF_R | elf::PF_X, code}};
  const testing::BuiltElf built = testing::build_elf_with_layout(spec);
  std::vector<std::byte> bytes = built.bytes;
  MemorySource source(bytes);
  const auto object = elf::read_object(source);
  EXPECT_TRUE(object);
  for (const elf::Segment& segment : object->segments) {
    // st_value of symbol 1 (Elf64_Sym: 24 bytes, value at 8).
    if (segment.type == elf::PT_LOAD && (segment.flags & elf::PF_X) != 0) {
      testing::poke(bytes, built.layout.dynsym + 24 + 8, segment.vaddr, 8);
    }
  }
  return bytes;
}

DriverFacts facts_of(std::vector<std::byte> bytes, const std::string& path = "/lib/libcuda.so.1") {
  tree::MemoryTree tree;
  tree.add_file(path, std::move(bytes));
  tree::Walk walk(tree);
  loader::Store store(walk);
  const auto facts = driver_facts(store, path);
  EXPECT_TRUE(facts);
  return facts ? *facts : DriverFacts{};
}

using namespace std::string_literals;
const std::string kRealCode = "\x55\x48\x89\xe5\xe8\x10\x00\x00\x00\x5d\xc3"s;

TEST(DriverFacts, CodeThatReturnsThirtyFourIsAStub) {
  const std::vector<std::string> codes = {
      "\xb8\x22\x00\x00\x00\xc3"s, "\xf3\x0f\x1e\xfa\xb8\x22\x00\x00\x00\xc3"s,
      "\x55\x48\x89\xe5\xb8\x22\x00\x00\x00\x5d\xc3"s,
      "\xf3\x0f\x1e\xfa\x55\x48\x89\xe5\x89\x7d\xfc\xb8\x22\x00\x00\x00\x5d\xc3"s,
      "\x55\x48\x89\xe5\x48\x83\xec\x08\xb8\x22\x00\x00\x00\xc9\xc3"s};
  for (const std::string& code : codes) {
    const DriverFacts facts = facts_of(driver(code, {"libc.so.6"}));
    EXPECT_TRUE(facts.is_stub);
    EXPECT_THAT(facts.reason, HasSubstr("returns 34"));
  }
  EXPECT_TRUE(facts_of(driver("\x40\x04\x80\x52\xc0\x03\x5f\xd6"s, {"libc.so.6"}, elf::EM_AARCH64))
                  .is_stub);
}

TEST(DriverFacts, OtherCodeIsNone) {
  EXPECT_FALSE(facts_of(driver(kRealCode, {"libc.so.6"})).is_stub);
  EXPECT_FALSE(facts_of(driver("\xb8\x64\x00\x00\x00\xc3"s, {"libc.so.6"})).is_stub);
  EXPECT_FALSE(facts_of(driver("\xb8\x22\x00\x00\x00\x90"s, {"libc.so.6"})).is_stub);
}

TEST(DriverFacts, SmallAndWithoutNeedsIsAStub) {
  const DriverFacts facts = facts_of(driver(kRealCode, {}));
  EXPECT_TRUE(facts.is_stub);
  EXPECT_THAT(facts.reason, HasSubstr("DT_NEEDED"));
}

TEST(DriverFacts, ADirectoryOfStubsHoldsStubs) {
  EXPECT_THAT(facts_of(driver(kRealCode, {"libc.so.6"}), "/cuda/stubs/libcuda.so.1").reason,
              HasSubstr("`stubs`"));
  tree::MemoryTree tree;
  tree.add_file("/cuda/stubs/libcuda.so", driver(kRealCode, {"libc.so.6"}));
  tree.add_link("/lib/libcuda.so.1", "/cuda/stubs/libcuda.so");
  tree::Walk walk(tree);
  loader::Store store(walk);
  const auto facts = driver_facts(store, "/lib/libcuda.so.1");
  ASSERT_TRUE(facts);
  EXPECT_TRUE(facts->is_stub);
  EXPECT_EQ(facts->physical, "/cuda/stubs/libcuda.so");
}

TEST(DriverFacts, OfAFileThatIsNotThereAreAnError) {
  tree::MemoryTree tree;
  tree::Walk walk(tree);
  loader::Store store(walk);
  EXPECT_FALSE(driver_facts(store, "/lib/libcuda.so.1"));
}

}  // namespace
}  // namespace loadable::accel
