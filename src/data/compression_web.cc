#include <array>

#include "data/compression.h"
#include "postrider/error.h"

namespace postrider::internal {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& how) {
  throw CorruptFile("cannot read " + name + ": it is compressed by " + how +
                    ", which is not read in a browser; unpack it first");
}

// The remainder of each byte, bits reflected, by the polynomial of CRC-32.
constexpr std::array<std::uint32_t, 256> remainders() {
  constexpr std::uint32_t kPolynomial = 0xedb88320;
  std::array<std::uint32_t, 256> out{};
  for (std::uint32_t byte = 0; byte < out.size(); ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1U) ^ (rest % 2 == 1 ? kPolynomial : 0);
    out[byte] = rest;
  }
  return out;
}

constexpr std::array kRemainders = remainders();

}  // namespace

std::unique_ptr<ByteSource> gzip_bytes(std::unique_ptr<ByteSource> /*below*/,
                                       const std::string& name) {
  refuse(name, "gzip");
}

std::unique_ptr<ByteSource> zstandard_bytes(std::unique_ptr<ByteSource> /*below*/,
                                            const std::string& name) {
  refuse(name, "Zstandard");
}

std::uint32_t checksum_of(std::span<const std::byte> bytes, std::uint32_t before) {
  std::uint32_t rest = ~before;
  for (const std::byte byte : bytes)
    rest = kRemainders[(rest ^ std::to_integer<std::uint32_t>(byte)) & 0xffU] ^ (rest >> 8U);
  return ~rest;
}

}  // namespace postrider::internal
