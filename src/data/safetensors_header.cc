#include "data/safetensors_header.h"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace postrider::internal {
namespace {

using Json = nlohmann::json;

constexpr const char* kMetadata = "__metadata__";
constexpr std::size_t kAlignment = 8;  // of the first array

struct TypeName {
  ElementType type;
  std::string_view name;
  std::size_t size;
};
constexpr std::array<TypeName, 3> kTypes{{{ElementType::float32, "F32", 4},
                                          {ElementType::float64, "F64", 8},
                                          {ElementType::uint32, "U32", 4}}};

// Takes the header piece by piece as the parser finds it: nothing is kept that is not wanted, and
// the first piece that is wrong ends the parsing. Depth 1 is the header, 2 an array's entry or the
// metadata, 3 a list of numbers.
class HeaderReader : public nlohmann::json_sax<Json> {
 public:
  SafetensorsHeader header;
  std::string trouble;

  bool start_object(std::size_t /*size*/) override {
    ++depth_;
    if (depth_ == 1) return true;
    if (depth_ != 2) return malformed();
    in_metadata_ = name_ == kMetadata;
    entry_ = {};
    seen_.clear();
    return true;
  }
  bool end_object() override {
    if (--depth_ != 1) return true;
    if (in_metadata_) {
      has_metadata_ = true;
    } else {
      if (seen_.size() != 3) return malformed();
      header.entries.emplace(name_, std::move(entry_));
    }
    in_metadata_ = false;
    return true;
  }
  bool start_array(std::size_t /*size*/) override {
    ++depth_;
    if (depth_ == 1) return fail("its header is not a JSON object");
    if (depth_ != 3 || in_metadata_ || (field_ != "shape" && field_ != "data_offsets"))
      return malformed();
    numbers_.clear();
    return true;
  }
  bool end_array() override {
    --depth_;
    if (field_ == "shape") {
      // Where addresses have 32 bits no array is so large.
      if (!std::ranges::all_of(numbers_, [](auto n) { return std::in_range<std::size_t>(n); }))
        return malformed();
      entry_.shape.assign(numbers_.begin(), numbers_.end());
      numbers_.clear();
      return true;
    }
    if (numbers_.size() != 2) return malformed();
    entry_.begin = numbers_[0];
    entry_.end = numbers_[1];
    return true;
  }
  bool key(std::string& text) override {
    if (++keys_ > 4 * kMostKeys) return fail("its header has too many keys");
    if (depth_ == 1) {
      name_ = std::move(text);
      const bool known = name_ == kMetadata ? has_metadata_ : header.entries.contains(name_);
      if (known) return fail("its header has the key " + name_ + " twice");
      return header.entries.size() < kMostKeys || fail("its header has too many keys");
    }
    field_ = std::move(text);
    if (in_metadata_) {
      if (header.metadata.contains(field_))
        return fail("its header has the key " + field_ + " twice");
      return header.metadata.size() < kMostKeys || fail("its header has too many keys");
    }
    const bool known = field_ == "dtype" || field_ == "shape" || field_ == "data_offsets";
    return (known && seen_.insert(field_).second) || malformed();
  }
  bool string(std::string& text) override {
    if (depth_ != 2) return depth_ == 0 ? not_an_object() : malformed();
    if (in_metadata_) {
      header.metadata.emplace(std::move(field_), std::move(text));
      return true;
    }
    if (field_ != "dtype") return malformed();
    for (const TypeName& known : kTypes)
      if (text == known.name) entry_.type = known.type;
    return true;
  }
  // Only what is written as a whole number is one: a conversion would take 2.5 or -1 as well.
  bool number_unsigned(std::uint64_t number) override {
    if (depth_ != 3 || numbers_.size() >= kMostExtents)
      return depth_ == 0 ? not_an_object() : malformed();
    numbers_.push_back(number);
    return true;
  }
  bool null() override { return wrong_value(); }
  bool boolean(bool /*value*/) override { return wrong_value(); }
  bool number_integer(std::int64_t /*value*/) override { return wrong_value(); }
  bool number_float(double /*value*/, const std::string& /*text*/) override {
    return wrong_value();
  }
  bool binary(Json::binary_t& /*value*/) override { return wrong_value(); }
  bool parse_error(std::size_t /*at*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    return not_an_object();
  }

 private:
  bool fail(const std::string& what) {
    if (trouble.empty()) trouble = what;
    return false;
  }
  bool not_an_object() { return fail("its header is not a JSON object"); }
  bool malformed() { return fail("its header's entry " + name_ + " is malformed"); }
  bool wrong_value() { return depth_ == 0 ? not_an_object() : malformed(); }

  std::size_t depth_ = 0, keys_ = 0;
  bool in_metadata_ = false, has_metadata_ = false;
  std::string name_, field_;  // the last keys of depth 1 and 2
  TensorEntry entry_;
  std::set<std::string> seen_;  // fields of the entry
  std::vector<std::uint64_t> numbers_;
};

// The number of bytes of an array, or nothing if it does not fit 64 bits.
bool byte_size(const TensorEntry& entry, std::uint64_t& out) {
  out = size_of(entry.type);
  for (const std::size_t extent : entry.shape) {
    if (extent != 0 && out > std::numeric_limits<std::uint64_t>::max() / extent) return false;
    out *= extent;
  }
  return true;
}

void expect_inside(const std::string& name, const TensorEntry& entry, std::uint64_t data_bytes) {
  std::uint64_t expected = 0;
  const bool fits = entry.begin <= entry.end &&
                    (entry.type == ElementType::other ||
                     (byte_size(entry, expected) && expected == entry.end - entry.begin));
  if (fits && entry.end <= data_bytes) return;
  throw MalformedHeader{"the array " + name + " does not lie in the file as its header says" +
                        (fits ? "; the file is cut short, by " +
                                    std::to_string(entry.end - data_bytes) +
                                    " bytes at least; was it copied or written as a whole?"
                              : "")};
}

// One after the other, without holes, from the header's end to the file's: no byte belongs to none,
// or to two.
void expect_tiled(const std::map<std::string, TensorEntry>& entries, std::uint64_t data_bytes) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> places;
  for (const auto& [name, entry] : entries) places.emplace_back(entry.begin, entry.end);
  std::ranges::sort(places);
  std::uint64_t last = 0;
  for (const auto& [begin, end] : places) {
    if (begin < last) throw MalformedHeader{"its arrays overlap"};
    last = end;
  }
  last = 0;
  for (const auto& [begin, end] : places) {
    if (begin != last) throw MalformedHeader{"it has bytes between its arrays that belong to none"};
    last = end;
  }
  if (last != data_bytes)
    throw MalformedHeader{"it has bytes after its arrays that belong to none"};
}

std::string quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <class N>
std::string list_of(const std::vector<N>& numbers) {
  std::string out = "[";
  for (const N number : numbers) {
    if (out.size() > 1) out += ',';
    out += std::to_string(number);
  }
  return out + "]";
}

}  // namespace

std::string_view name_of(ElementType type) {
  for (const TypeName& known : kTypes)
    if (known.type == type) return known.name;
  return "of another type";
}

std::size_t size_of(ElementType type) {
  for (const TypeName& known : kTypes)
    if (known.type == type) return known.size;
  return 0;
}

SafetensorsHeader read_header(std::string_view text, std::uint64_t data_bytes) {
  HeaderReader reader;
  if (text.empty() || text.front() != '{') throw MalformedHeader{"its header is not a JSON object"};
  if (!Json::sax_parse(text.begin(), text.end(), &reader)) throw MalformedHeader{reader.trouble};
  for (const auto& [name, entry] : reader.header.entries) expect_inside(name, entry, data_bytes);
  expect_tiled(reader.header.entries, data_bytes);
  return std::move(reader.header);
}

std::string write_header(const std::map<std::string, std::string>& metadata,
                         const std::vector<std::pair<std::string, TensorEntry>>& entries) {
  std::string out = "{";
  const auto begin_key = [&](const std::string& name) {
    if (out.back() != '{') out += ',';
    out += quoted(name) + ":";
  };
  if (!metadata.empty()) {
    begin_key(kMetadata);
    out += '{';
    for (const auto& [key, value] : metadata) {
      begin_key(key);
      out += quoted(value);
    }
    out += '}';
  }
  for (const auto& [name, entry] : entries) {
    begin_key(name);
    out += "{\"dtype\":\"" + std::string(name_of(entry.type)) +
           "\",\"shape\":" + list_of(entry.shape) +
           ",\"data_offsets\":" + list_of(std::vector{entry.begin, entry.end}) + "}";
  }
  out += '}';
  out.append((kAlignment - out.size() % kAlignment) % kAlignment, ' ');
  return out;
}

}  // namespace postrider::internal
