// SPDX-License-Identifier: Apache-2.0
// Tokens, ld.so.conf, names of releases and levels: what is read from text.

#include <gmock/gmock.h>

#include "loader/conf.h"
#include "loader/machine_for_test.h"
#include "loader/tokens.h"

namespace loadable::loader {
namespace {

using ::testing::ElementsAre;

TEST(LoaderTokens, AreDelimitedAsWords) {
  TokenValues values;
  values.origin = "/o";
  values.lib = "lib64";
  EXPECT_EQ(expand_tokens("$ORIGIN/x", values), "/o/x");
  EXPECT_EQ(expand_tokens("${ORIGIN}AL", values), "/oAL");
  EXPECT_EQ(expand_tokens("$ORIGINAL", values), "$ORIGINAL");
  EXPECT_EQ(expand_tokens("$ORIGIN_", values), "$ORIGIN_");
  EXPECT_EQ(expand_tokens("${ORIGIN", values), "${ORIGIN");
  EXPECT_EQ(expand_tokens("/a/$LIB/$", values), "/a/lib64/$");
  EXPECT_FALSE(has_token("$ORIGINAL"));
  EXPECT_TRUE(has_token("a$b${LIB}"));
}

TEST(LoaderTokens, WithoutAValueDropThePath) {
  EXPECT_EQ(expand_tokens("/a/$PLATFORM", TokenValues{}), std::nullopt);
}

TEST(LoaderTokens, InSecureModeOriginIsTheWholeFirstComponentInATrustedDirectory) {
  const std::vector<std::string> trusted = {"/usr/lib/"};
  TokenValues values;
  values.origin = "/usr/lib/app";
  values.is_secure = true;
  values.is_program = true;
  values.trusted_dirs = &trusted;
  EXPECT_EQ(expand_tokens("$ORIGIN/../x", values), "/usr/lib/app/../x");
  EXPECT_EQ(expand_tokens("/a/$ORIGIN", values), std::nullopt);
  EXPECT_EQ(expand_tokens("$ORIGIN/../../..", values), std::nullopt);
  EXPECT_TRUE(is_trusted_path("/usr//lib/./x/..", trusted));
  EXPECT_FALSE(is_trusted_path("/usr/lib/../lib64", trusted));
}

TEST(LoaderConf, TakesDirectoriesAndLeavesTheRest) {
  const ConfText conf = parse_conf_text(
      "# comment\n/opt/a/ # more\n\thwcap 1 x\nrelative\n/opt/b=libc6\ninclude d/*.conf /x\n",
      "/etc/ld.so.conf");
  ASSERT_EQ(conf.directories.size(), 2U);
  EXPECT_EQ(conf.directories[0].path, "/opt/a");
  EXPECT_EQ(conf.directories[0].line, 2U);
  EXPECT_EQ(conf.directories[1].path, "/opt/b");
  EXPECT_THAT(conf.includes, ElementsAre("/etc/d/*.conf", "/x"));
}

TEST(LoaderConf, FollowsIncludesInOrderAndEndsInACycle) {
  tree::MemoryTree tree;
  tree.add_file("/etc/ld.so.conf", "include ld.so.conf.d/*.conf\n/last\n");
  tree.add_file("/etc/ld.so.conf.d/b.conf", "/b\n/a\n");
  tree.add_file("/etc/ld.so.conf.d/a.conf", "/a\ninclude /etc/ld.so.conf\n");
  tree.add_file("/etc/ld.so.conf.d/c.txt", "/c\n");
  tree::Walk walk(tree);
  std::vector<std::string> paths;
  for (const auto& directory : read_conf(walk)) paths.push_back(directory.path);
  EXPECT_THAT(paths, ElementsAre("/last", "/a", "/b"));
}

TEST(LoaderWords, NamesOfLibcsAndCpus) {
  EXPECT_EQ(parse_libc("glibc-2.36")->second, (Version{2, 36, 0}));
  EXPECT_EQ(parse_libc("musl 1.2.3")->second, (Version{1, 2, 3}));
  EXPECT_FALSE(parse_libc("glibc").has_value());
  EXPECT_FALSE(parse_libc("glibc-2.x").has_value());
  EXPECT_FALSE(parse_libc("uclibc-1.0").has_value());
  EXPECT_EQ(*parse_cpu("x86-64-v3"), CpuLevel::V3);
  EXPECT_FALSE(parse_cpu("x86-64-v5").has_value());
}

TEST(LoaderIdentity, ComesFromTheLoadersOwnBytes) {
  Machine machine("2.39");
  machine.program(std::vector<std::string>{});
  const Identity identity = machine.start().identity();
  EXPECT_EQ(identity.to_string(), "glibc 2.39");
  EXPECT_EQ(identity.lib_token, "lib/x86_64-linux-gnu");
  EXPECT_THAT(identity.system_dirs, ElementsAre("/lib/x86_64-linux-gnu",
                                                "/usr/lib/x86_64-linux-gnu", "/lib", "/usr/lib"));
}

TEST(LoaderIdentity, StatedReleaseIsJudgedWithTheDirectoriesFound) {
  Machine machine("2.36");
  machine.program(std::vector<std::string>{});
  Identity stated;
  stated.version = {2, 41, 0};
  machine.environment.stated = stated;
  const Identity identity = machine.start().identity();
  EXPECT_EQ(identity.to_string(), "glibc 2.41");
  EXPECT_EQ(identity.system_dirs.size(), 4U);
}

}  // namespace
}  // namespace loadable::loader
