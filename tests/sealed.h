// Files changed on purpose, with checksums that agree again: what is tested then is what comes after
// the checksums.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "data/safetensors.h"

namespace postrider {
using namespace internal;

// The bytes of a safetensors file whose checksums, wherever they can be found, are made to fit.
inline std::string resealed(std::string bytes) {
  std::uint64_t length = 0;
  if (bytes.size() < sizeof length) return bytes;
  std::memcpy(&length, bytes.data(), sizeof length);
  if (length > bytes.size() - sizeof length) return bytes;
  const std::size_t data = sizeof length + length;
  const std::string header = bytes.substr(sizeof length, length);
  const auto put = [&](std::size_t at_digits, std::uint32_t checksum) {
    bytes.replace(sizeof length + at_digits, kChecksumDigits, checksum_text(checksum));
  };
  const std::string key = "\"checksum.";
  for (std::size_t at = header.find(key); at != std::string::npos; at = header.find(key, at + 1)) {
    const std::size_t end = header.find('"', at + key.size());
    if (end == std::string::npos) break;
    const std::string name = header.substr(at + key.size(), end - at - key.size());
    const std::size_t entry = header.find("\"" + name + "\":{");
    const std::string offsets = "\"data_offsets\":[";
    const std::size_t where = entry == std::string::npos ? entry : header.find(offsets, entry);
    if (where == std::string::npos) continue;
    const char* numbers = header.c_str() + where + offsets.size();
    char* next = nullptr;
    const std::uint64_t begin = std::strtoull(numbers, &next, 10);
    const std::uint64_t stop = *next == ',' ? std::strtoull(next + 1, nullptr, 10) : 0;
    if (begin > stop || stop > bytes.size() - data || end + 3 + kChecksumDigits > header.size())
      continue;
    const std::string_view array = std::string_view(bytes).substr(data + begin, stop - begin);
    put(end + 3, checksum_of(std::as_bytes(std::span(array))));
  }
  const std::string own = "\"checksum\":\"";
  const std::size_t found = header.find(own);
  if (found == std::string::npos || found + own.size() + kChecksumDigits > header.size())
    return bytes;
  bytes.replace(sizeof length + found + own.size(), kChecksumDigits, checksum_text(0));
  const std::string_view front = std::string_view(bytes).substr(0, data);
  const std::uint32_t sum = checksum_of(std::as_bytes(std::span(front)));
  put(found + own.size(), sum);
  return bytes;
}

}  // namespace postrider
