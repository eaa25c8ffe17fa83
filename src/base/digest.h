// SPDX-License-Identifier: Apache-2.0
#pragma once
// The only door to hash functions (a library's, by hardware where the CPU can).

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace loadable {

enum class DigestKind : std::uint8_t { Md5, Sha1, Sha224, Sha256, Sha384, Sha512 };

/// By the name that RECORD and hashlib use (`sha256`); nothing: not known here.
[[nodiscard]] std::optional<DigestKind> digest_kind(std::string_view name);

[[nodiscard]] std::string_view digest_name(DigestKind kind);

/// A digest being computed; feed it in pieces.
class Digest {
 public:
  explicit Digest(DigestKind kind);
  ~Digest();
  Digest(Digest&&) noexcept;
  Digest& operator=(Digest&&) noexcept;
  void update(ByteView bytes);
  /// The raw bytes of the digest; call it once.
  [[nodiscard]] std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The whole of a source, read in pieces. Errors: the source's own; Truncated when it shrank.
Result<std::string> digest_of(ByteSource& source, DigestKind kind);
[[nodiscard]] std::string digest_of(std::string_view text, DigestKind kind);

/// Lower-case hexadecimal, and URL-safe base64 without padding (RECORD).
[[nodiscard]] std::string to_hex(std::string_view raw);
[[nodiscard]] std::string to_base64_url(std::string_view raw);
/// Errors: Malformed.
Result<std::string> from_hex(std::string_view text);
Result<std::string> from_base64_url(std::string_view text);

}  // namespace loadable
