#include "warnings/levels.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <unordered_map>

namespace postrider::internal {

Levels levels_of_codes(const std::vector<std::uint32_t>& codes) {
  Levels out;
  std::unordered_map<std::uint32_t, std::uint32_t> places;
  for (const std::uint32_t code : codes)
    out.of_rows.push_back(
        places.emplace(code, static_cast<std::uint32_t>(places.size())).first->second);
  out.count = places.size();
  return out;
}

Levels levels_of_numbers(const Ranks& ranks) {
  Levels out{std::vector<std::uint32_t>(ranks.of_rows.size()), ranks.different()};
  const bool has_missing = ranks.known() < ranks.of_rows.size();
  if (has_missing) std::ranges::fill(out.of_rows, static_cast<std::uint32_t>(out.count++));
  std::size_t begin = 0;
  for (std::size_t level = 0; level < ranks.different(); ++level) {
    for (std::size_t k = begin; k < ranks.group_ends[level]; ++k)
      out.of_rows[ranks.order[k]] = static_cast<std::uint32_t>(level);
    begin = ranks.group_ends[level];
  }
  return out;
}

Levels levels_of_missing(const Ranks& ranks) {
  Levels out{std::vector<std::uint32_t>(ranks.of_rows.size()), 1};
  for (const std::uint32_t row : ranks.order) out.of_rows[row] = 1;
  if (ranks.known() > 0 && ranks.known() < ranks.of_rows.size()) out.count = 2;
  return out;
}

double told_share(const Levels& levels, const SampledRows& rows) {
  std::vector<double> sums(rows.count() + 2), counts(rows.count() + 2);
  double all = 0, missed = 0;
  const std::vector<double>& ranks = rows.ranks.of_rows;
  for (std::size_t row = 0; row < rows.count(); ++row) {
    sums[levels.of_rows[row]] += ranks[row];
    ++counts[levels.of_rows[row]];
  }
  for (std::size_t row = 0; row < rows.count(); ++row) {
    const double sum = sums[levels.of_rows[row]], count = counts[levels.of_rows[row]];
    const double others = count > 1 ? (sum - ranks[row]) / (count - 1) : 0;
    missed += (ranks[row] - others) * (ranks[row] - others);
    all += ranks[row] * ranks[row];
  }
  return all > 0 ? 1 - missed / all : 0;
}

namespace {

// Rows that have the most common class of their level, and of which another row there has it, too, where no other class is as common.
double told_rows(const std::map<std::uint32_t, std::size_t>& classes) {
  std::size_t most = 0, second = 0;
  for (const auto& [code, count] : classes) {
    second = std::max(second, std::min(most, count));
    most = std::max(most, count);
  }
  return most > second && most > 1 ? static_cast<double>(most) : 0;
}

}  // namespace

double missed_share(const Levels& levels, const SampledRows& rows) {
  std::unordered_map<std::uint32_t, std::map<std::uint32_t, std::size_t>> counts;
  for (std::size_t row = 0; row < rows.count(); ++row)
    ++counts[levels.of_rows[row]][rows.classes()[row]];
  double told = 0;
  for (const auto& [level, classes] : counts) told += told_rows(classes);
  return 1 - told / static_cast<double>(rows.count());
}

namespace {

using ClassCounts = std::vector<std::vector<double>>;

// Rows of each class, level by level, and last those of all.
ClassCounts class_counts(const Levels& levels, const SampledRows& rows) {
  const std::size_t classes = rows.target_column().categories.size();
  ClassCounts out(levels.count + 1, std::vector<double>(classes));
  for (std::size_t row = 0; row < rows.count(); ++row) {
    const std::uint32_t code = rows.classes()[row];
    if (code >= classes) continue;
    ++out[levels.of_rows[row]][code];
    ++out.back()[code];
  }
  return out;
}

double sum_of(const std::vector<double>& counts) {
  return std::accumulate(counts.begin(), counts.end(), 0.0);
}

Agreement agreement_of(double same, double pairs, const std::vector<double>& all) {
  double expected = 0;
  for (const double count : all) expected += count * count / (sum_of(all) * sum_of(all));
  if (!(pairs > 0) || !(expected < 1)) return {};
  return {(same / pairs - expected) / (1 - expected),
          std::sqrt(expected * (1 - expected) / pairs) / (1 - expected)};
}

}  // namespace

Agreement agreement_within(const Levels& levels, const SampledRows& rows) {
  const ClassCounts counts = class_counts(levels, rows);
  double same = 0, pairs = 0;
  for (std::size_t level = 0; level < levels.count; ++level) {
    const double of_level = sum_of(counts[level]);
    pairs += of_level * (of_level - 1) / 2;
    for (const double count : counts[level]) same += count * (count - 1) / 2;
  }
  return agreement_of(same, pairs, counts.back());
}

Agreement agreement_beside(const Levels& levels, const SampledRows& rows) {
  const ClassCounts counts = class_counts(levels, rows);
  double same = 0, pairs = 0;
  for (std::size_t level = 1; level < levels.count; ++level) {
    pairs += sum_of(counts[level]) * sum_of(counts[level - 1]);
    for (std::size_t k = 0; k < counts[level].size(); ++k)
      same += counts[level][k] * counts[level - 1][k];
  }
  return agreement_of(same, pairs, counts.back());
}

double missed_without(const SampledRows& rows) {
  return missed_share({std::vector<std::uint32_t>(rows.count()), 1}, rows);
}

}  // namespace postrider::internal
