// A model that was fitted on some rows, or on none, learns more of them by partial_fit: in one call, in
// ten, in a hundred, and row by row; at last row by row with a file written and read between two calls.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

#include "parts.h"
#include "postrider/classifier.h"
#include "postrider/regressor.h"
#include "tabular/encoded.h"
#include "uci/sets.h"

namespace postrider::experiments {
namespace {

constexpr double kLevel = 0.9;

// Rows to fit, to stream and to test on.
struct Sizes {
  std::size_t fitted, streamed, tested;
};
constexpr Sizes kFull{500, 1000, 800}, kQuick{60, 100, 100};

struct Cut {
  std::string name;
  std::size_t calls;
  bool through_files = false;
};

std::vector<Cut> cuts_of(std::size_t rows) {
  return {
      {"1", 1}, {"10", 10}, {"100", 100}, {"single", rows}, {"single, through files", rows, true}};
}

// Means over the rows that were tested, with their standard errors.
struct Outcome {
  double ll = 0, ll_error = 0, coverage = 0, coverage_error = 0;
};

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double error_of(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const auto count = static_cast<double>(values.size());
  return std::sqrt(squares / (count - 1) / count);
}

Outcome outcome_of(const std::vector<double>& log_likelihoods, const std::vector<double>& covered) {
  return {mean_of(log_likelihoods), error_of(log_likelihoods), mean_of(covered), error_of(covered)};
}

template <class Target>
struct Data {
  std::vector<double> inputs;
  std::vector<Target> targets;

  std::size_t columns() const { return inputs.size() / targets.size(); }
  std::span<const double> inputs_of(std::size_t first, std::size_t count) const {
    return std::span(inputs).subspan(first * columns(), count * columns());
  }
  std::span<const Target> targets_of(std::size_t first, std::size_t count) const {
    return std::span(targets).subspan(first, count);
  }
};

Outcome tested(const Regressor& model, const Data<double>& data, std::size_t first,
               std::size_t count) {
  const Distributions found = model.distributions(data.inputs_of(first, count));
  const std::span<const double> targets = data.targets_of(first, count);
  std::vector<double> covered;
  for (const double below : found.below(targets))
    covered.push_back(std::abs(below - 0.5) <= kLevel / 2 ? 1 : 0);
  return outcome_of(found.log_densities(targets), covered);
}

// The classes of a row that are needed to have the level together, the most probable ones first.
bool holds(std::span<const double> probabilities, std::size_t label) {
  double above = 0;
  for (const double probability : probabilities)
    if (probability > probabilities[label]) above += probability;
  return above < kLevel;
}

Outcome tested(const Classifier& model, const Data<std::size_t>& data, std::size_t first,
               std::size_t count) {
  const std::vector<double> found = model.predict_probabilities(data.inputs_of(first, count));
  const std::size_t classes = model.classes();
  std::vector<double> log_likelihoods, covered;
  for (std::size_t row = 0; row < count; ++row) {
    const std::span<const double> of_row = std::span(found).subspan(row * classes, classes);
    const std::size_t label = data.targets[first + row];
    log_likelihoods.push_back(std::log(std::max(of_row[label], 1e-12)));
    covered.push_back(holds(of_row, label) ? 1 : 0);
  }
  return outcome_of(log_likelihoods, covered);
}

template <class Model>
Model through_file(const Model& model) {
  std::stringstream file;
  model.save(file);
  return Model::load(file);
}

template <class Model, class Target>
Outcome run(const EstimatorOptions& options, const Data<Target>& data, const Sizes& sizes,
            bool is_fitted, const Cut& cut) {
  Model model(options);
  if (is_fitted) model.fit(data.inputs_of(0, sizes.fitted), data.targets_of(0, sizes.fitted));
  for (std::size_t call = 0; call < cut.calls; ++call) {
    const std::size_t begin = sizes.fitted + call * sizes.streamed / cut.calls;
    const std::size_t end = sizes.fitted + (call + 1) * sizes.streamed / cut.calls;
    model.partial_fit(data.inputs_of(begin, end - begin), data.targets_of(begin, end - begin));
    if (cut.through_files) model = through_file(model);
  }
  return tested(model, data, sizes.fitted + sizes.streamed, sizes.tested);
}

Object to_object(const Cut& cut, const Outcome& found) {
  return {{"cut", {cut.name}},
          {"calls", {static_cast<std::int64_t>(cut.calls)}},
          {"ll", {found.ll}},
          {"ll_se", {found.ll_error}},
          {"coverage", {found.coverage}},
          {"coverage_se", {found.coverage_error}}};
}

bool is_close(const Outcome& a, const Outcome& b) {
  return std::abs(a.ll - b.ll) <= std::min(a.ll_error, b.ll_error) &&
         std::abs(a.coverage - b.coverage) <= std::min(a.coverage_error, b.coverage_error);
}

template <class Model, class Target>
void add_cuts(const std::string& name, const EstimatorOptions& options, const Data<Target>& data,
              const Sizes& sizes, bool is_fitted, Part& part) {
  std::vector<Object> rows;
  std::vector<Outcome> all;
  for (const Cut& cut : cuts_of(sizes.streamed)) {
    const Outcome found = run<Model>(options, data, sizes, is_fitted, cut);
    fmt::print("  {}, calls: {}: ll {:.4f} +- {:.4f}, coverage {:.3f} +- {:.3f}\n", name, cut.name,
               found.ll, found.ll_error, found.coverage, found.coverage_error);
    rows.push_back(to_object(cut, found));
    all.push_back(found);
  }
  const bool same = std::ranges::all_of(all, [&](const Outcome& a) {
    return std::ranges::all_of(all, [&](const Outcome& b) { return is_close(a, b); });
  });
  // From nothing, a larger first call has set the scales by more rows: told, and not claimed.
  const std::string text = name + ": however the stream is cut, within a standard error";
  if (is_fitted)
    part.claims.push_back({text, same});
  else
    part.notes.push_back(text + (same ? ": yes" : ": no"));
  part.result.push_back({name, {rows}});
}

}  // namespace

Part cuts(const Settings& settings) {
  Part part{"cuts", {}, {}, {}};
  const Sizes sizes = settings.quick ? kQuick : kFull;
  EstimatorOptions options;
  options.training.seed = settings.seed;
  Rows robot = read_uci_set(settings.data, "kin8nm").rows(0, /*testing=*/false);
  const Data<double> numbers{std::move(robot.inputs), std::move(robot.targets)};
  LabelledRows letters = read_tabular_set(settings.data, "letter").rows(0, /*testing=*/false);
  const Data<std::size_t> labels{std::move(letters.inputs), std::move(letters.labels)};
  EstimatorOptions of_letters = options;
  of_letters.classes = 26;
  add_cuts<Regressor>("regression", options, numbers, sizes, true, part);
  add_cuts<Classifier>("classification", of_letters, labels, sizes, true, part);
  add_cuts<Regressor>("regression_from_nothing", options, numbers, sizes, false, part);
  add_cuts<Classifier>("classification_from_nothing", of_letters, labels, sizes, false, part);
  return part;
}

}  // namespace postrider::experiments
