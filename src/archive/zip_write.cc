// SPDX-License-Identifier: Apache-2.0
#include <minizip/zip.h>

#include <memory>

#include "archive/zip.h"
#include "archive/zip_source.h"
#include "base/format.h"
#include "base/quote.h"

namespace loadable::archive {
namespace {

// Unix, and the release of the format that stored members need.
constexpr uLong kMadeBy = (3U << 8) | 20U;
constexpr uLong kNamesAreUtf8 = 1U << 11;
constexpr uLong kRegular0644 = uLong{0100644} << 16;
constexpr uLong kFirstOfJanuary1980 = ((1U << 5) | 1U) << 16;  // DOS date above time: the earliest

bool add(zipFile zip, const NewMember& member) {
  zip_fileinfo info{};
  info.dosDate = kFirstOfJanuary1980;
  info.external_fa = kRegular0644;
  const int opened = zipOpenNewFileInZip4_64(
      zip, member.name.c_str(), &info, nullptr, 0, nullptr, 0, nullptr, 0 /* stored */, 0, 0,
      -MAX_WBITS, DEF_MEM_LEVEL, 0 /* strategy */, nullptr, 0, kMadeBy, kNamesAreUtf8, 0);
  if (opened != ZIP_OK) return false;
  return zipWriteInFileInZip(zip, member.content.data(),
                             static_cast<unsigned>(member.content.size())) == ZIP_OK &&
         zipCloseFileInZip(zip) == ZIP_OK;
}

}  // namespace

Result<std::string> write_zip(const std::vector<NewMember>& members) {
  WrittenText written;
  zlib_filefunc64_def functions = writing_to(written);
  zipFile zip = zipOpen2_64("memory", APPEND_STATUS_CREATE, nullptr, &functions);
  if (zip == nullptr) return fail(ErrorCode::Io, "out of memory while a zip archive was begun");
  for (const NewMember& member : members) {
    if (member.content.size() > UINT32_MAX || !add(zip, member)) {
      zipClose(zip, nullptr);
      return fail(ErrorCode::Io, format("the member {} cannot be written into a zip archive",
                                        quoted(member.name)));
    }
  }
  if (zipClose(zip, nullptr) != ZIP_OK) {
    return fail(ErrorCode::Io, "the directory of a zip archive cannot be written");
  }
  return std::move(written.text);
}

}  // namespace loadable::archive
