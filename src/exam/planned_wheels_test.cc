// SPDX-License-Identifier: Apache-2.0
#include "exam/planned_wheels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/zip.h"
#include "base/format.h"
#include "tree/memory_tree.h"

namespace loadable::exam {
namespace {

using archive::NewMember;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A wheel that is right, of these files; its members can be changed before it is packed.
struct Draft {
  std::string name, version, more_metadata;
  std::vector<std::pair<std::string, std::string>> files;  ///< path, hash
  std::string record_more;
  std::string wheel = "Wheel-Version: 1.0\n";
  bool has_record = true, has_metadata = true;

  [[nodiscard]] std::string info() const { return name + "-" + version + ".dist-info/"; }
  [[nodiscard]] std::vector<NewMember> members() const {
    std::vector<NewMember> all;
    std::string record;
    for (const auto& [path, hash] : files) {
      all.push_back({path, "content"});
      record += format("{},{},7\n", path, hash);
    }
    if (has_metadata) {
      all.push_back({info() + "METADATA", format("Metadata-Version: 2.1\nName: {}\nVersion: {}\n{}",
                                                 name, version, more_metadata)});
      record += info() + "METADATA,,\n";
    }
    all.push_back({info() + "WHEEL", wheel});
    record += info() + "WHEEL,,\n" + info() + "RECORD,,\n" + record_more;
    if (has_record) all.push_back({info() + "RECORD", record});
    return all;
  }
  [[nodiscard]] std::string packed() const { return *archive::write_zip(members()); }
};

Draft gpu() { return {"onnxruntime_gpu", "1.24.4", "", {{"onnxruntime/x.so", "sha256=gpu"}}, ""}; }

class PlannedWheels : public ::testing::Test {
 protected:
  Result<WheelFacts> read(const std::string& path, target::Kind kind) {
    target::Target target;
    target.kind = kind;
    target.shown = path.substr(1);
    target.path = path;
    auto tree = std::make_unique<tree::MemoryTree>();
    for (const auto& [name, bytes] : files_) tree->add_file(name, bytes);
    target.tree = std::move(tree);
    target.walk = std::make_unique<tree::Walk>(*target.tree);
    return read_wheels(target);
  }
  Result<WheelFacts> folder() { return read("/wheels", target::Kind::Wheelhouse); }
  /// The first incident about that one wheel, or what was wrong with it.
  std::string trouble(const std::string& name, const std::string& bytes) {
    files_ = {{"/wheels/" + name, bytes}};
    const auto facts = folder();
    if (!facts) return facts.error().to_string();
    return facts->incidents.empty() ? "" : facts->incidents.front().message;
  }
  std::string trouble(const Draft& draft) {
    return trouble(draft.name + "-" + draft.version + "-py3-none-any.whl", draft.packed());
  }

