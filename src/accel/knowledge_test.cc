// SPDX-License-Identifier: Apache-2.0
#include "accel/knowledge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "accel/embedded_knowledge.h"
#include "tree/memory_tree.h"

namespace loadable::accel {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string error_of(std::string_view text) {
  const EmbeddedFile file{"t.toml", text};
  const auto knowledge = read_knowledge({&file, 1});
  return knowledge ? "no error" : knowledge.error().to_string();
}

template <class Rows>
void expect_sources(const Rows& rows) {
  EXPECT_FALSE(rows.empty());
  for (const auto& row : rows) {
    EXPECT_GE(row.source.size(), 10U) << row.place;
    EXPECT_THAT(row.source, Not(HasSubstr("http"))) << row.place;
  }
}

TEST(Knowledge, EveryRowSaysWhereItComesFrom) {
  const Knowledge& knowledge = built_in_knowledge();
  EXPECT_EQ(knowledge.date.size(), 10U);
  expect_sources(knowledge.distribution_families);
  expect_sources(knowledge.distributions);
  expect_sources(knowledge.witnesses);
  expect_sources(knowledge.stray_files);
  expect_sources(knowledge.requirers);
  expect_sources(knowledge.conda_builds);
  expect_sources(knowledge.providers);
  expect_sources(knowledge.steps);
  expect_sources(knowledge.opens);
  expect_sources(knowledge.sets);
  expect_sources(knowledge.pieces);
  expect_sources(knowledge.actions);
  expect_sources(knowledge.preloads);
  expect_sources(knowledge.families);
  expect_sources(knowledge.drivers);
  expect_sources(knowledge.exempt);
  expect_sources(knowledge.known_names);
}

TEST(Knowledge, AMemberIsFoundByItsNameBeforeAPattern) {
  const Knowledge& knowledge = built_in_knowledge();
  ASSERT_NE(knowledge.distribution("cupy-cuda12x"), nullptr);
  EXPECT_EQ(knowledge.distribution("cupy-cuda12x")->builds_for, "CUDA 12");
  ASSERT_NE(knowledge.distribution("cupy-cuda117"), nullptr);
  EXPECT_EQ(knowledge.distribution("cupy-cuda117")->family, "cupy");
  EXPECT_EQ(knowledge.distribution("cupy-xarray"), nullptr);
  EXPECT_EQ(knowledge.distribution("onnxruntime-extensions"), nullptr);
  EXPECT_EQ(knowledge.distribution("onnxruntime-tools"), nullptr);
}

TEST(Knowledge, APluginIsNoMemberOfTheFamilyThatItsOlderReleasesBelongedTo) {
  const Knowledge& knowledge = built_in_knowledge();
  EXPECT_NE(knowledge.distribution("onnxruntime-qnn", "1.22.0"), nullptr);
  EXPECT_EQ(knowledge.distribution("onnxruntime-qnn", "2.7.0"), nullptr);
}

TEST(Knowledge, OnlyStringsThatTellBuildsApartAreWitnesses) {
  for (const WitnessRow& row : built_in_knowledge().witnesses) {
    EXPECT_NE(row.text, "CUDAExecutionProvider");
    EXPECT_NE(row.text, "CUDA execution provider is not enabled in this build.");
    EXPECT_NE(row.text, "AzureExecutionProvider");
  }
}

TEST(Knowledge, NamesNoTableOfNeeds) {
  for (const EmbeddedFile& file : embedded_knowledge()) {
    EXPECT_THAT(std::string(file.text), Not(HasSubstr("needed ="))) << file.name;
  }
}

// The steps of a release in order: what `row_ids` a plan has.
std::vector<std::string> plan(const std::string& provider, const std::string& release, int cuda) {
  std::vector<std::string> ids;
  for (const StepRow& row : built_in_knowledge().steps) {
    if (row.applies(provider, release, cuda)) ids.push_back(row.id);
  }
  return ids;
}

const StepRow* step(const std::string& release, const std::string& id) {
  for (const StepRow& row : built_in_knowledge().steps) {
    if (row.id == id && row.applies("onnxruntime:cuda", release, 12)) return &row;
  }
  return nullptr;
}

TEST(Knowledge, EveryReleaseHasItsPlan) {
  EXPECT_THAT(plan("onnxruntime:cuda", "1.15.1", 11),
              ElementsAre("ld-preload-cublasLt", "ld-preload-cublas", "ld-preload-cudnn",
                          "ld-preload-curand", "ld-preload-cufft", "ld-preload-cudart", "import",
                          "providers-shared", "provider"));
  for (const char* release : {"1.16.3", "1.17.1", "1.18.1", "1.19.2", "1.20.2", "1.21.1", "1.22.0",
                              "1.23.2", "1.24.4", "1.25.1", "1.26.0"}) {
    EXPECT_THAT(plan("onnxruntime:cuda", release, 12),
                ElementsAre("import", "providers-shared", "provider"))
        << release;
  }
  EXPECT_THAT(plan("onnxruntime:cuda", "1.27.0", 13),
              ElementsAre("import", "providers-shared", "provider"));
  for (const char* release : {"1.28.0", "1.29.0", "1.30.0", "1.31.0", "1.31.1"}) {
    EXPECT_THAT(plan("onnxruntime:cuda", release, 13),
                ElementsAre("import", "providers-shared", "provider", "cudnn", "cufft"))
        << release;
  }
}

TEST(Knowledge, ProvidersHaveBareNamesUntilOneTwentyThree) {
  for (const char* id : {"providers-shared", "provider"}) {
    ASSERT_NE(step("1.23.2", id), nullptr);
    EXPECT_EQ(step("1.23.2", id)->form, RequestForm::Bare) << id;
    EXPECT_EQ(step("1.24.0", id)->form, RequestForm::BesideImport) << id;
    EXPECT_EQ(step("1.24.4", id)->caller, Caller::Import) << id;
  }
  EXPECT_TRUE(step("1.24.4", "providers-shared")->is_global);
  EXPECT_FALSE(step("1.24.4", "provider")->is_global);
}

TEST(Knowledge, EveryStepBelongsToAReleaseThatIsKnown) {
  const std::vector<std::string> releases = {"1.15.0", "1.15.1", "1.16.3", "1.23.2",
                                             "1.24.4", "1.25.1", "1.28.0", "1.31.1"};
  for (const StepRow& row : built_in_knowledge().steps) {
    bool is_used = false;
    for (const std::string& release : releases) {
      for (const int cuda : {11, 12, 13}) {
        is_used = is_used || row.applies(row.providers.front(), release, cuda);
      }
    }
    EXPECT_TRUE(is_used) << row.place;
  }
}

TEST(Knowledge, EveryActionSetAndOpenerIsUsed) {
  const Knowledge& knowledge = built_in_knowledge();
  for (const ActionRow& row : knowledge.actions) {
    EXPECT_TRUE(std::any_of(knowledge.preloads.begin(), knowledge.preloads.end(),
                            [&](const PreloadRow& one) { return one.action == row.name; }))
        << row.place;
  }
  for (const SetRow& row : knowledge.sets) {
    EXPECT_TRUE(fits(row.members, row.front)) << row.place;
    EXPECT_TRUE(std::any_of(knowledge.opens.begin(), knowledge.opens.end(),
                            [&](const OpensRow& one) { return one.opener == row.front; }))
        << row.place;
  }
  for (const OpensRow& row : knowledge.opens) {
    const bool has_family = std::any_of(
        knowledge.families.begin(), knowledge.families.end(), [&](const FamilyRow& family) {
          return std::any_of(
              family.members.begin(), family.members.end(),
              [&](const FamilyMember& member) { return fits(row.opener, member.soname); });
        });
    EXPECT_TRUE(has_family) << row.place;
  }
}

TEST(Knowledge, EveryRowOfPreloadsAppliesToARelease) {
  const Knowledge& knowledge = built_in_knowledge();
  const std::vector<std::pair<std::string, int>> releases = {
      {"1.21.1", 12}, {"1.26.0", 12}, {"1.27.0", 13}, {"1.31.1", 13}};
  for (const auto& [release, cuda] : releases) {
    std::vector<std::string> names;
    for (const PreloadRow& row : knowledge.preloads) {
      if (row.action == "torch" || !row.releases.contains(release)) continue;
      if (std::find(row.cuda.begin(), row.cuda.end(), cuda) == row.cuda.end()) continue;
      names.push_back(split_soname(row.library).stem);
    }
    EXPECT_THAT(names, ElementsAre("libcublasLt.so", "libcublas.so", "libnvrtc.so", "libcurand.so",
                                   "libcufft.so", "libcudart.so", "libcudnn.so"))
        << release;
  }
}

TEST(Knowledge, PreloadedAndOpenedLibrariesAreOfAFamily) {
  const Knowledge& knowledge = built_in_knowledge();
  for (const PreloadRow& row : knowledge.preloads) {
    if (row.is_path_only) continue;
    EXPECT_THAT(knowledge.packages_of(row.library), Not(IsEmpty())) << row.place;
  }
  for (const PieceRow& row : knowledge.pieces) {
    if (row.library.find('*') != std::string::npos) continue;
    EXPECT_THAT(knowledge.packages_of(row.library), Not(IsEmpty())) << row.place;
    ASSERT_NE(knowledge.set_of(row.library), nullptr) << row.place;
    EXPECT_EQ(knowledge.set_of(row.library)->id, row.set) << row.place;
  }
}

TEST(Knowledge, SonamesLeadToPackages) {
  const Knowledge& knowledge = built_in_knowledge();
  const auto cublas = knowledge.packages_of("libcublasLt.so.12");
  ASSERT_EQ(cublas.size(), 1U);
  EXPECT_EQ(cublas[0].package, "nvidia-cublas-cu12");
  EXPECT_EQ(cublas[0].directory, "nvidia/cublas/lib");
  EXPECT_EQ(knowledge.packages_of("libcublasLt.so.13")[0].package, "nvidia-cublas");
  EXPECT_EQ(knowledge.packages_of("libcublasLt.so.13")[0].directory, "nvidia/cu13/lib");
  const auto cudnn = knowledge.packages_of("libcudnn.so.9");
  ASSERT_EQ(cudnn.size(), 3U);
  EXPECT_EQ(cudnn[2].package, "nvidia-cudnn-cu13");
  EXPECT_EQ(cudnn[2].directory, "nvidia/cudnn/lib");
  EXPECT_THAT(knowledge.packages_of("libz.so.1"), IsEmpty());
}

TEST(Knowledge, SonamesTellTheCudaMajorUnlessSeveralShareThem) {
  const Knowledge& knowledge = built_in_knowledge();
  EXPECT_EQ(knowledge.cuda_of("libcudart.so.11.0"), 11);
  EXPECT_EQ(knowledge.cuda_of("libcufft.so.11"), 12);
  EXPECT_EQ(knowledge.cuda_of("libcufft.so.12"), 13);
  EXPECT_EQ(knowledge.cuda_of("libcudnn.so.9"), std::nullopt);
  EXPECT_EQ(knowledge.cuda_of("libcurand.so.10"), std::nullopt);
  EXPECT_EQ(knowledge.cuda_of("libc.so.6"), std::nullopt);
}

TEST(Knowledge, AnotherMajorIsNotALongerVersion) {
  const Knowledge& knowledge = built_in_knowledge();
  EXPECT_TRUE(knowledge.is_other_major("libcublas.so.12", "libcublas.so.13"));
  EXPECT_TRUE(knowledge.is_other_major("libnvrtc-builtins.so.12.9", "libnvrtc-builtins.so.12.1"));
  EXPECT_FALSE(knowledge.is_other_major("libcublas.so.12", "libcublas.so.12.9.3"));
  EXPECT_FALSE(knowledge.is_other_major("libcublas.so.12", "libcublas.so"));
  EXPECT_FALSE(knowledge.is_other_major("libcublas.so.12", "libcublasLt.so.13"));
}

TEST(Knowledge, TheDriverIsPermittedToLackWithItsSymbols) {
  const Knowledge& knowledge = built_in_knowledge();
  EXPECT_TRUE(knowledge.is_driver("libcuda.so.1"));
  EXPECT_TRUE(knowledge.is_driver("libnvidia-ml.so.1"));
  EXPECT_FALSE(knowledge.is_driver("libcudart.so.13"));
  EXPECT_FALSE(knowledge.is_driver("libcudnn.so.9"));
  std::set<std::string> symbols;
  for (const auto& row : knowledge.provided({})) {
    if (fits(row.library, "libcuda.so.1")) symbols.insert(row.symbols.begin(), row.symbols.end());
  }
  ASSERT_THAT(symbols, ElementsAre("cu[A-Z]*"));
  EXPECT_TRUE(fits(*symbols.begin(), "cuTensorMapEncodeTiled"));
  EXPECT_FALSE(fits(*symbols.begin(), "cublasCreate_v2"));
  EXPECT_FALSE(fits(*symbols.begin(), "Provider_GetHost"));
}

TEST(Knowledge, WhatIsProvidedBringsTheSymbolsOfItsFamily) {
  const auto provided = built_in_knowledge().provided({"libcufft.so.*", "libunknown.so.1"});
  const auto& cufft = provided[provided.size() - 2];
  EXPECT_EQ(cufft.library, "libcufft.so.*");
  EXPECT_THAT(cufft.symbols, ElementsAre("cufft*"));
  EXPECT_THAT(provided.back().symbols, ElementsAre("*"));
}

TEST(Knowledge, ReleasesAreComparedNumberByNumber) {
  EXPECT_LT(compare_releases("1.9.0", "1.10"), 0);
  EXPECT_EQ(compare_releases("1.24", "1.24.0"), 0);
  EXPECT_EQ(compare_releases("1.17.0+cu118", "1.17.0"), 0);
  EXPECT_GT(compare_releases("1.31.1", "1.31"), 0);
  EXPECT_EQ(compare_releases("", "0"), 0);
  EXPECT_EQ(compare_releases("99999999999999999999999", "0"), 0);  // no number that can be held
}

TEST(Knowledge, SonamesAreSplitAtTheirVersion) {
  EXPECT_EQ(split_soname("libx.so.12.9").stem, "libx.so");
  EXPECT_EQ(split_soname("libx.so.12.9").version, "12.9");
  EXPECT_EQ(split_soname("libx.so").version, "");
  EXPECT_EQ(split_soname("libx.so.conf").stem, "libx.so.conf");
  EXPECT_EQ(split_soname("x").stem, "x");
}

TEST(KnowledgeReader, NamesFileRowFieldAndBothValues) {
  const std::string row = "[[driver]]\nlibrary = \"l\"\nverified = true\nsource = \"measured\"\n";
  EXPECT_EQ(error_of(row), "no error");
  EXPECT_THAT(error_of(row + row + "symbols = 3\n"),
              AllOf(HasSubstr("t.toml, [[driver]] 2"), HasSubstr("`symbols`"),
                    HasSubstr("an integer"), HasSubstr("a list")));
  EXPECT_THAT(error_of(row + "colour = 3\n"),
              AllOf(HasSubstr("`colour`"), HasSubstr("unknown"), HasSubstr("`library`")));
  EXPECT_THAT(error_of("[[driver]]\nlibrary = \"l\"\nverified = true\n"), HasSubstr("`source`"));
  EXPECT_THAT(error_of("[[driver]]\nlibrary = \"l\"\nsource = \"s\"\n"), HasSubstr("`verified`"));
  EXPECT_THAT(error_of("[[driver]]\nlibrary = \"\"\nsource = \"s\"\nverified = true\n"),
              HasSubstr("an empty string"));
  EXPECT_THAT(error_of("[[colour]]\n"), AllOf(HasSubstr("`colour`"), HasSubstr("[[driver]]")));
  EXPECT_THAT(error_of("driver = 3\n"), HasSubstr("wanted rows written as [[driver]]"));
  EXPECT_THAT(error_of("driver = [3]\n"), HasSubstr("wanted a table"));
  EXPECT_THAT(error_of("[[driver]\n"), AllOf(HasSubstr("t.toml"), HasSubstr("line 1")));
  EXPECT_THAT(error_of("date = 3\n"), HasSubstr("`date`"));
}

TEST(KnowledgeReader, RefusesRowsThatContradictThemselves) {
  const std::string origin = "source = \"measured\"\nverified = true\n";
  EXPECT_THAT(error_of("[[opens]]\nopener = \"o\"\nwhat = \"w\"\nnecessity = \"often\"\nloss = "
                       "\"l\"\neffect = \"e\"\nnames = [\"n\"]\n" +
                       origin),
              AllOf(HasSubstr("`often`"), HasSubstr("`function`")));
  EXPECT_THAT(error_of("[[opens]]\nopener = \"o\"\nwhat = \"w\"\nnecessity = \"abort\"\nloss = "
                       "\"l\"\neffect = \"e\"\n" +
                       origin),
              HasSubstr("wanted one of them"));
  EXPECT_THAT(error_of("[[family]]\nstem = \"libx.so\"\nmembers = [[12, \"liby.so.1\", \"p\", "
                       "\"d\"]]\n" +
                       origin),
              HasSubstr("wanted sonames of `libx.so`"));
  EXPECT_THAT(
      error_of("[[family]]\nstem = \"libx.so\"\nmembers = [[12, \"libx.so.1\"]]\n" + origin),
      HasSubstr("[CUDA major, soname, package, directory]"));
  EXPECT_THAT(error_of("[[exempt]]\n" + origin), HasSubstr("wanted one of them"));
  EXPECT_THAT(
      error_of("[[preload]]\naction = \"a\"\ndirectories = [\"d\"]\nlibrary = \"l\"\nfrom = "
               "\"2\"\nto = \"1\"\n" +
               origin),
      HasSubstr("wanted a release from `2` on"));
  EXPECT_THAT(
      error_of("[[preload]]\naction = \"a\"\ndirectories = [\"d\"]\nlibrary = \"l\"\n" + origin),
      HasSubstr("action `a` has no [[action]] row"));
  const std::string family =
      "[[distribution_family]]\nid = \"f\"\npackages = [\"p\"]\nwhat = \"w\"\n" + origin;
  EXPECT_THAT(
      error_of(family + "[[distribution]]\nname = \"d\"\nfamily = \"f\"\nproviders = [\"a:b\"]\n" +
               origin),
      HasSubstr("provider `a:b` has no [[provider]] row"));
  EXPECT_THAT(error_of("[[distribution]]\nname = \"d\"\nfamily = \"g\"\n" + origin),
              HasSubstr("family `g` has no [[distribution_family]] row"));
  EXPECT_THAT(error_of(family + "[[witness]]\nfamily = \"f\"\nfile = \"x\"\nform = \"text\"\n" +
                       "text = \"t\"\n" + origin),
              HasSubstr("`capability`"));
  EXPECT_THAT(error_of("[[distribution_family]]\nid = \"f\"\nwhat = \"w\"\n" + origin),
              HasSubstr("wanted the import packages"));
  EXPECT_THAT(error_of(family + "[[distribution]]\nname = \"d\"\nfamily = \"f\"\n" + origin +
                       "[[distribution]]\nname = \"d\"\nfamily = \"f\"\n" + origin),
              HasSubstr("`d` is in t.toml, [[distribution]] 1 too"));
}

TEST(KnowledgeReader, AFileOfADirectoryReplacesTheOneOfItsName) {
  tree::MemoryTree tree;
  tree.add_file("/k/driver.toml",
                "date = \"2030-01-01\"\n[[driver]]\nlibrary = \"libgpu.so\"\nsource = "
                "\"measured\"\nverified = true\n");
  tree.add_file("/k/notes.txt", "no table");
  tree::Walk walk(tree);
  const auto knowledge = load_knowledge(walk, "/k");
  ASSERT_TRUE(knowledge) << knowledge.error().to_string();
  EXPECT_EQ(knowledge->drivers.size(), 1U);
  EXPECT_EQ(knowledge->date, "2030-01-01");
  EXPECT_EQ(knowledge->families.size(), built_in_knowledge().families.size());
  tree.add_directory("/empty");
  tree::Walk second(tree);
  EXPECT_FALSE(load_knowledge(second, "/empty"));
  EXPECT_FALSE(load_knowledge(second, "/absent"));
}

}  // namespace
}  // namespace loadable::accel
