// A checksum for files: to notice damage, not to withstand an adversary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace postrider::internal {

// CRC-32 as zlib, gzip and PNG have it. Any one changed bit, and any change within 32 bits, gives
// another checksum; other changes are missed once in four thousand million. `before` is the checksum
// of what comes before these bytes.
std::uint32_t checksum_of(std::span<const std::byte> bytes, std::uint32_t before = 0);

constexpr std::size_t kChecksumDigits = 8;
std::string checksum_text(std::uint32_t checksum);  // hexadecimal digits
// Nothing if it is not one that checksum_text() writes.
std::optional<std::uint32_t> read_checksum(std::string_view text);

}  // namespace postrider::internal