  std::vector<std::pair<std::string, std::string>> files_;
};

TEST_F(PlannedWheels, OneWheelTellsWhatItWouldInstall) {
  Draft draft = gpu();
  draft.more_metadata = "Requires-Dist: numpy>=1.21.6\n";
  draft.files.push_back({"onnxruntime_gpu-1.24.4.data/purelib/onnxruntime/y.py", "sha256=y"});
  draft.files.push_back({"onnxruntime_gpu-1.24.4.data/scripts/tool", "sha256=t"});
  files_ = {{"/d/onnxruntime_gpu-1.24.4-py3-none-any.whl", draft.packed()}};
  const auto facts = read("/d/onnxruntime_gpu-1.24.4-py3-none-any.whl", target::Kind::Wheel);
  ASSERT_TRUE(facts) << facts.error().to_string();
  EXPECT_THAT(facts->incidents, IsEmpty());
  EXPECT_TRUE(facts->is_complete);
  ASSERT_EQ(facts->distributions().size(), 1U);
  const PlannedDistribution& planned = facts->distributions().front();
  EXPECT_EQ(planned.name, "onnxruntime_gpu");
  EXPECT_EQ(planned.version, "1.24.4");
  EXPECT_EQ(planned.place, "d/onnxruntime_gpu-1.24.4-py3-none-any.whl");
  EXPECT_THAT(planned.requires_dist, ElementsAre("numpy>=1.21.6"));
  ASSERT_TRUE(planned.files);
  std::vector<std::string> paths;
  for (const PlannedFile& file : *planned.files) paths.push_back(file.path);
  EXPECT_THAT(paths, ElementsAre("onnxruntime/x.so", "onnxruntime/y.py",
                                 "onnxruntime_gpu-1.24.4.dist-info/METADATA",
                                 "onnxruntime_gpu-1.24.4.dist-info/WHEEL",
                                 "onnxruntime_gpu-1.24.4.dist-info/RECORD"));
  EXPECT_EQ(planned.files->front().hash, "sha256=gpu");
}

TEST_F(PlannedWheels, AFolderOffersTheNewestReleaseOfEach) {
  Draft old = gpu();
  old.version = "1.9.0";
  files_ = {
      {"/wheels/onnxruntime_gpu-1.24.4-cp311-cp311-win_amd64.whl", gpu().packed()},
      {"/wheels/onnxruntime_gpu-1.24.4-cp311-cp311-manylinux_2_28_x86_64.whl", gpu().packed()},
      {"/wheels/onnxruntime_gpu-1.24.4-cp312-cp312-manylinux_2_28_x86_64.whl", gpu().packed()},
      {"/wheels/onnxruntime_gpu-1.9.0-py3-none-any.whl", old.packed()},
      {"/wheels/notes.txt", "no wheel"}};
  const auto facts = folder();
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->wheels, 4U);
  ASSERT_EQ(facts->distributions().size(), 1U);
  EXPECT_EQ(facts->distributions().front().place,
            "wheels/onnxruntime_gpu-1.24.4-cp312-cp312-manylinux_2_28_x86_64.whl");
}

TEST_F(PlannedWheels, ABuildForThePlatformIsTakenBeforeAStandInOfThatRelease) {
  const Draft stand_in{"onnxruntime_gpu", "1.24.4", "", {}, ""};
  files_ = {
      {"/wheels/onnxruntime_gpu-1.24.4-cp311-cp311-manylinux_2_28_x86_64.whl", gpu().packed()},
      {"/wheels/onnxruntime_gpu-1.24.4-py3-none-any.whl", stand_in.packed()}};
  const auto facts = folder();
  ASSERT_TRUE(facts);
  ASSERT_EQ(facts->distributions().size(), 1U);
  EXPECT_EQ(facts->distributions().front().place,
            "wheels/onnxruntime_gpu-1.24.4-cp311-cp311-manylinux_2_28_x86_64.whl");
}

TEST_F(PlannedWheels, AFolderTellsWhoAsksForWhom) {
  Draft cpu{"onnxruntime", "1.24.4", "", {{"onnxruntime/x.so", "sha256=cpu"}}, ""};
  Draft fastembed{"fastembed",
                  "0.9.1",
                  "Requires-Dist: onnxruntime>=1.17; python_full_version < '3.12'\n"
                  "Requires-Dist: onnxruntime>=1.24; python_full_version >= '3.12'\n",
                  {},
                  ""};
  files_ = {{"/wheels/onnxruntime-1.24.4-cp311-cp311-manylinux_2_28_x86_64.whl", cpu.packed()},
            {"/wheels/fastembed-0.9.1-py3-none-any.whl", fastembed.packed()},
            {"/wheels/onnxruntime_gpu-1.24.4-py3-none-any.whl", gpu().packed()}};
  const auto facts = folder();
  ASSERT_TRUE(facts);
  ASSERT_EQ(facts->distributions().size(), 3U);
  EXPECT_THAT(facts->distributions()[0].chain, IsEmpty());
  EXPECT_THAT(facts->distributions()[1].chain,
              ElementsAre("fastembed 0.9.1 requires onnxruntime>=1.17"));
  EXPECT_THAT(facts->distributions()[2].chain, IsEmpty());
}

TEST_F(PlannedWheels, WheelsThatNoInterpreterTakesTogetherAreApart) {
  const Draft cpu{"onnxruntime", "1.24.4", "", {{"onnxruntime/x.so", "sha256=cpu"}}, ""};
  const auto selections = [&](const std::string& of_cpu, const std::string& of_gpu) {
    files_ = {{"/wheels/onnxruntime-1.24.4-" + of_cpu + ".whl", cpu.packed()},
              {"/wheels/onnxruntime_gpu-1.24.4-" + of_gpu + ".whl", gpu().packed()}};
    const auto facts = folder();
    std::vector<std::string> shown;
    for (const WheelSelection& one : facts->selections) {
      shown.push_back(format("{} {}", one.distributions.size(), one.shown()));
    }
    return shown;
  };
  EXPECT_THAT(
      selections("cp311-cp311-linux_x86_64", "cp312-cp312-linux_x86_64"),
      ElementsAre("1 for CPython 3.12 on x86_64 Linux", "1 for CPython 3.11 on x86_64 Linux"));
  EXPECT_THAT(
      selections("cp311-cp311-win_amd64", "cp311-cp311-linux_x86_64"),
      ElementsAre("1 for CPython 3.11 on x86_64 Linux", "1 for CPython 3.11 on AMD64 Windows"));
  EXPECT_THAT(
      selections("cp310.cp311-none-any", "cp311.cp312-none-any"),
      ElementsAre("1 for CPython 3.12 on x86_64 Linux", "2 for CPython 3.11 on x86_64 Linux",
                  "1 for CPython 3.10 on x86_64 Linux"));
  EXPECT_THAT(selections("py3-none-any", "cp311-cp311-linux_x86_64.win_amd64"),
              ElementsAre("2 for CPython 3.11 on x86_64 Linux and CPython 3.11 on AMD64 Windows"));
}

TEST_F(PlannedWheels, AWheelIsNotForAnInterpreterThatItsMetadataRefuse) {
  Draft cpu{
      "onnxruntime", "1.24.4", "Requires-Python: >=3.11.2\n", {{"onnxruntime/x.so", "a"}}, ""};
  files_ = {{"/wheels/onnxruntime-1.24.4-py3-none-any.whl", cpu.packed()},
            {"/wheels/onnxruntime_gpu-1.24.4-cp310-cp310-any.whl", gpu().packed()},
            {"/wheels/onnxruntime_gpu-1.24.4-cp311-cp311-any.whl", gpu().packed()}};
  const auto facts = folder();
  ASSERT_EQ(facts->selections.size(), 2U);
  EXPECT_EQ(facts->selections[0].distributions.size(), 2U) << "3.11 has later patches";
  EXPECT_EQ(facts->selections[1].distributions.size(), 1U);
}

TEST_F(PlannedWheels, AnInterpreterTakesTheNewestReleaseThatHasAWheelForIt) {
  Draft old = gpu();
  old.version = "1.9.0";
  files_ = {{"/wheels/onnxruntime_gpu-1.24.4-cp312-cp312-any.whl", gpu().packed()},
            {"/wheels/onnxruntime_gpu-1.9.0-cp311-cp311-any.whl", old.packed()},
            {"/wheels/onnxruntime_gpu-1.9.0-py3-none-any.whl", old.packed()}};
  const auto facts = folder();
  ASSERT_EQ(facts->selections.size(), 2U);
  EXPECT_EQ(facts->selections[0].distributions.front().version, "1.24.4");
  EXPECT_EQ(facts->selections[1].distributions.front().place,
            "wheels/onnxruntime_gpu-1.9.0-cp311-cp311-any.whl");
  EXPECT_EQ(facts->names, 1U);
}

TEST_F(PlannedWheels, AModuleIsHiddenByAPackageOfItsName) {
  const Draft attr{"attr", "0.3.2", "", {{"attr.py", "a"}, {"other.py", "a"}}, ""};
  const Draft attrs{
      "attrs", "25.3.0", "", {{"attr/__init__.py", "b"}, {"attrs/__init__.py", "b"}}, ""};
  const Draft both{"both", "1", "", {{"both.py", "a"}, {"both/__init__.py", "a"}}, ""};
  const Draft space{"space", "1", "", {{"other/piece.py", "a"}}, ""};
  for (const Draft& draft : {attr, attrs, both, space}) {
    files_.emplace_back(format("/wheels/{}-{}-py3-none-any.whl", draft.name, draft.version),
                        draft.packed());
  }
  const auto facts = folder();
  Plan plan;
  plan.distributions = facts->distributions();
  const auto hidden = find_planned_hidden(plan);
  ASSERT_EQ(hidden.size(), 1U) << "not by its own package, nor by a namespace";
  EXPECT_EQ(hidden[0].package, "attr/");
  EXPECT_EQ(hidden[0].module, "attr.py");
  EXPECT_EQ(hidden[0].package_of.name, "attrs");
  EXPECT_EQ(hidden[0].module_of.name, "attr");
  EXPECT_EQ(hidden[0].module_place, "wheels/attr-0.3.2-py3-none-any.whl");
}

TEST_F(PlannedWheels, WhatCannotBeReadIsAnIncidentOfAFolder) {
  files_ = {{"/wheels/a-1-py3-none-any.whl", "no zip"},
            {"/wheels/onnxruntime_gpu-1.24.4-py3-none-any.whl", gpu().packed()}};
  const auto facts = folder();
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->distributions().size(), 1U);
  EXPECT_FALSE(facts->is_complete);
  ASSERT_EQ(facts->incidents.size(), 1U);
  EXPECT_EQ(facts->incidents.front().path, "/wheels/a-1-py3-none-any.whl");
  EXPECT_EQ(facts->incidents.front().message,
            "no zip archive: no end of a directory in its last 6 bytes");
}

