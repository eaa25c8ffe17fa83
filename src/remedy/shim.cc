// SPDX-License-Identifier: Apache-2.0
#include "remedy/shim.h"

#include "archive/zip.h"
#include "base/digest.h"
#include "base/format.h"

namespace loadable::remedy {
namespace {

/// Names of files escape what separates their parts (binary distribution format, file name).
std::string escaped(std::string text) {
  for (char& c : text) {
    if (c == '-') c = '_';
  }
  return text;
}

/// Metadata 2.1 is what every installer reads.
std::string metadata_of(const ShimSpec& spec) {
  return format(
      "Metadata-Version: 2.1\n"
      "Name: {}\n"
      "Version: {}\n"
      "Summary: Stand-in without files; {} provides the package\n"
      "Requires-Dist: {}=={}\n"
      "Description-Content-Type: text/plain\n"
      "\n"
      "This wheel holds no file. {} and {} install into the same directory and overwrite each\n"
      "other; installed in the place of {}, it lets what requires that be content with {}.\n"
      "Built by `loadable shim`.\n",
      spec.name, spec.version, spec.stands_for, spec.stands_for, spec.its_version, spec.name,
      spec.stands_for, spec.name, spec.stands_for);
}

constexpr std::string_view kWheel =
    "Wheel-Version: 1.0\n"
    "Generator: loadable shim\n"
    "Root-Is-Purelib: true\n"
    "Tag: py3-none-any\n";

}  // namespace

Result<Shim> build_shim(const ShimSpec& spec) {
  const std::string stem = escaped(spec.name) + "-" + escaped(spec.version);
  const std::string folder = stem + ".dist-info/";
  std::vector<archive::NewMember> members = {{folder + "METADATA", metadata_of(spec)},
                                             {folder + "WHEEL", std::string(kWheel)}};
  std::string record;
  for (const archive::NewMember& member : members) {
    record +=
        format("{},sha256={},{}\n", member.name,
               to_base64_url(digest_of(member.content, DigestKind::Sha256)), member.content.size());
  }
  record += folder + "RECORD,,\n";
  members.push_back({folder + "RECORD", std::move(record)});
  auto bytes = archive::write_zip(members);
  if (!bytes) return fail(bytes.error());
  return Shim{stem + "-py3-none-any.whl", std::move(*bytes)};
}

std::string shim_instructions(const ShimSpec& spec, const std::string& path,
                              const std::string& shown) {
  return format(
      "{0} {1} without files; requires {2}=={3}\n"
      "\n"
      "pip, in every command that installs (from an environment that holds neither, or after\n"
      "`pip uninstall --yes {0} {2}`, since removing one takes files of the other along):\n"
      "\n"
      "    echo '{0} @ file://{4}' >> constraints.txt\n"
      "    pip install --constraint constraints.txt '{2}=={3}' …\n"
      "\n"
      "uv, in pyproject.toml (both tables: a source without the constraint is ignored for what\n"
      "only other packages require):\n"
      "\n"
      "    [tool.uv]\n"
      "    constraint-dependencies = [\"{0}=={1}\"]\n"
      "    [tool.uv.sources]\n"
      "    {0} = {{ path = \"{5}\" }}\n"
      "\n"
      "    uv lock && uv sync --reinstall-package {2}\n"
      "\n"
      "`uv pip install` outside of the project's folder knows neither table: give it\n"
      "`--constraint constraints.txt`, or its next `--upgrade` puts a real {0} there.\n",
      spec.name, spec.version, spec.stands_for, spec.its_version, path, shown);
}

}  // namespace loadable::remedy
