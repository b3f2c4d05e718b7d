#include "data/date_words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace postrider::internal {
namespace {

constexpr std::size_t kMostLooked = 300;  // texts of a column
constexpr std::size_t kLeastTexts = 3;
constexpr double kLeastShare = 0.9;
constexpr std::size_t kLongest = 40;  // bytes of a date

// Months in English, German, French, Spanish and Italian, of which texts have the first letters or all.
constexpr std::array<std::string_view, 56> kMonths{
    "january",   "february",   "march",     "april",     "may",       "june",     "july",
    "august",    "september",  "october",   "november",  "december",  "sept",     "januar",
    "februar",   "märz",       "maerz",     "mai",       "juni",      "juli",     "oktober",
    "dezember",  "janvier",    "février",   "fevrier",   "mars",      "avril",    "juin",
    "juillet",   "août",       "aout",      "septembre", "octobre",   "novembre", "décembre",
    "enero",     "febrero",    "marzo",     "abril",     "mayo",      "agosto",   "octubre",
    "diciembre", "septiembre", "noviembre", "junio",     "julio",     "gennaio",  "febbraio",
    "aprile",    "maggio",     "giugno",    "luglio",    "settembre", "ottobre",  "dicembre"};
// Words that may stand beside them.
constexpr std::array<std::string_view, 28> kOthers{
    "mon",    "tue",     "wed",       "thu",      "fri",    "sat",      "sun",
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    "st",     "nd",      "rd",        "th",       "of",     "de",       "am",
    "pm",     "at",      "utc",       "gmt",      "t",      "z",        "tues"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

std::string small_letters(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

bool is_month(const std::string& word) {
  constexpr std::size_t kLeastLetters = 3;
  return word.size() >= kLeastLetters && std::ranges::any_of(kMonths, [&](std::string_view month) {
           return month.starts_with(word);
         });
}

struct Number {
  int value = 0;
  std::size_t digits = 0;
};

// What a text consists of; `is_plain` while it has nothing else than words, numbers and what stands between them.
struct Parts {
  std::vector<Number> numbers = {};
  std::size_t months = 0;
  std::string between = {};  // signs between the numbers
  bool is_plain = true;
  bool has_clock = false;
};

std::string_view taken(std::string_view& text, bool (*is_of)(char)) {
  std::size_t count = 0;
  while (count < text.size() && is_of(text[count])) ++count;
  const std::string_view out = text.substr(0, count);
  text.remove_prefix(count);
  return out;
}

void take_number(std::string_view& text, Parts& to) {
  const std::string_view digits = taken(text, is_digit);
  if (digits.size() > 4) to.is_plain = false;
  Number number{0, digits.size()};
  for (const char c : digits.substr(0, 4)) number.value = 10 * number.value + (c - '0');
  to.numbers.push_back(number);
}

Parts parts_of(std::string_view text) {
  constexpr std::string_view kBetween = " ,.-/'";
  Parts out;
  while (!text.empty() && out.is_plain) {
    if (is_digit(text.front())) {
      take_number(text, out);
    } else if (is_letter(text.front())) {
      const std::string word = small_letters(taken(text, is_letter));
      if (is_month(word))
        ++out.months;
      else
        out.is_plain = std::ranges::find(kOthers, word) != kOthers.end();
    } else if (text.front() == ':') {
      out.has_clock = true;
      text.remove_prefix(1);
    } else {
      out.is_plain = kBetween.find(text.front()) != std::string_view::npos;
      out.between += text.front();
      text.remove_prefix(1);
    }
  }
  return out;
}

bool is_year(const Number& number) {
  return number.digits == 4 && number.value >= 1000 && number.value < 3000;
}
bool is_day(const Number& number) {
  return number.digits <= 2 && number.value >= 1 && number.value <= 31;
}
bool is_month_number(const Number& number) {
  return number.digits <= 2 && number.value >= 1 && number.value <= 12;
}

// With the name of a month: a year, or a day with a year of two digits.
bool has_day_beside_month(const Parts& parts) {
  if (parts.months != 1 || parts.numbers.empty()) return false;
  const bool has_year = std::ranges::any_of(parts.numbers, is_year);
  const bool has_two =
      parts.numbers.size() >= 2 && is_day(parts.numbers[0]) && parts.numbers[1].digits == 2;
  return (has_year || has_two) && parts.numbers.size() <= (parts.has_clock ? 5U : 2U);
}

// Numbers alone: 24/10/24, or a month and a year.
bool are_short(const Parts& parts) {
  if (parts.months > 0 || parts.has_clock || parts.between.empty()) return false;
  const bool is_one_sign =
      parts.between.find_first_not_of(parts.between.front()) == std::string::npos;
  const bool is_sign = parts.between.front() == '/' || parts.between.front() == '-' ||
                       (parts.between.front() == '.' && parts.numbers.size() == 3);
  if (!is_one_sign || !is_sign || parts.between.size() + 1 != parts.numbers.size()) return false;
  if (parts.numbers.size() == 3)
    return std::ranges::all_of(parts.numbers,
                               [](const Number& each) { return each.digits <= 2; }) &&
           parts.numbers[2].digits == 2 && is_day(parts.numbers[0]) && is_day(parts.numbers[1]) &&
           (is_month_number(parts.numbers[0]) || is_month_number(parts.numbers[1]));
  if (parts.numbers.size() != 2) return false;
  return (is_year(parts.numbers[0]) && is_month_number(parts.numbers[1]) &&
          parts.numbers[1].digits == 2) ||
         (is_month_number(parts.numbers[0]) && is_year(parts.numbers[1]));
}

}  // namespace

bool looks_like_date(std::string_view text) {
  if (text.size() > kLongest) return false;
  const Parts parts = parts_of(text);
  return parts.is_plain && (has_day_beside_month(parts) || are_short(parts));
}

bool look_like_dates(std::span<const std::string> texts) {
  const std::size_t step = std::max<std::size_t>(1, texts.size() / kMostLooked);
  std::size_t looked = 0, dates = 0;
  for (std::size_t k = 0; k < texts.size(); k += step, ++looked)
    dates += looks_like_date(texts[k]) ? 1 : 0;
  return dates >= kLeastTexts &&
         static_cast<double>(dates) >= kLeastShare * static_cast<double>(looked);
}

bool is_day_number(double number) {
  if (!(number >= 19'000'101 && number <= 20'991'231) || std::floor(number) != number) return false;
  const int day = static_cast<int>(number) % 100, month = static_cast<int>(number) / 100 % 100;
  constexpr std::array kDays{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month >= 1 && month <= 12 && day >= 1 && day <= kDays[static_cast<std::size_t>(month - 1)];
}

}  // namespace postrider::internal
