#include "bench/attack/mutations.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "sealed.h"

namespace postrider::attack {
using namespace internal;
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<const char*, 16> kTexts{
    "0",     "-1",      "1",           "2",         "1e-46", "1e46",
    "1e308", "nan",     "inf",         "",          "yes",   "18446744073709551615",
    "0.5",   "float64", "conditioned", "classifier"};

template <class T>
T hostile_number(RandomStream& random) {
  using Limits = std::numeric_limits<T>;
  const std::array<T, 16> values{T{0},
                                 T{-1},
                                 Limits::quiet_NaN(),
                                 Limits::infinity(),
                                 -Limits::infinity(),
                                 Limits::denorm_min(),
                                 Limits::min(),
                                 Limits::max(),
                                 Limits::lowest(),
                                 static_cast<T>(1e-30),
                                 static_cast<T>(1e30),
                                 static_cast<T>(1e-12),
                                 static_cast<T>(1e12),
                                 static_cast<T>(-1e18),
                                 static_cast<T>(random.normal()),
                                 static_cast<T>(std::exp(40 * random.normal()))};
  return values[random.below(values.size())];
}

std::string& text_of(Json& value) { return value.get_ref<std::string&>(); }

// One of the file's arrays, or of its texts, that is not a checksum.
Json::iterator some_key(Json& object, RandomStream& random) {
  for (;;) {
    auto at = object.begin();
    std::advance(at, random.below(object.size()));
    if (!at.key().starts_with("checksum") && at.key() != "__metadata__") return at;
  }
}

void change_text(Json& metadata, RandomStream& random) {
  const auto at = some_key(metadata, random);
  std::string& text = text_of(at.value());
  if (text.empty() || random.below(2) == 0) {
    text = kTexts[random.below(kTexts.size())];
    return;
  }
  // A digit, or a printable character that JSON may or may not like.
  char& byte = text[random.below(text.size())];
  byte = static_cast<char>(random.below(2) == 0 ? '0' + random.below(10) : ' ' + random.below(94));
}

void change_entry(Json& entry, RandomStream& random) {
  switch (random.below(3)) {
    case 0:
      entry["dtype"] = random.below(2) == 0 ? "F64" : "U32";
      break;
    case 1:
      entry["shape"] = {random.below(20), std::uint64_t{1} << random.below(63)};
      break;
    default:
      entry["data_offsets"][random.below(2)] = random.below(5000);
  }
}

template <class T>
void change_numbers(std::string& data, std::size_t begin, std::size_t end, RandomStream& random) {
  const std::size_t count = (end - begin) / sizeof(T);
  if (count == 0) return;
  const bool all = random.below(4) == 0;
  const T value = hostile_number<T>(random);
  const std::size_t only = random.below(count);
  for (std::size_t k = all ? 0 : only; k < (all ? count : only + 1); ++k)
    std::memcpy(data.data() + begin + k * sizeof(T), &value, sizeof(T));
}

void change_array(Json& header, std::string& data, RandomStream& random) {
  const Json& entry = some_key(header, random).value();
  const auto begin = entry["data_offsets"][0].get<std::size_t>();
  const auto end = entry["data_offsets"][1].get<std::size_t>();
  if (entry["dtype"] == "F64")
    change_numbers<double>(data, begin, end, random);
  else
    change_numbers<float>(data, begin, end, random);
}

}  // namespace

std::string truncated(std::string bytes, RandomStream& random) {
  bytes.resize(random.below(bytes.size()));
  return bytes;
}

std::string with_changed_bit(std::string bytes, std::size_t from, std::size_t to,
                             RandomStream& random) {
  const std::size_t at = from + random.below(to - from);
  bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
  return bytes;
}

std::size_t header_end(const std::string& bytes) {
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  return sizeof length + length;
}

std::string with_changed_values(const std::string& bytes, RandomStream& random) {
  const std::size_t end = header_end(bytes);
  Json header = Json::parse(bytes.substr(sizeof(std::uint64_t), end - sizeof(std::uint64_t)));
  std::string data = bytes.substr(end);
  bool entries_are_whole = true;
  for (std::uint64_t changes = 1 + random.below(2); changes > 0; --changes) {
    const std::uint64_t kind = random.below(8);
    if (kind < 3) {
      change_text(header["__metadata__"], random);
    } else if (kind == 3) {
      change_entry(some_key(header, random).value(), random);
      entries_are_whole = false;
    } else if (entries_are_whole) {
      change_array(header, data, random);
    }
  }
  std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  while (text.size() % sizeof(std::uint64_t) != 0) text += ' ';
  std::string out(sizeof(std::uint64_t), '\0');
  const std::uint64_t length = text.size();
  std::memcpy(out.data(), &length, sizeof length);
  return resealed(out + text + data);
}

}  // namespace postrider::attack
