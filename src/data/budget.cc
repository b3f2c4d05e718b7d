#include "postrider/budget.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/number_text.h"
#include "postrider/error.h"

namespace postrider {
using namespace internal;
namespace {

constexpr double kKibi = 1024, kMebi = kKibi * kKibi;
// The program itself with its threads, and least that messages may have.
constexpr double kProgram = 64 * kMebi, kLeastStore = 8 * kMebi;
// A table is held as it was read, and as inputs that are encoded: copies of it.
constexpr double kCopies = 3;

using Units = std::initializer_list<std::pair<const char*, double>>;

std::string without_blanks(std::string text) {
  std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
  return text;
}

// A number above 0 and one of the units, in capitals or not.
double measured(const std::string& option, const std::string& given, const Units& units,
                const std::string& accepted) {
  const std::string text = without_blanks(given);
  double number = 0;
  const auto read = read_number(text, number);
  std::string unit(read.ptr, text.data() + text.size());
  for (char& c : unit) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (read.ec == std::errc() && number > 0 && std::isfinite(number))
    for (const auto& [name, factor] : units)
      if (unit == name) return number * factor;
  reject(option, given, accepted);
}

}  // namespace

double seconds_of(const std::string& option, const std::string& text) {
  constexpr double kMinute = 60, kHour = 3600, kDay = 86400;
  return measured(option, text,
                  {{"", 1}, {"s", 1}, {"m", kMinute}, {"min", kMinute}, {"h", kHour}, {"d", kDay}},
                  "must be a time above 0, such as 90s, 10m or 1.5h");
}

std::size_t bytes_of(const std::string& option, const std::string& text) {
  constexpr const char* kAccepted = "must be a size of at least 1 byte, such as 512M or 2G";
  constexpr double kGibi = kMebi * kKibi, kTebi = kGibi * kKibi, kMost = 1e18;
  const double bytes = measured(option, text,
                                {{"", 1},
                                 {"b", 1},
                                 {"k", kKibi},
                                 {"kb", kKibi},
                                 {"kib", kKibi},
                                 {"m", kMebi},
                                 {"mb", kMebi},
                                 {"mib", kMebi},
                                 {"g", kGibi},
                                 {"gb", kGibi},
                                 {"gib", kGibi},
                                 {"t", kTebi},
                                 {"tb", kTebi},
                                 {"tib", kTebi}},
                                kAccepted);
  if (bytes < 1 || bytes > kMost) reject(option, text, kAccepted);
  return static_cast<std::size_t>(bytes);
}

std::size_t cell_bytes(const Table& table) {
  std::size_t out = 0;
  for (std::size_t c = 0; c < table.schema().columns.size(); ++c)
    out += table.column(c).numbers.size() * sizeof(double) +
           table.column(c).codes.size() * sizeof(std::uint32_t);
  return out;
}

std::size_t store_bytes(const std::string& option, const std::string& limit, std::size_t data_bytes,
                        const std::string& advice) {
  const double held = kProgram + kCopies * static_cast<double>(data_bytes);
  const double left = static_cast<double>(bytes_of(option, limit)) - held;
  if (left < kLeastStore) {
    const auto least = static_cast<std::uint64_t>(std::ceil((held + kLeastStore) / kMebi));
    reject(option, limit,
           "must be at least " + std::to_string(least) + "M for a table of this size; " + advice);
  }
  return static_cast<std::size_t>(left);
}

}  // namespace postrider
