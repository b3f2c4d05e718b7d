#include "data/arrow_column.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "data/cell.h"
#include "data/cell_columns.h"
#include "data/date.h"
#include "postrider/error.h"

namespace postrider::internal {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 64;
constexpr std::int64_t kViewBytes = 16, kInlineBytes = 12;

constexpr std::array<std::pair<std::string_view, ArrowKind>, 18> kKinds{{
    {"n", ArrowKind::null},
    {"b", ArrowKind::boolean},
    {"c", ArrowKind::int8},
    {"C", ArrowKind::uint8},
    {"s", ArrowKind::int16},
    {"S", ArrowKind::uint16},
    {"i", ArrowKind::int32},
    {"I", ArrowKind::uint32},
    {"l", ArrowKind::int64},
    {"L", ArrowKind::uint64},
    {"e", ArrowKind::float16},
    {"f", ArrowKind::float32},
    {"g", ArrowKind::float64},
    {"tdD", ArrowKind::date32},
    {"tdm", ArrowKind::date64},
    {"u", ArrowKind::text},
    {"U", ArrowKind::large_text},
    {"vu", ArrowKind::text_view},
}};

// A colon and the name of a zone may follow. Their numbers are those of Greenwich, then.
constexpr std::array<std::pair<std::string_view, ArrowKind>, 4> kTimestamps{{
    {"tss:", ArrowKind::timestamp_seconds},
    {"tsm:", ArrowKind::timestamp_milliseconds},
    {"tsu:", ArrowKind::timestamp_microseconds},
    {"tsn:", ArrowKind::timestamp_nanoseconds},
}};

// By their beginnings, the longer ones first.
constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kOtherNames{{
    {"tt", "a time of day"},
    {"tD", "a duration"},
    {"ti", "an interval"},
    {"d:", "a decimal"},
    {"vz", "binary"},
    {"z", "binary"},
    {"Z", "binary"},
    {"w:", "binary"},
    {"+s", "a structure"},
    {"+m", "a map"},
    {"+r", "run-end encoded"},
    {"+", "a list or union"},
}};

constexpr std::array<std::string_view, 23> kNames{
    "unknown",     "null",        "boolean", "int8",   "uint8",       "int16",
    "uint16",      "int32",       "uint32",  "int64",  "uint64",      "float16",
    "float32",     "float64",     "a date",  "a date", "a timestamp", "a timestamp",
    "a timestamp", "a timestamp", "a text",  "a text", "a text"};

ArrowKind kind_of(std::string_view format) {
  for (const auto& [known, kind] : kKinds)
    if (format == known) return kind;
  for (const auto& [beginning, kind] : kTimestamps)
    if (format.starts_with(beginning)) return kind;
  return ArrowKind::other;
}

std::string name_of(std::string_view format) {
  const ArrowKind kind = kind_of(format);
  if (kind != ArrowKind::other) return std::string(kNames[static_cast<std::size_t>(kind)]);
  for (const auto& [beginning, name] : kOtherNames)
    if (format.substr(0, beginning.size()) == beginning)
      return std::string(name) + " (Arrow format " + shown(format) + ")";
  return "Arrow format " + shown(format);
}

bool is_whole_kind(ArrowKind kind) { return kind >= ArrowKind::int8 && kind <= ArrowKind::uint64; }
bool is_float_kind(ArrowKind kind) {
  return kind >= ArrowKind::float16 && kind <= ArrowKind::float64;
}
bool is_date_kind(ArrowKind kind) {
  return kind >= ArrowKind::date32 && kind <= ArrowKind::timestamp_nanoseconds;
}

// How many units of a date's number a second has; of days it has less than one.
double units_per_second(ArrowKind kind) {
  switch (kind) {
    case ArrowKind::date32:
      return 1.0 / 86'400;
    case ArrowKind::date64:
    case ArrowKind::timestamp_milliseconds:
      return 1e3;
    case ArrowKind::timestamp_microseconds:
      return 1e6;
    case ArrowKind::timestamp_nanoseconds:
      return 1e9;
    default:
      return 1;
  }
}

// Buffers need not be aligned.
template <class T>
T load(const void* from, std::int64_t at) {
  T out;
  std::memcpy(&out, static_cast<const char*>(from) + at * static_cast<std::int64_t>(sizeof(T)),
              sizeof(T));
  return out;
}

bool bit(const void* from, std::int64_t at) {
  return (static_cast<const unsigned char*>(from)[at / 8] >> (at % 8) & 1) != 0;
}

struct Half {
  std::uint16_t bits;
  explicit operator double() const {
    const int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
    double size = 0;
    if (exponent == 0x1f)
      size = fraction == 0 ? std::numeric_limits<double>::infinity() : kMissingNumber;
    else if (exponent == 0)
      size = std::ldexp(fraction, -24);
    else
      size = std::ldexp(fraction + 0x400, exponent - 25);
    return (bits & 0x8000) != 0 ? -size : size;
  }
};

// Calls `use` with a value of the type that an array of numbers has.
template <class Use>
void with_number_type(ArrowKind kind, const Use& use) {
  switch (kind) {
    case ArrowKind::int8:
      return use(std::int8_t{});
    case ArrowKind::uint8:
      return use(std::uint8_t{});
    case ArrowKind::int16:
      return use(std::int16_t{});
    case ArrowKind::uint16:
      return use(std::uint16_t{});
    case ArrowKind::int32:
    case ArrowKind::date32:
      return use(std::int32_t{});
    case ArrowKind::uint32:
      return use(std::uint32_t{});
    case ArrowKind::int64:
    case ArrowKind::date64:
    case ArrowKind::timestamp_seconds:
    case ArrowKind::timestamp_milliseconds:
    case ArrowKind::timestamp_microseconds:
    case ArrowKind::timestamp_nanoseconds:
      return use(std::int64_t{});
    case ArrowKind::uint64:
      return use(std::uint64_t{});
    case ArrowKind::float16:
      return use(Half{});
    case ArrowKind::float32:
      return use(float{});
    default:
      return use(double{});
  }
}

// The shortest text that reads back as the same number.
template <class T>
std::string_view written(T value, std::string& room) {
  room.resize(32);
  const auto [end, trouble] = std::to_chars(room.data(), room.data() + room.size(), value);
  return std::string_view(room).substr(0, static_cast<std::size_t>(end - room.data()));
}
std::string_view written(Half value, std::string& room) {
  return written(static_cast<float>(static_cast<double>(value)), room);
}

}  // namespace

