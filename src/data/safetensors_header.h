// The JSON header of a safetensors file, as text and as what it says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace postrider::internal {

enum class ElementType { float32, float64, uint32, other };  // other: not one of ours

std::string_view name_of(ElementType type);
std::size_t size_of(ElementType type);

// An array of the file; offsets count from the end of the header.
struct TensorEntry {
  ElementType type = ElementType::other;
  std::vector<std::size_t> shape;
  std::uint64_t begin = 0, end = 0;
};

struct SafetensorsHeader {
  std::map<std::string, std::string> metadata;
  std::map<std::string, TensorEntry> entries;
};

// What the header must keep to, so that a file cannot take more time or memory than its size warrants.
constexpr std::size_t kLargestHeader = 100'000'000;  // bytes; the format's own limit
constexpr std::size_t kMostKeys = 200'000;           // arrays and texts together
constexpr std::size_t kMostExtents = 16;             // numbers of a shape

// Why a text is not a header, in words.
struct MalformedHeader {
  std::string reason;
};

// Throws MalformedHeader if the text is not the header of a file with so many
// bytes of arrays: malformed, twice the same key, arrays that overlap, leave holes, or do not end
// where the file does.
SafetensorsHeader read_header(std::string_view text, std::uint64_t data_bytes);

// In the order given, followed by spaces up to a multiple of eight bytes. Bytes that are not UTF-8,
// which JSON cannot hold, are replaced.
std::string write_header(const std::map<std::string, std::string>& metadata,
                         const std::vector<std::pair<std::string, TensorEntry>>& entries);

}  // namespace postrider::internal
