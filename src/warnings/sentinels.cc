// Numbers that stand for a missing one: -999, 9999, -1 among amounts, dates of 1900 among those of today.
#include <algorithm>
#include <array>
#include <cmath>

#include "warnings/checks.h"

namespace postrider::internal {
namespace {

constexpr std::size_t kLeastTimes = 3, kLeastTimesUnusual = 5;
constexpr std::size_t kLeastOthers = 10;  // different numbers beside it
constexpr std::size_t kFewOthers = 3;     // where it lies far beyond them
// How far it lies from all others, in units of their range, and where it is no usual one.
constexpr double kLeastGap = 0.1, kGapOfFew = 2, kGapOfUnusual = 3;
constexpr double kSecondsOfDay = 86'400;

// Nines alone, at least two, or the ends of what computers count to.
bool is_usual(double number) {
  constexpr std::array kEnds{-32768.0, 32767.0, 65535.0, -2147483648.0, 2147483647.0, 4294967295.0};
  const double size = std::abs(number);
  double nines = 9;
  for (int digits = 1; digits <= 10; ++digits, nines = nines * 10 + 9)
    if (size == nines) return digits > 1;
  // With eights or sevens as their first digits, as of codes in surveys: 888, 777.
  for (const double digit : {7.0, 8.0}) {
    double same = digit * 111;
    for (int digits = 3; digits <= 8; ++digits, same = same * 10 + digit)
      if (size == same) return true;
  }
  return std::ranges::find(kEnds, number) != kEnds.end();
}

// The days that programs put where none is known: 1900, 1970, 2099 and 9999.
bool is_usual_date(double seconds) {
  constexpr std::array kDays{-25'567.0, -25'568.0, 0.0, -1.0, 47'481.0, 2'932'896.0};
  return std::ranges::find(kDays, std::floor(seconds / kSecondsOfDay)) != kDays.end();
}

struct Different {
  double number;
  std::size_t times;
};

std::vector<Different> different_numbers(const std::vector<double>& numbers) {
  std::vector<double> known;
  for (const double number : numbers)
    if (std::isfinite(number)) known.push_back(number);
  std::ranges::sort(known);
  std::vector<Different> out;
  for (const double number : known) {
    if (out.empty() || out.back().number != number) out.push_back({number, 0});
    ++out.back().times;
  }
  return out;
}

// One end of a column: the number there, the next ones inwards, and the range of all but the last two of both ends.
struct End {
  Different at;
  double gap;    // to the others
  double range;  // of the others
  std::size_t others;
};

bool stands_apart(const End& end, bool is_date) {
  if (end.at.times < kLeastTimes || end.others < kFewOthers || !(end.gap > 0)) return false;
  const bool usual = is_date ? is_usual_date(end.at.number) : is_usual(end.at.number);
  if (end.others < kLeastOthers) return usual && end.gap > kGapOfFew * end.range;
  if (usual) return end.gap > kLeastGap * end.range;
  return !is_date && end.at.times >= kLeastTimesUnusual && end.gap > kGapOfUnusual * end.range;
}

// -1, -9 or -99 where nothing else is below 0. Of whole numbers -1 may be one of them: there must be more than the numbers beside it
// lead to expect. Counts of numbers fall off ever faster, so that c(-1) c(1) <= c(0)^2.
bool is_alone_below_zero(const std::vector<Different>& numbers) {
  const double least = numbers.front().number;
  if (numbers.size() <= kLeastOthers || (least != -1 && least != -9 && !is_usual(least)) ||
      least > 0 || numbers.front().times < kLeastTimes || numbers[1].number < 0)
    return false;
  const bool are_whole = std::ranges::all_of(
      numbers, [](const Different& each) { return std::floor(each.number) == each.number; });
  if (!are_whole || least < -1) return true;
  const auto times = [&](double number) {
    for (std::size_t k = 0; k < std::min<std::size_t>(numbers.size(), 3); ++k)
      if (numbers[k].number == number) return static_cast<double>(numbers[k].times);
    return 0.0;
  };
  constexpr double kClearly = 2;
  const double zeros = times(0) + 1;
  return times(-1) * std::max(1.0, times(1)) > kClearly * zeros * zeros;
}

// Ends inwards, as long as they stand apart.
class Ends {
 public:
  Ends(std::vector<Different> numbers, bool is_date)
      : numbers_(std::move(numbers)), last_(numbers_.size()), is_date_(is_date) {}

  std::vector<Different> found() {
    std::vector<Different> out;
    for (int round = 0; round < 4 && last_ - first_ > kFewOthers; ++round) {
      // With one end taken the other one may stand apart, and the other way round.
      if (stands_apart(low(), is_date_)) {
        out.push_back(numbers_[first_++]);
      } else if (stands_apart(high(), is_date_)) {
        out.push_back(numbers_[--last_]);
      } else {
        break;
      }
    }
    return out;
  }

 private:
  // The other end may be a sentinel, too: it is not counted with the others if it is alone there.
  End low() const {
    const std::size_t next = first_ + 1, last = without_far_end(next, last_ - 1);
    return {numbers_[first_], numbers_[next].number - numbers_[first_].number,
            numbers_[last].number - numbers_[next].number, last - next + 1};
  }
  End high() const {
    const std::size_t next = last_ - 2;
    std::size_t first = first_;
    if (next > first + 2 && is_apart(numbers_[first], numbers_[first + 1])) ++first;
    return {numbers_[last_ - 1], numbers_[last_ - 1].number - numbers_[next].number,
            numbers_[next].number - numbers_[first].number, next - first + 1};
  }
  std::size_t without_far_end(std::size_t next, std::size_t last) const {
    return last > next + 2 && is_apart(numbers_[last], numbers_[last - 1]) ? last - 1 : last;
  }
  bool is_apart(const Different& end, const Different& beside) const {
    return end.times >= kLeastTimes && end.number != beside.number &&
           (is_date_ ? is_usual_date(end.number) : is_usual(end.number));
  }

  std::vector<Different> numbers_;
  std::size_t first_ = 0, last_;
  bool is_date_;
};

void add_sentinel(const SampledRows& rows, const ColumnSchema& column, const Different& found,
                  const std::vector<Different>& all, const std::vector<Different>& sentinels,
                  Warnings& to) {
  const auto is_other = [&](const Different& each) {
    return std::ranges::none_of(sentinels,
                                [&](const Different& one) { return one.number == each.number; });
  };
  const bool is_date = column.kind == ColumnSchema::Kind::date;
  const auto text = [&](double number) { return is_date ? date_text(number) : written(number); };
  const auto first = std::ranges::find_if(all, is_other);
  const auto last = std::find_if(all.rbegin(), all.rend(), is_other);
  const std::string value = text(found.number);
  to.push_back({TableWarning::Kind::sentinel,
                column.name,
                column.name + " is " + value + " in " + rows.share_text(found.times) +
                    ", and from " + text(first->number) + " to " + text(last->number) +
                    " in all others: " + value + " seems to stand for a missing value.",
                {value}});
}

}  // namespace

void check_sentinels(const SampledRows& rows, Warnings& to) {
  if (rows.count() < kLeastChecked) return;
  const std::vector<ColumnSchema>& columns = rows.schema().columns;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const bool is_date = columns[c].kind == ColumnSchema::Kind::date;
    if (columns[c].kind != ColumnSchema::Kind::numeric && !is_date) continue;
    const std::vector<Different> all = different_numbers(rows.table.column(c).numbers);
    if (all.size() <= kFewOthers) continue;
    std::vector<Different> found = Ends(all, is_date).found();
    if (found.empty() && !is_date && is_alone_below_zero(all)) found.push_back(all.front());
    for (const Different& one : found) add_sentinel(rows, columns[c], one, all, found, to);
  }
}

}  // namespace postrider::internal
