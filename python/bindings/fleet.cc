#include "postrider/fleet.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/variant.h>

#include <algorithm>
#include <deque>
#include <variant>

#include "bindings.h"
#include "estimators.h"

namespace postrider::python {
namespace {

namespace nb = nanobind;
using Weights = std::vector<std::optional<Given<double>>>;
using Groups = std::vector<std::optional<Given<std::uint32_t>>>;
// The rows of one model, in either form.
using AnyRows = std::variant<Given<double>, SparseMatrix>;

WeightedRows counted(const AnyRows& x, std::span<const double> y,
                     const std::optional<Given<double>>& w) {
  return std::visit(
      [&](const auto& rows) { return counted_rows(rows, y, w, WeightedRows::Order::canonical); },
      x);
}
std::size_t count_of(const AnyRows& x) {
  return std::visit([](const auto& rows) { return rows_of(rows); }, x);
}

// All of them, always in the same order, so that two calls cannot wait for each other.
template <class Model>
std::vector<std::unique_lock<std::shared_mutex>> locked(std::vector<Guarded<Model>*> models) {
  std::ranges::sort(models);
  std::vector<std::unique_lock<std::shared_mutex>> out;
  for (Guarded<Model>* const model : models) out.push_back(model->locked());
  return out;
}

// Why each of them has learned nothing, empty if it has; and whether Ctrl-C ended training. `targets` are those of a model by its number.
template <class Model, class Targets>
std::pair<std::vector<std::string>, bool> train(const std::vector<Guarded<Model>*>& models,
                                                const std::vector<AnyRows>& inputs,
                                                Targets&& targets, const Weights& weights,
                                                const Groups& groups, nb::object progress) {
  std::deque<WeightedRows> kept;
  std::deque<std::vector<std::uint32_t>> kept_groups;
  std::vector<std::string> failures;
  Watch watch;
  const bool interrupted = watch.run(
      [&] {
        const auto locks = locked(models);
        std::vector<Model*> fleet;
        for (Guarded<Model>* const model : models) fleet.push_back(&model->while_locked());
        std::vector<Examples> rows;
        for (std::size_t k = 0; k < models.size(); ++k) {
          const WeightedRows& own =
              kept.emplace_back(counted(inputs.at(k), targets(k), weights.at(k)));
          const std::vector<std::uint32_t>& together =
              kept_groups.emplace_back(groups_of(own, groups.at(k)));
          rows.push_back({own.inputs, own.targets, own.weights, together});
        }
        const std::vector<FleetReport> reports = fit_fleet(fleet, rows, watch.callbacks());
        for (std::size_t k = 0; k < models.size(); ++k) {
          failures.push_back(reports[k].failure);
          if (!reports[k].fits.empty()) models[k]->fitted(count_of(inputs[k]), reports[k].fits);
        }
      },
      std::move(progress));
  return {std::move(failures), interrupted};
}

std::pair<std::vector<std::string>, bool> fit_regressors(
    const std::vector<Guarded<Regressor>*>& models, const std::vector<AnyRows>& inputs,
    const std::vector<Given<double>>& targets, const Weights& weights, const Groups& groups,
    nb::object progress) {
  const auto of_model = [&](std::size_t k) { return span_of(targets.at(k)); };
  return train(models, inputs, of_model, weights, groups, std::move(progress));
}

std::pair<std::vector<std::string>, bool> fit_classifiers(
    const std::vector<Guarded<Classifier>*>& models, const std::vector<AnyRows>& inputs,
    const std::vector<Given<std::size_t>>& labels, const Weights& weights, const Groups& groups,
    nb::object progress) {
  const auto of_model = [&](std::size_t k) { return numbers_of(labels.at(k)); };
  return train(models, inputs, of_model, weights, groups, std::move(progress));
}

}  // namespace

void add_fleet(nb::module_& m) {
  m.def("fit_regressors", fit_regressors, nb::arg("models"), nb::arg("inputs"), nb::arg("targets"),
        nb::arg("weights"), nb::arg("groups"), nb::arg("progress").none(),
        "Train all in one call: why each learned nothing, and whether Ctrl-C ended it.");
  m.def("fit_classifiers", fit_classifiers, nb::arg("models"), nb::arg("inputs"), nb::arg("labels"),
        nb::arg("weights"), nb::arg("groups"), nb::arg("progress").none(),
        "Train all in one call: why each learned nothing, and whether Ctrl-C ended it.");
}

}  // namespace postrider::python
