#include "explain/contributions.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>

#include "base/check.h"
#include "base/random.h"
#include "base/shuffle.h"

namespace postrider::internal {
namespace {

// Rows that are predicted together: enough to keep threads busy, and no more numbers than that.
constexpr std::size_t kMostRowsAtOnce = 4096, kFewestRowsAtOnce = 64;
constexpr std::size_t kNumbersAtOnce = std::size_t{1} << 22;
// Where more columns than these differ, the subsets are never all predicted.
constexpr std::size_t kMostForSubsets = 20;
// An order and its opposite.
constexpr std::size_t kPathsOfPair = 2;

// A number is itself, and missing is missing.
bool are_same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// The groups in which two rows differ.
std::vector<std::size_t> differing(const Question& question, std::span<const double> row,
                                   std::span<const double> base) {
  std::vector<std::size_t> out;
  for (std::size_t g = 0; g < question.groups.size(); ++g)
    if (!std::ranges::all_of(question.groups[g],
                             [&](std::size_t k) { return are_same(row[k], base[k]); }))
      out.push_back(g);
  return out;
}

// |S|! (d - |S| - 1)! / d!, the share of orders in which exactly these S stand before a column.
std::vector<double> shares_by_size(std::size_t columns) {
  std::vector<double> out(columns);
  double choices = 1;  // of so many out of columns - 1
  for (std::size_t size = 0; size < columns; ++size) {
    out[size] = 1 / (static_cast<double>(columns) * choices);
    choices *= static_cast<double>(columns - 1 - size) / static_cast<double>(size + 1);
  }
  return out;
}

// Sums by row, column, quantity and member, all members together behind the members.
class Sums {
 public:
  Sums(std::size_t rows, std::size_t columns, std::size_t quantities, std::size_t members)
      : columns_(columns),
        quantities_(quantities),
        members_(members),
        values_(rows * columns * quantities),
        of_members_(values_.size() * members) {}

  void add(std::size_t row, std::size_t column, double weight, const Outcomes& of,
           std::size_t place) {
    const std::size_t to = (row * columns_ + column) * quantities_, from = place * quantities_;
    for (std::size_t q = 0; q < quantities_; ++q) values_[to + q] += weight * of.values[from + q];
    for (std::size_t i = 0; i < quantities_ * members_; ++i)
      of_members_[to * members_ + i] += weight * of.of_members[from * members_ + i];
  }

  const std::vector<double>& values() const { return values_; }
  std::vector<double> spread(std::span<const double> shares) const {
    std::vector<double> out;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const std::span<const double> own = std::span(of_members_).subspan(i * members_, members_);
      double mean = 0, square = 0;
      for (std::size_t m = 0; m < members_; ++m) mean += shares[m] * own[m];
      for (std::size_t m = 0; m < members_; ++m)
        square += shares[m] * (own[m] - mean) * (own[m] - mean);
      out.push_back(std::sqrt(square));
    }
    return out;
  }

 private:
  std::size_t columns_, quantities_, members_;
  std::vector<double> values_, of_members_;
};

// A share of a prediction, which counts for one column, or against it.
struct Use {
  std::size_t column;
  double weight;
};

// Rows between a row and a baseline, with what their predictions count for. They are predicted when there are enough of them.
class Between {
 public:
  Between(const PredictOutcomes& predict, std::size_t columns, Sums& sums)
      : predict_(predict),
        sums_(sums),
        columns_(columns),
        most_(std::clamp(kNumbersAtOnce / columns, kFewestRowsAtOnce, kMostRowsAtOnce)) {}

  void add(std::size_t row, std::span<const double> inputs, std::span<const Use> uses) {
    values_.insert(values_.end(), inputs.begin(), inputs.end());
    uses_.insert(uses_.end(), uses.begin(), uses.end());
    rows_.push_back({row, uses_.size()});
    if (rows_.size() == most_) finish();
  }
  void finish() {
    if (rows_.empty()) return;
    const Outcomes found = predict_(Inputs(values_, rows_.size(), columns_));
    std::size_t use = 0;
    for (std::size_t place = 0; place < rows_.size(); ++place)
      for (; use < rows_[place].uses_end; ++use)
        sums_.add(rows_[place].row, uses_[use].column, uses_[use].weight, found, place);
    values_.clear();
    uses_.clear();
    rows_.clear();
  }

 private:
  struct Row {
    std::size_t row, uses_end;
  };

  const PredictOutcomes& predict_;
  Sums& sums_;
  std::size_t columns_, most_;
  std::vector<double> values_;
  std::vector<Use> uses_;
  std::vector<Row> rows_;
};

// One row and one row of the baseline, of which `between` gets all rows but these two.
struct Pair {
  const Question& question;
  std::size_t row;
  std::span<const double> own, base;
  std::vector<std::size_t> groups;  // in which they differ
  double weight;                    // of this row of the baseline among all

