// Numbers as bytes, for messages between processes and for files of checkpoints: little-endian, in the order
// in which they are added.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "postrider/error.h"

namespace postrider::internal {

static_assert(std::endian::native == std::endian::little);

using Bytes = std::vector<std::byte>;

class Packer {
 public:
  template <class V>
  void add(const V& value) {
    static_assert(std::is_trivially_copyable_v<V>);
    append(&value, sizeof(V));
  }
  template <class V>
  void add(std::span<const V> values) {
    static_assert(std::is_trivially_copyable_v<V>);
    add(static_cast<std::uint64_t>(values.size()));
    append(values.data(), values.size_bytes());
  }
  template <class V, class A>
  void add(const std::vector<V, A>& values) {
    add(std::span<const V>(values));
  }

  // For so many more bytes.
  void reserve(std::size_t size) { bytes_.reserve(bytes_.size() + size); }
  Bytes take() { return std::move(bytes_); }

 private:
  void append(const void* from, std::size_t size) {
    if (size == 0) return;
    const auto* const begin = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), begin, begin + size);
  }

  Bytes bytes_;
};

// Throws CorruptFile, which names the source, if there are fewer bytes than are asked for.
class Unpacker {
 public:
  Unpacker(std::span<const std::byte> bytes, std::string source)
      : bytes_(bytes), source_(std::move(source)) {}

  template <class V>
  V read() {
    static_assert(std::is_trivially_copyable_v<V>);
    V out;
    std::memcpy(&out, next(sizeof(V)).data(), sizeof(V));
    return out;
  }
  template <class V>
  std::vector<V> read_all() {
    const std::span<const std::byte> from = next_of(sizeof(V));
    std::vector<V> out(from.size() / sizeof(V));
    if (!out.empty()) std::memcpy(out.data(), from.data(), from.size());
    return out;
  }
  // Exactly as many as fit.
  template <class V>
  void read_to(std::span<V> to) {
    const std::span<const std::byte> from = next_of(sizeof(V));
    if (from.size() != to.size_bytes()) fail("it has another number of values than expected");
    if (!to.empty()) std::memcpy(to.data(), from.data(), from.size());
  }
  // Where they lie.
  std::span<const std::byte> read_bytes() { return next_of(1); }
  bool is_empty() const { return bytes_.empty(); }
  void expect_end() const {
    if (!bytes_.empty()) fail("it is longer than expected");
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw CorruptFile("cannot read " + source_ + ": " + what);
  }

 private:
  std::span<const std::byte> next(std::size_t size) {
    if (size > bytes_.size()) fail("it ends too early");
    const std::span<const std::byte> out = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return out;
  }
  std::span<const std::byte> next_of(std::size_t size) {
    const auto count = read<std::uint64_t>();
    if (count > bytes_.size() / size) fail("it ends too early");
    return next(static_cast<std::size_t>(count) * size);
  }

  std::span<const std::byte> bytes_;
  std::string source_;
};

}  // namespace postrider::internal
