// A checksum for files: to notice damage, not to withstand an adversary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <istream>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/compression.h"
#include "data/safetensors_header.h"

namespace postrider::internal {

constexpr std::size_t kChecksumDigits = 8;
std::string checksum_text(std::uint32_t checksum);  // hexadecimal digits
// Nothing if it is not one that checksum_text() writes.
std::optional<std::uint32_t> read_checksum(std::string_view text);

// --- Named arrays in one file, in the safetensors format: eight bytes of header length, a header in
// JSON, then the arrays. Opens in one line of Python; holds no code.
//
// Checksums are in the metadata, so that other readers need not know of them: `checksum.<array>` for
// the bytes of each array, and `checksum` for the header, with its own digits as zeros and the eight
// bytes of its length before it. A file has all of them or none.

template <class T>
constexpr ElementType element_type();
template <>
constexpr ElementType element_type<float>() {
  return ElementType::float32;
}
template <>
constexpr ElementType element_type<double>() {
  return ElementType::float64;
}
template <>
constexpr ElementType element_type<std::uint32_t>() {
  return ElementType::uint32;
}

// An array to be written; points to the caller's memory.
struct TensorView {
  std::string name;
  ElementType type;
  std::vector<std::size_t> shape;
  std::span<const std::byte> bytes;
};

template <class T>
TensorView view_of(std::string name, std::vector<std::size_t> shape, std::span<const T> values) {
  return {std::move(name), element_type<T>(), std::move(shape), std::as_bytes(values)};
}

// Writes a whole file or none, with a FileWriter. Throws FileError if it cannot.
void write_safetensors(const std::string& path, const std::vector<TensorView>& tensors,
                       const std::map<std::string, std::string>& metadata);
// The same bytes. What becomes of them is the stream's matter.
void write_safetensors(std::ostream& to, const std::vector<TensorView>& tensors,
                       const std::map<std::string, std::string>& metadata);

// Reads arrays by name. Throws FileError if the file cannot be read, and CorruptFile, naming the file,
// if it is damaged, misses an array, or holds it with another type or shape.
class SafetensorsReader {
 public:
  explicit SafetensorsReader(const std::string& path);
  // From a stream that can seek; messages call it so.
  SafetensorsReader(std::unique_ptr<std::istream> from, const std::string& called);

  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  // Whether its bytes are guarded; files of version 0.1 are not.
  bool has_checksums() const { return has_checksums_; }
  bool has(const std::string& name) const;
  std::vector<std::size_t> shape(const std::string& name) const;

  template <class T>
  void read(const std::string& name, const std::vector<std::size_t>& shape, std::span<T> to) {
    read_bytes(name, element_type<T>(), shape, std::as_writable_bytes(to));
  }

 private:
  std::string read_text();
  void expect_checksums(const std::string& text);
  const TensorEntry& find(const std::string& name) const;
  void read_bytes(const std::string& name, ElementType type, const std::vector<std::size_t>& shape,
                  std::span<std::byte> to);
  [[noreturn]] void fail(const std::string& what) const;

  std::string path_;
  std::unique_ptr<std::istream> file_;
  std::uint64_t data_begin_ = 0, data_bytes_ = 0;
  bool has_checksums_ = false;
  std::map<std::string, std::string> metadata_, checksums_;
  std::map<std::string, TensorEntry> entries_;
};

}  // namespace postrider::internal
