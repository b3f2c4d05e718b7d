#include "data/checksum.h"

#include <zlib.h>

namespace postrider::internal {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

}  // namespace

std::uint32_t checksum_of(std::span<const std::byte> bytes, std::uint32_t before) {
  if (bytes.empty()) return before;  // zlib takes a null pointer as a question for the first value
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::string checksum_text(std::uint32_t checksum) {
  std::string out(kChecksumDigits, '0');
  for (std::size_t digit = kChecksumDigits; digit-- > 0; checksum >>= 4U)
    out[digit] = kDigits[checksum & 15U];
  return out;
}

std::optional<std::uint32_t> read_checksum(std::string_view text) {
  if (text.size() != kChecksumDigits) return {};
  std::uint32_t out = 0;
  for (const char digit : text) {
    const std::size_t value = kDigits.find(digit);
    if (value == std::string_view::npos) return {};
    out = out << 4U | static_cast<std::uint32_t>(value);
  }
  return out;
}

}  // namespace postrider::internal
