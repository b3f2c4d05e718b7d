// What the target's numbers or classes are like, and how many rows there are to learn it from.
#include <algorithm>
#include <cmath>
#include <set>

#include "data/cell_columns.h"
#include "warnings/checks.h"

namespace postrider {
using namespace internal;

namespace internal {
namespace {

constexpr std::size_t kLeastTargets = 50;
constexpr std::size_t kManyNumbers = 20;  // different ones, of an amount
// One number again and again: its share of the rows, and how many times as often as any other.
constexpr double kLeastRepeated = 0.15, kOftener = 5;
constexpr double kAmounts = 50;  // the median of whole numbers that are no counts
// Few numbers.
constexpr std::size_t kFewNumbers = 10, kFewCounts = 3;
constexpr double kRowsOfNumber = 5;
// Multiples of one number.
constexpr double kFewSteps = 10;  // in a standard deviation
constexpr double kRowsOfMultiple = 3;

struct TargetNumber {
  double number;
  std::size_t times;
};

struct TargetNumbers {
  std::vector<TargetNumber> all;
  std::size_t rows = 0;
  double std = 0;
  bool are_whole = true;

  double least() const { return all.front().number; }
  double largest() const { return all.back().number; }
};

TargetNumbers target_numbers(const SampledRows& rows) {
  TargetNumbers out;
  const std::vector<double>& numbers = rows.target_numbers();
  double mean = 0, squares = 0;
  std::size_t begin = 0;
  out.rows = rows.ranks.known();
  for (const std::size_t end : rows.ranks.group_ends) {
    const double number = numbers[rows.ranks.order[begin]];
    out.all.push_back({number, end - begin});
    out.are_whole = out.are_whole && std::floor(number) == number;
    mean += number * static_cast<double>(end - begin) / static_cast<double>(out.rows);
    begin = end;
  }
  for (const TargetNumber& each : out.all)
    squares += (each.number - mean) * (each.number - mean) * static_cast<double>(each.times);
  out.std = std::sqrt(squares / static_cast<double>(std::max<std::size_t>(1, out.rows)));
  return out;
}

double median_of(const TargetNumbers& target, double without) {
  std::size_t rows = 0, below = 0;
  for (const TargetNumber& each : target.all) rows += each.number == without ? 0 : each.times;
  for (const TargetNumber& each : target.all) {
    below += each.number == without ? 0 : each.times;
    if (2 * below >= rows) return each.number;
  }
  return target.largest();
}

bool check_repeated(const SampledRows& rows, const TargetNumbers& target, Warnings& to) {
  if (target.all.size() <= kManyNumbers) return false;
  TargetNumber most{0, 0};
  std::size_t second = 0;
  for (const TargetNumber& each : target.all) {
    second = std::max(second, std::min(most.times, each.times));
    if (each.times > most.times) most = each;
  }
  const auto times = static_cast<double>(most.times);
  // Counts have many zeros by themselves.
  const bool are_counts =
      target.are_whole && target.least() >= 0 && median_of(target, most.number) < kAmounts;
  if (times < kLeastRepeated * static_cast<double>(target.rows) ||
      times < kOftener * static_cast<double>(second) || are_counts)
    return false;
  const std::string& name = rows.target_column().name;
  to.push_back({TableWarning::Kind::target,
                name,
                name + " is " + written(most.number) + " in " + rows.share_text(most.times) +
                    ", and one of " + std::to_string(target.all.size() - 1) +
                    " different numbers in the others: an interval around it is not what one would "
                    "say of either.",
                {written(most.number), "repeated"}});
  return true;
}

bool are_counts_or_ratings(const TargetNumbers& target) {
  const double span = target.largest() - target.least() + 1;
  return target.are_whole && span == static_cast<double>(target.all.size()) &&
         target.all.size() > kFewCounts;
}

// A target of 0 and 1 is a number since somebody asked for it.
bool was_asked_for(const TargetNumbers& target) {
  return target.all.size() == 2 && target.largest() == 1 &&
         (target.least() == 0 || target.least() == -1);
}

bool check_few(const SampledRows& rows, const TargetNumbers& target, Warnings& to) {
  if (target.all.size() > kFewNumbers ||
      static_cast<double>(target.rows) < kRowsOfNumber * static_cast<double>(target.all.size()) ||
      are_counts_or_ratings(target) || was_asked_for(target))
    return false;
  std::string numbers;
  for (const TargetNumber& each : target.all)
    numbers += (numbers.empty() ? "" : ", ") + written(each.number);
  const std::string& name = rows.target_column().name;
  to.push_back({TableWarning::Kind::target,
                name,
                name + " is one of " + std::to_string(target.all.size()) + " numbers (" + numbers +
                    ") in all " + rows.rows_text(target.rows) +
                    ", and is learned as an amount that may lie between them.",
                {name, "few"}});
  return true;
}

bool is_power_of_ten_at_most_one(double number) {
  if (number > 1 + 1e-9) return false;
  const double exponent = std::log10(number);
  return std::abs(exponent - std::round(exponent)) < 1e-6;
}

void check_multiples(const SampledRows& rows, const TargetNumbers& target, Warnings& to) {
  if (target.all.size() <= kFewNumbers ||
      static_cast<double>(target.rows) < kRowsOfMultiple * static_cast<double>(target.all.size()))
    return;
  double step = target.largest() - target.least();
  for (std::size_t k = 1; k < target.all.size(); ++k)
    step = std::min(step, target.all[k].number - target.all[k - 1].number);
  // Counts, and what was measured to so many digits, are as they should be.
  if (!(step > 0) || is_power_of_ten_at_most_one(step) || target.std > kFewSteps * step) return;
  constexpr double kRounding = 1e-6;
  for (const TargetNumber& each : target.all) {
    const double steps = each.number / step;
    if (std::abs(steps - std::round(steps)) > kRounding * std::max(1.0, std::abs(steps))) return;
  }
  const std::string& name = rows.target_column().name;
  to.push_back({TableWarning::Kind::target,
                name,
                name + " is a multiple of " + written(step) + " in all " +
                    rows.rows_text(target.rows) + ", and only " +
                    std::to_string(target.all.size()) +
                    " of them come: predictions lie between them as well.",
                {written(step), "multiples"}});
}

}  // namespace

void check_target(const SampledRows& rows, Warnings& to) {
  if (rows.classifies() || rows.count() < kLeastTargets) return;
  const TargetNumbers target = target_numbers(rows);
  if (target.all.size() < 2) return;
  if (!check_repeated(rows, target, to) && !check_few(rows, target, to))
    check_multiples(rows, target, to);
}

void check_classes(const ColumnSchema& target, const std::vector<std::size_t>& rows, Warnings& to) {
  constexpr double kLeastPart = 0.1;  // of what it would have, were all as common
  constexpr std::size_t kLeastOfClass = 5, kMostNamed = 3;
  std::size_t all = 0;
  for (const std::size_t each : rows) all += each;
  const double equal =
      static_cast<double>(all) / static_cast<double>(std::max<std::size_t>(1, rows.size()));
  std::string text;
  std::size_t rare = 0;
  for (std::size_t k = 0; k < rows.size() && k < target.categories.size(); ++k) {
    // A class that no row has is one of the schema alone.
    if (rows[k] == 0 ||
        (static_cast<double>(rows[k]) >= kLeastPart * equal && rows[k] >= kLeastOfClass))
      continue;
    if (++rare <= kMostNamed)
      text +=
          (rare == 1 ? "" : ", ") + shown(target.categories[k]) + " in " + std::to_string(rows[k]);
  }
  if (rare == 0) return;
  if (rare > kMostNamed)
    text += " and " + std::to_string(rare - kMostNamed) + " more classes in as few";
  to.push_back(
      {TableWarning::Kind::imbalance,
       target.name,
       target.name + " is " + text + " of " + std::to_string(all) +
           " rows: accuracy says little of so rare a class, and little can be learned of it.",
       {target.name}});
}

}  // namespace internal

// So many rows should lie beyond the ends.
bool are_few_rows(std::size_t rows, double level) {
  constexpr double kLeastBeyond = 5;
  return rows > 0 && static_cast<double>(rows) * (1 - level) < kLeastBeyond - 1e-9;
}

TableWarning few_rows_warning(std::size_t rows, double level) {
  const double error = std::sqrt(level * (1 - level) / static_cast<double>(rows));
  const auto percent = [](double share) { return written(std::round(100 * share)); };
  const std::string asked = written(std::round(1000 * level) / 10);
  return {TableWarning::Kind::few_rows,
          "",
          "Only " + std::to_string(rows) + (rows == 1 ? " row tells" : " rows tell") +
              " where intervals of " + asked + " % end: they may hold between " +
              percent(std::max(0.0, level - 2 * error)) + " and " +
              percent(std::min(1.0, level + 2 * error)) + " % of new rows.",
          {std::to_string(static_cast<std::size_t>(std::ceil(5 / (1 - level) - 1e-9)))}};
}

}  // namespace postrider
