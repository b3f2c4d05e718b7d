// What is had from zlib and Zstandard; in a browser, where neither is, from compression_web.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "data/byte_source.h"

namespace postrider::internal {

// The bytes that were compressed. Several pieces may follow each other. Memory is bounded, whatever they say. `name` is for messages.
std::unique_ptr<ByteSource> gzip_bytes(std::unique_ptr<ByteSource> below, const std::string& name);
std::unique_ptr<ByteSource> zstandard_bytes(std::unique_ptr<ByteSource> below,
                                            const std::string& name);

// CRC-32 as zlib, gzip and PNG have it. Any one changed bit, and any change within 32 bits, gives
// another checksum; other changes are missed once in four thousand million. `before` is the checksum
// of what comes before these bytes.
std::uint32_t checksum_of(std::span<const std::byte> bytes, std::uint32_t before = 0);

}  // namespace postrider::internal
