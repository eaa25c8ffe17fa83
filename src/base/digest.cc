// SPDX-License-Identifier: Apache-2.0
// libcrypto's low-level functions: they bring a handful of object files into a static program, no
// provider, no configuration file and no work at the start but one look at the CPU's features.
// OpenSSL 3 marks them as deprecated in favour of EVP, which brings all of that.

#include "base/digest.h"

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/md5.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <variant>

#include "base/assert.h"
#include "base/format.h"

namespace loadable {
namespace {

// A piece that stays in the cache between reading and hashing, and fits on the stack of a thread.
constexpr std::size_t kPiece = std::size_t{64} * 1024;

struct KindRow {
  DigestKind kind;
  std::string_view name;
};

constexpr std::array<KindRow, 6> kKinds = {{{DigestKind::Md5, "md5"},
                                            {DigestKind::Sha1, "sha1"},
                                            {DigestKind::Sha224, "sha224"},
                                            {DigestKind::Sha256, "sha256"},
                                            {DigestKind::Sha384, "sha384"},
                                            {DigestKind::Sha512, "sha512"}}};

// The five functions of one algorithm, as overloads.
void update(MD5_CTX* state, ByteView bytes) { MD5_Update(state, bytes.data(), bytes.size()); }
void update(SHA_CTX* state, ByteView bytes) { SHA1_Update(state, bytes.data(), bytes.size()); }
void update(SHA256_CTX* state, ByteView bytes) { SHA256_Update(state, bytes.data(), bytes.size()); }
void update(SHA512_CTX* state, ByteView bytes) { SHA512_Update(state, bytes.data(), bytes.size()); }

// SHA-224 and SHA-384 are the first bytes of the same final step: md_len in the state says so.
using Raw = std::array<unsigned char, SHA512_DIGEST_LENGTH>;
std::size_t finish(MD5_CTX* state, Raw* raw) {
  MD5_Final(raw->data(), state);
  return MD5_DIGEST_LENGTH;
}
std::size_t finish(SHA_CTX* state, Raw* raw) {
  SHA1_Final(raw->data(), state);
  return SHA_DIGEST_LENGTH;
}
std::size_t finish(SHA256_CTX* state, Raw* raw) {
  const std::size_t length = state->md_len;
  SHA256_Final(raw->data(), state);
  return length;
}
std::size_t finish(SHA512_CTX* state, Raw* raw) {
  const std::size_t length = state->md_len;
  SHA512_Final(raw->data(), state);
  return length;
}

std::variant<MD5_CTX, SHA_CTX, SHA256_CTX, SHA512_CTX> start(DigestKind kind) {
  MD5_CTX md5{};
  SHA_CTX sha1{};
  SHA256_CTX sha256{};
  SHA512_CTX sha512{};
  switch (kind) {
    case DigestKind::Md5:
      MD5_Init(&md5);
      return md5;
    case DigestKind::Sha1:
      SHA1_Init(&sha1);
      return sha1;
    case DigestKind::Sha224:
      SHA224_Init(&sha256);
      return sha256;
    case DigestKind::Sha256:
      SHA256_Init(&sha256);
      return sha256;
    case DigestKind::Sha384:
      SHA384_Init(&sha512);
      return sha512;
    case DigestKind::Sha512:
      SHA512_Init(&sha512);
      return sha512;
  }
  LOADABLE_ASSERT(false, "a kind of digest without its functions");
  return sha256;
}

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::uint32_t byte_of(char c) { return static_cast<unsigned char>(c); }

Result<std::uint32_t> digit_of(std::string_view text, std::size_t at, std::string_view digits,
                               std::string_view what) {
  const std::size_t value = digits.find(text[at]);
  if (value == std::string_view::npos) {
    return fail(Error{ErrorCode::Malformed,
                      format("byte 0x{:02x} where {} is wanted", byte_of(text[at]), what),
                      {},
                      at,
                      {}});
  }
  return static_cast<std::uint32_t>(value);
}

}  // namespace

std::optional<DigestKind> digest_kind(std::string_view name) {
  const auto row = std::find_if(kKinds.begin(), kKinds.end(),
                                [&](const KindRow& known) { return known.name == name; });
  return row == kKinds.end() ? std::nullopt : std::optional(row->kind);
}

std::string_view digest_name(DigestKind kind) {
  return std::find_if(kKinds.begin(), kKinds.end(),
                      [&](const KindRow& known) { return known.kind == kind; })
      ->name;
}

struct Digest::State {
  std::variant<MD5_CTX, SHA_CTX, SHA256_CTX, SHA512_CTX> of;
};

Digest::Digest(DigestKind kind) : state_(std::make_unique<State>(State{start(kind)})) {}
Digest::~Digest() = default;
Digest::Digest(Digest&&) noexcept = default;
Digest& Digest::operator=(Digest&&) noexcept = default;

void Digest::update(ByteView bytes) {
  std::visit([&](auto& state) { loadable::update(&state, bytes); }, state_->of);
}

std::string Digest::finish() {
  Raw raw{};
  const std::size_t length =
      std::visit([&](auto& state) { return loadable::finish(&state, &raw); }, state_->of);
  return std::string(as_text(std::as_bytes(std::span(raw)).first(length)));
}

Result<std::string> digest_of(ByteSource& source, DigestKind kind) {
  Digest digest(kind);
  const std::uint64_t size = source.size();
  // Not zeroed: most files are smaller.
  std::array<std::byte, kPiece> piece;  // NOLINT(*-member-init)
  for (std::uint64_t at = 0; at < size;) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, size - at));
    const auto count = source.read_at(at, std::span(piece).first(wanted));
    if (!count) return fail(count.error());
    if (*count == 0) {
      return fail(ErrorCode::Truncated, format("{} bytes wanted, {} read", size, at));
    }
    digest.update(ByteView(piece).first(*count));
    at += *count;
  }
  return digest.finish();
}