TEST_F(PlannedWheels, WhatCannotBeReadIsAnErrorOfOneWheel) {
  files_ = {{"/a-1-py3-none-any.whl", "no zip"}};
  const auto facts = read("/a-1-py3-none-any.whl", target::Kind::Wheel);
  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().to_string(),
            "a-1-py3-none-any.whl: no zip archive: no end of a directory in its last 6 bytes");
}

TEST_F(PlannedWheels, ContradictionsAreTold) {
  const std::string packed = gpu().packed();
  EXPECT_EQ(trouble("onnxruntime-1.24.4-py3-none-any.whl", packed),
            "its name is `onnxruntime` in its file name and `onnxruntime_gpu` in METADATA");
  EXPECT_EQ(trouble("onnxruntime_gpu-1.24.5-py3-none-any.whl", packed),
            "its version is `1.24.5` in its file name and `1.24.4` in METADATA");
  EXPECT_EQ(trouble("Onnxruntime.GPU-1.24.4.0-py3-none-any.whl", packed), "")
      << "other spellings of the same";
  EXPECT_EQ(trouble("onnxruntime_gpu.whl", packed),
            "not named as a wheel, wanted NAME-VERSION-PYTHON-ABI-PLATFORM.whl");
}

TEST_F(PlannedWheels, AWheelNeedsItsMetadata) {
  Draft draft = gpu();
  draft.has_metadata = false;
  EXPECT_EQ(trouble(draft), "no member is named `onnxruntime_gpu-1.24.4.dist-info/METADATA`");
  draft = gpu();
  draft.has_record = false;
  EXPECT_EQ(trouble(draft), "it has no file RECORD");
  draft = gpu();
  draft.wheel = "Wheel-Version: 2.0\n";
  EXPECT_EQ(trouble(draft), "its format is of release `2.0`, wanted 1.x");
  draft = gpu();
  draft.files.push_back({"other-1.dist-info/METADATA", ""});
  EXPECT_EQ(trouble(draft),
            "2 directories in it end in `.dist-info` (`onnxruntime_gpu-1.24.4.dist-info`, "
            "`other-1.dist-info`), wanted one");
  EXPECT_EQ(trouble("a-1-py3-none-any.whl", *archive::write_zip({{"a.py", ""}})),
            "no directory in it ends in `.dist-info`, wanted one");
}