bool ArrowType::is_readable() const {
  return kind != ArrowKind::other &&
         (!is_dictionary || (is_whole_kind(kind) && values != ArrowKind::other));
}
bool ArrowType::is_whole() const { return !is_dictionary && is_whole_kind(kind); }
bool ArrowType::is_number() const {
  return !is_dictionary && (is_whole_kind(kind) || is_float_kind(kind) || kind == ArrowKind::null);
}
bool ArrowType::is_date() const { return !is_dictionary && is_date_kind(kind); }

ArrowType arrow_type(const ArrowSchema& column) {
  ArrowType out;
  const std::string_view format = column.format == nullptr ? "" : column.format;
  out.kind = kind_of(format);
  out.name = name_of(format);
  if (column.dictionary == nullptr) return out;
  out.is_dictionary = true;
  const ArrowSchema& values = *column.dictionary;
  const std::string_view inner = values.format == nullptr ? "" : values.format;
  // A dictionary of dictionaries could go on for ever.
  if (values.dictionary == nullptr) out.values = kind_of(inner);
  out.name = "a dictionary of " + name_of(inner);
  return out;
}

ArrowColumn::ArrowColumn(const ArrowType& type, const ArrowArray& array, std::int64_t offset,
                         std::int64_t rows, std::string_view name)
    : kind_(type.kind),
      name_(name),
      begin_(0),
      rows_(rows),
      buffers_(array.buffers),
      buffer_count_(array.n_buffers) {
  if (array.offset < 0 || array.offset > kMost || array.length < 0 || array.length > kMost)
    fail("its offset or length is out of range");
  if (offset < 0 || rows < 0 || offset > array.length || rows > array.length - offset)
    fail("it is shorter than the batch");
  begin_ = array.offset + offset;
  check_buffers(array);
  if (kind_ != ArrowKind::null && array.null_count != 0 && buffer_count_ > 0)
    valid_ = static_cast<const unsigned char*>(buffers_[0]);
  bytes_ = checked_bytes();
  if (!type.is_dictionary) return;
  if (array.dictionary == nullptr) fail("its dictionary is not there");
  const ArrowArray& dictionary = *array.dictionary;
  values_ =
      std::make_unique<ArrowColumn>(ArrowType{type.values}, dictionary, 0, dictionary.length, name);
  bytes_ += values_->bytes();
  for (std::int64_t row = 0; row < rows; ++row)
    if (has_value(begin_ + row) && index(static_cast<std::size_t>(row)) >= values_->rows())
      fail("an index is none of its dictionary");
}