std::string digest_of(std::string_view text, DigestKind kind) {
  Digest digest(kind);
  digest.update(as_bytes(text));
  return digest.finish();
}

std::string to_hex(std::string_view raw) {
  std::string text;
  text.reserve(raw.size() * 2);
  for (const char c : raw) {
    text += kHexDigits[byte_of(c) >> 4U];
    text += kHexDigits[byte_of(c) & 15U];
  }
  return text;
}

std::string to_base64_url(std::string_view raw) {
  std::string text;
  std::uint32_t bits = 0, count = 0;
  for (const char c : raw) {
    bits = (bits << 8U) | byte_of(c);
    for (count += 8; count >= 6; count -= 6) text += kBase64Digits[(bits >> (count - 6)) & 63U];
    bits &= 63U;
  }
  if (count > 0) text += kBase64Digits[(bits << (6 - count)) & 63U];
  return text;
}

Result<std::string> from_hex(std::string_view text) {
  constexpr std::string_view kBoth = "0123456789abcdefABCDEF";
  if (text.size() % 2 != 0) {
    return fail(ErrorCode::Malformed,
                format("{} hexadecimal digits, an even number is wanted", text.size()));
  }
  std::string raw;
  std::uint32_t high = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto digit = digit_of(text, at, kBoth, "a hexadecimal digit");
    if (!digit) return fail(digit.error());
    const std::uint32_t value = *digit < 16 ? *digit : *digit - 6;
    if (at % 2 == 0) {
      high = value;
    } else {
      raw += static_cast<char>(static_cast<unsigned char>((high << 4U) | value));
    }
  }
  return raw;
}

Result<std::string> from_base64_url(std::string_view text) {
  // Padding is wrong by the specification of RECORD, and harmless.
  while (text.ends_with('=')) text.remove_suffix(1);
  if (text.size() % 4 == 1) {
    return fail(ErrorCode::Malformed,
                format("{} digits of base64, which no number of bytes makes", text.size()));
  }
  std::string raw;
  std::uint32_t bits = 0, count = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto digit = digit_of(text, at, kBase64Digits, "a digit of URL-safe base64");
    if (!digit) return fail(digit.error());
    bits = ((bits << 6U) | *digit) & 0xFFFFU;
    count += 6;
    if (count >= 8) {
      count -= 8;
      raw += static_cast<char>(static_cast<unsigned char>((bits >> count) & 255U));
    }
  }
  return raw;
}

}  // namespace loadable