TEST_F(PlannedWheels, ARecordThatIsNotOfTheArchiveIsTold) {
  Draft draft = gpu();
  draft.record_more = "onnxruntime/gone.py,sha256=x,1\nonnxruntime/also.py,sha256=x,1\n";
  EXPECT_EQ(trouble(draft),
            "its RECORD lists what the archive lacks: `onnxruntime/gone.py` and 1 more");
  draft = gpu();
  draft.record_more = "../../etc/passwd,sha256=x,1\n/etc/shadow,,\n";
  EXPECT_EQ(trouble(draft),
            "its RECORD lists paths that lead out, which were not followed: `../../etc/passwd` and "
            "1 more");
  draft = gpu();
  draft.record_more = "onnxruntime/x.so,sha256=other,1\n";
  EXPECT_EQ(trouble(draft), "its RECORD lists more than once: `onnxruntime/x.so`");
  draft = gpu();
  std::vector<NewMember> members = draft.members();
  members.push_back({"onnxruntime/unlisted.py", ""});
  EXPECT_EQ(trouble("onnxruntime_gpu-1.24.4-py3-none-any.whl", *archive::write_zip(members)),
            "the archive holds what its RECORD does not list: `onnxruntime/unlisted.py`");
  const auto facts = folder();
  EXPECT_TRUE(facts->is_complete) << "installers look away";
}

}  // namespace
}  // namespace loadable::exam