void ArrowColumn::fail(const std::string& why) const {
  throw CorruptFile("cannot read the Arrow stream: column " + shown(name_) + ": " + why);
}

void ArrowColumn::check_buffers(const ArrowArray& array) const {
  const bool with_offsets = kind_ == ArrowKind::text || kind_ == ArrowKind::large_text;
  const std::int64_t needed = kind_ == ArrowKind::null                        ? 0
                              : with_offsets || kind_ == ArrowKind::text_view ? 3
                                                                              : 2;
  const bool fits = kind_ == ArrowKind::text_view ? buffer_count_ >= needed && buffer_count_ < kMost
                                                  : buffer_count_ == needed;
  if (!fits) fail("it has " + std::to_string(buffer_count_) + " buffers");
  if (needed == 0 || array.length == 0) return;
  if (buffers_ == nullptr || buffers_[1] == nullptr) fail("its values are not there");
  if (array.null_count > 0 && buffers_[0] == nullptr)
    fail("it says that values are missing, and not which");
}

std::uint64_t ArrowColumn::checked_bytes() const {
  const auto rows = static_cast<std::uint64_t>(rows_);
  std::uint64_t out = 0;
  if (kind_ == ArrowKind::boolean) return (rows + 7) / 8;
  if (is_whole_kind(kind_) || is_float_kind(kind_) || is_date_kind(kind_))
    with_number_type(kind_, [&](auto sample) { out = rows * sizeof(sample); });
  else if (kind_ != ArrowKind::null)
    for (std::int64_t at = begin_; at < begin_ + rows_; ++at)
      if (has_value(at)) out += stored_text(at).size();
  return out;
}

bool ArrowColumn::has_value(std::int64_t at) const {
  return kind_ != ArrowKind::null && (valid_ == nullptr || bit(valid_, at));
}

bool ArrowColumn::is_missing(std::size_t row) const {
  const std::int64_t at = begin_ + static_cast<std::int64_t>(row);
  if (!has_value(at)) return true;
  if (values_) return values_->is_missing(index(row));
  if (!is_float_kind(kind_)) return false;
  double number = 0;
  read_numbers(row, 1, &number, 1);
  return std::isnan(number);
}

std::size_t ArrowColumn::index(std::size_t row) const {
  std::size_t out = 0;
  with_number_type(kind_, [&](auto sample) {
    using T = decltype(sample);
    // A negative one becomes larger than any dictionary.
    if constexpr (std::is_integral_v<T>)
      out = static_cast<std::size_t>(load<T>(buffers_[1], begin_ + static_cast<std::int64_t>(row)));
  });
  return out;
}