  void take(std::size_t group, std::vector<double>& to) const {
    for (const std::size_t k : question.groups[group]) to[k] = own[k];
  }
};

// The baseline's row counts against the columns that are changed first, the own row for those that are changed last.
void add_ends(const Pair& pair, std::size_t first, std::size_t last, double weight,
              const Outcomes& rows, const Outcomes& baseline, std::size_t base, Sums& sums) {
  sums.add(pair.row, first, -weight, baseline, base);
  sums.add(pair.row, last, weight, rows, pair.row);
}

void add_path(const Pair& pair, std::span<const std::size_t> order, double weight,
              Between& between) {
  std::vector<double> inputs(pair.base.begin(), pair.base.end());
  for (std::size_t step = 0; step + 1 < order.size(); ++step) {
    pair.take(order[step], inputs);
    const std::array uses{Use{order[step], weight}, Use{order[step + 1], -weight}};
    between.add(pair.row, inputs, uses);
  }
}

void add_subsets(const Pair& pair, Between& between) {
  const std::size_t count = pair.groups.size();
  const std::vector<double> shares = shares_by_size(count);
  for (std::size_t subset = 1; subset + 1 < (std::size_t{1} << count); ++subset) {
    std::vector<double> inputs(pair.base.begin(), pair.base.end());
    const auto size = static_cast<std::size_t>(std::popcount(subset));
    std::vector<Use> uses;
    for (std::size_t g = 0; g < count; ++g) {
      const bool is_own = (subset >> g & 1) != 0;
      if (is_own) pair.take(pair.groups[g], inputs);
      uses.push_back({pair.groups[g], pair.weight * (is_own ? shares[size - 1] : -shares[size])});
    }
    between.add(pair.row, inputs, uses);
  }
}

bool has_few_subsets(std::size_t columns, std::size_t orders) {
  return columns <= kMostForSubsets &&
         (std::size_t{1} << columns) - 2 <= kPathsOfPair * orders * (columns - 1);
}

class Explaining {
 public:
  Explaining(const Question& question, const PredictOutcomes& predict)
      : question_(question),
        rows_(predict(inputs_of(question.rows))),
        baseline_(predict(inputs_of(question.baseline))),
        sums_(question.rows.count(), question.groups.size(), rows_.quantities,
              question.shares.size()),
        between_(predict, question.rows.columns, sums_) {
    for (std::size_t k = 0; k < question.baseline.count() * question.orders; ++k) {
      RandomStream random(question.seed, k);
      orders_.push_back(random_order(question.groups.size(), random));
    }
  }

  Contributions found() {
    for (std::size_t row = 0; row < question_.rows.count(); ++row)
      for (std::size_t base = 0; base < question_.baseline.count(); ++base) add(row, base);
    between_.finish();
    Contributions out;
    out.baseline.resize(rows_.quantities);
    for (std::size_t i = 0; i < baseline_.values.size(); ++i)
      out.baseline[i % rows_.quantities] += weight() * baseline_.values[i];
    out.predictions = rows_.values;
    out.values = sums_.values();
    out.spread = sums_.spread(question_.shares);
    return out;
  }

 private:
  static Inputs inputs_of(const PlainRows& rows) {
    return {rows.values, rows.count(), rows.columns};
  }
  double weight() const { return 1 / static_cast<double>(question_.baseline.count()); }

  void add(std::size_t row, std::size_t base) {
    Pair pair{question_, row, question_.rows.row(row), question_.baseline.row(base), {}, weight()};
    pair.groups = differing(question_, pair.own, pair.base);
    if (pair.groups.empty()) return;
    if (has_few_subsets(pair.groups.size(), question_.orders)) {
      const double end = pair.weight / static_cast<double>(pair.groups.size());
      for (const std::size_t group : pair.groups)
        add_ends(pair, group, group, end, rows_, baseline_, base, sums_);
      return add_subsets(pair, between_);
    }
    const double share = pair.weight / static_cast<double>(kPathsOfPair * question_.orders);
    for (std::size_t k = 0; k < question_.orders; ++k) {
      std::vector<std::size_t> order;
      for (const std::size_t group : orders_[base * question_.orders + k])
        if (std::ranges::binary_search(pair.groups, group)) order.push_back(group);
      for (std::size_t path = 0; path < kPathsOfPair; ++path) {
        add_ends(pair, order.front(), order.back(), share, rows_, baseline_, base, sums_);
        add_path(pair, order, share, between_);
        std::ranges::reverse(order);
      }
    }
  }

  const Question& question_;
  Outcomes rows_, baseline_;
  Sums sums_;
  Between between_;
  std::vector<std::vector<std::size_t>> orders_;
};

}  // namespace

Contributions contributions_of(const Question& question, const PredictOutcomes& predict) {
  check(question.baseline.count() > 0, "a baseline has a row");
  if (question.rows.count() == 0) return {};
  return Explaining(question, predict).found();
}

}  // namespace postrider::internal
