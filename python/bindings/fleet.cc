#include "postrider/fleet.h"

#include <nanobind/stl/optional.h>

#include <algorithm>
#include <deque>

#include "bindings.h"
#include "estimators.h"

namespace postrider::python {
namespace {

namespace nb = nanobind;
using Weights = std::vector<std::optional<Given<double>>>;

// All of them, always in the same order, so that two calls cannot wait for each other.
template <class Model>
std::vector<std::unique_lock<std::shared_mutex>> locked(std::vector<Guarded<Model>*> models) {
  std::ranges::sort(models);
  std::vector<std::unique_lock<std::shared_mutex>> out;
  for (Guarded<Model>* const model : models) out.push_back(model->locked());
  return out;
}

// Why each of them has learned nothing, empty if it has; and whether Ctrl-C ended training. `rows` makes
// what each one learns.
template <class Model, class Rows>
std::pair<std::vector<std::string>, bool> train(const std::vector<Guarded<Model>*>& models,
                                                const std::vector<Given<double>>& inputs,
                                                Rows&& rows, nb::object progress) {
  std::vector<std::string> failures;
  Watch watch;
  const bool interrupted = watch.run(
      [&] {
        const auto locks = locked(models);
        std::vector<Model*> fleet;
        for (Guarded<Model>* const model : models) fleet.push_back(&model->while_locked());
        const std::vector<FleetReport> reports = fit_fleet(fleet, rows(), watch.callbacks());
        for (std::size_t k = 0; k < models.size(); ++k) {
          failures.push_back(reports[k].failure);
          if (!reports[k].fits.empty()) models[k]->fitted(rows_of(inputs[k]), reports[k].fits);
        }
      },
      std::move(progress));
  return {std::move(failures), interrupted};
}

std::pair<std::vector<std::string>, bool> fit_regressors(
    const std::vector<Guarded<Regressor>*>& models, const std::vector<Given<double>>& inputs,
    const std::vector<Given<double>>& targets, const Weights& weights, nb::object progress) {
  std::deque<WeightedRows> kept;
  const auto rows = [&] {
    std::vector<NumericRows> out;
    for (std::size_t k = 0; k < models.size(); ++k) {
      const WeightedRows& own = kept.emplace_back(
          weighted_rows(span_of(inputs.at(k)), span_of(targets.at(k)), span_of(weights.at(k)),
                        rows_of(inputs[k]), RowOrder::canonical));
      out.push_back({own.inputs, own.targets, own.weights});
    }
    return out;
  };
  return train(models, inputs, rows, std::move(progress));
}

std::pair<std::vector<std::string>, bool> fit_classifiers(
    const std::vector<Guarded<Classifier>*>& models, const std::vector<Given<double>>& inputs,
    const std::vector<Given<std::size_t>>& labels, const Weights& weights, nb::object progress) {
  std::deque<CountedLabels> kept;
  const auto rows = [&] {
    std::vector<LabelledRows> out;
    for (std::size_t k = 0; k < models.size(); ++k) {
      const CountedLabels& own =
          kept.emplace_back(inputs.at(k), labels.at(k), weights.at(k), RowOrder::canonical);
      out.push_back({own.rows.inputs, own.labels, own.rows.weights});
    }
    return out;
  };
  return train(models, inputs, rows, std::move(progress));
}

}  // namespace

void add_fleet(nb::module_& m) {
  m.def("fit_regressors", fit_regressors, nb::arg("models"), nb::arg("inputs"), nb::arg("targets"),
        nb::arg("weights"), nb::arg("progress").none(),
        "Train all in one call: why each learned nothing, and whether Ctrl-C ended it.");
  m.def("fit_classifiers", fit_classifiers, nb::arg("models"), nb::arg("inputs"), nb::arg("labels"),
        nb::arg("weights"), nb::arg("progress").none(),
        "Train all in one call: why each learned nothing, and whether Ctrl-C ended it.");
}

}  // namespace postrider::python
