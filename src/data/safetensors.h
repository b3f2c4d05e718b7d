// Named arrays in one file, in the safetensors format: eight bytes of header length, a header in
// JSON, then the arrays. Opens in one line of Python; holds no code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <istream>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace postrider {

enum class ElementType { float32, float64, uint32 };

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

// Writes to a file beside `path` and renames it: a reader, or a crash, never sees half a file.
// Throws Error if it cannot.
void write_safetensors(const std::string& path, const std::vector<TensorView>& tensors,
                       const std::map<std::string, std::string>& metadata);
// The same bytes. What becomes of them is the stream's matter.
void write_safetensors(std::ostream& to, const std::vector<TensorView>& tensors,
                       const std::map<std::string, std::string>& metadata);

// Reads arrays by name. Throws Error, naming the file, if it is damaged, misses an array, or holds
// it with another type or shape.
class SafetensorsReader {
 public:
  explicit SafetensorsReader(const std::string& path);
  // From a stream that can seek; `path` is for messages.
  SafetensorsReader(std::unique_ptr<std::istream> from, const std::string& path);

  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  bool has(const std::string& name) const { return entries_.contains(name); }
  std::vector<std::size_t> shape(const std::string& name) const;

  template <class T>
  void read(const std::string& name, const std::vector<std::size_t>& shape, std::span<T> to) {
    read_bytes(name, element_type<T>(), shape, std::as_writable_bytes(to));
  }

 private:
  struct Entry {
    ElementType type;
    std::vector<std::size_t> shape;
    std::uint64_t begin, end;
  };

  void expect_disjoint() const;
  const Entry& find(const std::string& name) const;
  void read_bytes(const std::string& name, ElementType type, const std::vector<std::size_t>& shape,
                  std::span<std::byte> to);
  [[noreturn]] void fail(const std::string& what) const;

  std::string path_;
  std::unique_ptr<std::istream> file_;
  std::uint64_t data_begin_ = 0;
  std::map<std::string, std::string> metadata_;
  std::map<std::string, Entry> entries_;
};

}  // namespace postrider
