// One column of an Arrow record batch: what its type is, and its cells as numbers or texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "postrider/arrow.h"

namespace postrider::internal {

enum class ArrowKind {
  other,  // that cannot be read
  null,
  boolean,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  float16,
  float32,
  float64,
  date32,  // days
  date64,  // milliseconds
  timestamp_seconds,
  timestamp_milliseconds,
  timestamp_microseconds,
  timestamp_nanoseconds,
  text,
  large_text,
  text_view,
};

struct ArrowType {
  ArrowKind kind = ArrowKind::other;    // of a dictionary, that of its indices
  ArrowKind values = ArrowKind::other;  // of a dictionary
  bool is_dictionary = false;
  std::string name = {};  // for messages

  bool is_readable() const;
  bool is_whole() const;   // integers
  bool is_number() const;  // or nothing at all
  bool is_date() const;
  bool is_text() const { return is_readable() && !is_number() && !is_date(); }
};
ArrowType arrow_type(const ArrowSchema& column);
// What may be asked for instead of a type that cannot be read.
inline constexpr const char* kReadableTypes =
    "integers, floats, booleans, dates, timestamps, texts and dictionaries of these can be read";

// Some cells. The array must outlive it.
class ArrowColumn {
 public:
  // The rows [offset, offset + rows) of the array, counted from the array's own offset. Throws Error
  // if it contradicts its type or itself; `name` is for messages.
  ArrowColumn(const ArrowType& type, const ArrowArray& array, std::int64_t offset,
              std::int64_t rows, std::string_view name);

  std::size_t rows() const { return static_cast<std::size_t>(rows_); }
  std::uint64_t bytes() const { return bytes_; }  // of its values
  bool is_missing(std::size_t row) const;
  // For numbers, booleans and dates, which are seconds since 1970; NaN where missing. One every `stride` places.
  void read_numbers(std::size_t first, std::size_t count, double* to, std::size_t stride) const;
  // A cell as it would be written, valid until `room` changes. Not of a missing one.
  std::string_view text(std::size_t row, std::string& room) const;

  // For a dictionary: its values, and which of them a row has that is not missing.
  const ArrowColumn& values() const { return *values_; }
  std::size_t index(std::size_t row) const;

 private:
  [[noreturn]] void fail(const std::string& why) const;
  void check_buffers(const ArrowArray& array) const;
  // All texts are looked at, so that none fails later.
  std::uint64_t checked_bytes() const;
  bool has_value(std::int64_t at) const;
  std::string_view stored_text(std::int64_t at) const;
  std::string_view viewed_text(std::int64_t at) const;
  template <class Offset>
  std::string_view offset_text(std::int64_t at) const;

  ArrowKind kind_;
  std::string name_;
  std::int64_t begin_, rows_;
  const void** buffers_;
  std::int64_t buffer_count_;
  const unsigned char* valid_ = nullptr;  // nullptr: none is missing
  std::uint64_t bytes_ = 0;
  std::unique_ptr<ArrowColumn> values_;
};

}  // namespace postrider::internal
