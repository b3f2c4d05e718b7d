// Which columns act together.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/random.h"
#include "base/shuffle.h"
#include "explain/asked_rows.h"
#include "postrider/error.h"
#include "postrider/importance.h"
#include "postrider/metrics.h"
#include "text/columns.h"

namespace postrider {
using namespace internal;

namespace internal {
namespace {

// Rows, each with another one whose values it can take.
class Swapped {
 public:
  Swapped(const TableModel& model, const Table& rows, std::size_t quantity, std::uint64_t seed)
      : model_(model),
        groups_(model),
        inputs_(model.encode(rows)),
        columns_(model.features().size()),
        quantity_(quantity),
        others_(rows.rows()) {
    RandomStream random(seed, 0);
    const std::vector<std::size_t> order = random_order(rows.rows(), random);
    for (std::size_t k = 0; k < order.size(); ++k)
      others_[order[k]] = order[(k + 1) % order.size()];
  }

  const cli::ColumnGroups& groups() const { return groups_; }
  // What is predicted where these columns have the other row's values.
  std::vector<double> with(std::initializer_list<std::size_t> taken) const {
    std::vector<double> inputs = inputs_;
    for (const std::size_t group : taken)
      for (std::size_t row = 0; row < others_.size(); ++row)
        for (const std::size_t k : groups_.inputs[group])
          inputs[row * columns_ + k] = inputs_[others_[row] * columns_ + k];
    const Outcomes said = outcomes_of(model_, inputs);
    std::vector<double> out;
    for (std::size_t i = quantity_; i < said.values.size(); i += said.quantities)
      out.push_back(said.values[i]);
    return out;
  }

 private:
  const TableModel& model_;
  cli::ColumnGroups groups_;
  std::vector<double> inputs_;
  std::size_t columns_, quantity_;
  std::vector<std::size_t> others_;
};

double variance_of(const std::vector<double>& values) {
  const double mean = mean_estimate(values).value;
  double out = 0;
  for (const double value : values)
    out += (value - mean) * (value - mean) / static_cast<double>(values.size());
  return out;
}

// The columns that move predictions most, in their own order.
std::vector<std::size_t> most_moving(const std::vector<double>& as_they_are,
                                     const std::vector<std::vector<double>>& swapped,
                                     std::size_t most) {
  std::vector<std::pair<double, std::size_t>> moves;
  for (std::size_t g = 0; g < swapped.size(); ++g) {
    double sum = 0;
    for (std::size_t row = 0; row < as_they_are.size(); ++row)
      sum += (as_they_are[row] - swapped[g][row]) * (as_they_are[row] - swapped[g][row]);
    moves.emplace_back(-sum, g);
  }
  std::ranges::sort(moves);
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k < std::min(most, moves.size()); ++k) out.push_back(moves[k].second);
  std::ranges::sort(out);
  return out;
}

}  // namespace
}  // namespace internal

void Interaction::Options::validate() const {
  if (rows < 2) reject("rows", rows, "must be at least 2");
  if (columns < 2) reject("columns", columns, "must be at least 2");
}

std::vector<Interaction> interactions(const TableModel& model, const Table& rows,
                                      const Interaction::Options& options) {
  options.validate();
  const Table some = some_rows(model, rows, options.rows);
  const Swapped swapped(model, some, quantity_of(model, options.class_name, some).place,
                        options.seed);
  const std::vector<double> as_they_are = swapped.with({});
  const double variance = variance_of(as_they_are);
  std::vector<std::vector<double>> single;
  for (std::size_t g = 0; g < swapped.groups().places.size(); ++g)
    single.push_back(swapped.with({g}));
  const std::vector<std::size_t> chosen = most_moving(as_they_are, single, options.columns);
  const auto name = [&](std::size_t group) {
    return model.schema().columns[swapped.groups().places[group]].name;
  };
  std::vector<Interaction> out;
  for (std::size_t i = 0; i < chosen.size(); ++i)
    for (std::size_t j = i + 1; j < chosen.size(); ++j) {
      const std::vector<double> both = swapped.with({chosen[i], chosen[j]});
      std::vector<double> squares;
      for (std::size_t row = 0; row < both.size(); ++row) {
        const double beyond =
            as_they_are[row] - single[chosen[i]][row] - single[chosen[j]][row] + both[row];
        squares.push_back(beyond * beyond / 4);
      }
      const Estimate found = mean_estimate(squares);
      Interaction one{name(chosen[i]), name(chosen[j])};
      if (variance > 0) {
        one.share = found.value / variance;
        one.standard_error = found.standard_error / variance;
      }
      out.push_back(std::move(one));
    }
  std::ranges::stable_sort(out, std::greater(), &Interaction::share);
  return out;
}

}  // namespace postrider