void ArrowColumn::read_numbers(std::size_t first, std::size_t count, double* to,
                               std::size_t stride) const {
  const std::int64_t begin = begin_ + static_cast<std::int64_t>(first);
  const auto size = static_cast<std::int64_t>(count);
  const auto place = [&](std::int64_t i) -> double& {
    return to[static_cast<std::size_t>(i) * stride];
  };
  if (kind_ == ArrowKind::null) {
    for (std::int64_t i = 0; i < size; ++i) place(i) = kMissingNumber;
    return;
  }
  if (kind_ == ArrowKind::boolean)
    for (std::int64_t i = 0; i < size; ++i) place(i) = bit(buffers_[1], begin + i) ? 1 : 0;
  else
    with_number_type(kind_, [&](auto sample) {
      for (std::int64_t i = 0; i < size; ++i)
        place(i) = static_cast<double>(load<decltype(sample)>(buffers_[1], begin + i));
    });
  if (is_date_kind(kind_))
    for (std::int64_t i = 0; i < size; ++i) place(i) /= units_per_second(kind_);
  if (valid_ == nullptr) return;
  for (std::int64_t i = 0; i < size; ++i)
    if (!bit(valid_, begin + i)) place(i) = kMissingNumber;
}

std::string_view ArrowColumn::text(std::size_t row, std::string& room) const {
  if (values_) return values_->text(index(row), room);
  const std::int64_t at = begin_ + static_cast<std::int64_t>(row);
  if (kind_ == ArrowKind::boolean) return bit(buffers_[1], at) ? "true" : "false";
  if (kind_ >= ArrowKind::text) return stored_text(at);
  if (is_date_kind(kind_)) {
    double seconds = 0;
    read_numbers(row, 1, &seconds, 1);
    room = is_in_calendar(seconds) ? date_text(seconds) : "a date beyond the year 9999";
    return room;
  }
  std::string_view out;
  with_number_type(
      kind_, [&](auto sample) { out = written(load<decltype(sample)>(buffers_[1], at), room); });
  return out;
}

std::string_view ArrowColumn::stored_text(std::int64_t at) const {
  if (kind_ == ArrowKind::text) return offset_text<std::int32_t>(at);
  if (kind_ == ArrowKind::large_text) return offset_text<std::int64_t>(at);
  return viewed_text(at);
}

template <class Offset>
std::string_view ArrowColumn::offset_text(std::int64_t at) const {
  const std::int64_t begin = load<Offset>(buffers_[1], at), end = load<Offset>(buffers_[1], at + 1);
  if (begin < 0 || end < begin) fail("the offsets of its texts do not ascend");
  if (begin == end) return "";
  if (buffers_[2] == nullptr) fail("its texts are not there");
  return {static_cast<const char*>(buffers_[2]) + begin, static_cast<std::size_t>(end - begin)};
}

std::string_view ArrowColumn::viewed_text(std::int64_t at) const {
  const char* const view = static_cast<const char*>(buffers_[1]) + at * kViewBytes;
  const std::int64_t length = load<std::int32_t>(view, 0);
  if (length < 0) fail("the length of a text is negative");
  if (length <= kInlineBytes) return {view + 4, static_cast<std::size_t>(length)};
  const std::int64_t buffer = load<std::int32_t>(view, 2), begin = load<std::int32_t>(view, 3);
  // Validity, views, the buffers of texts, and their sizes.
  const std::int64_t texts = buffer_count_ - 3;
  if (buffer < 0 || buffer >= texts) fail("a text is in none of its buffers");
  const void *const bytes = buffers_[2 + buffer], *const sizes = buffers_[buffer_count_ - 1];
  if (bytes == nullptr || sizes == nullptr) fail("its texts are not there");
  if (begin < 0 || begin > load<std::int64_t>(sizes, buffer) - length)
    fail("a text ends outside of its buffer");
  return {static_cast<const char*>(bytes) + begin, static_cast<std::size_t>(length)};
}

}  // namespace postrider::internal
