#include "postrider/regressor.h"

#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cmath>

#include "bindings.h"
#include "estimators.h"
#include "postrider/error.h"
#include "postrider/evaluation.h"
#include "postrider/row_selection.h"

namespace postrider::python {
namespace {

namespace nb = nanobind;
using Self = Guarded<Regressor>;

template <class Rows>
std::tuple<Numpy<double>, Numpy<double>, Numpy<double>> predict(const Self& self,
                                                                const Rows& inputs) {
  Forecast forecast =
      self.read([&](const Regressor& regressor) { return regressor.predict(inputs_of(inputs)); });
  const std::size_t targets = self.unguarded().options().outputs;
  const std::vector<std::size_t> shape{forecast.mean.size() / targets, targets};
  return {numpy_of(std::move(forecast.mean), shape), numpy_of(std::move(forecast.variance), shape),
          numpy_of(std::move(forecast.noise_variance), shape)};
}

template <class Rows>
std::pair<std::vector<FitReport>, bool> fit(Self& self, const Rows& inputs,
                                            const Given<double>& targets,
                                            const std::optional<Given<double>>& weights,
                                            nb::object progress,
                                            const std::optional<Given<std::uint32_t>>& groups,
                                            double time_budget) {
  return self.train(
      rows_of(inputs),
      [&](Regressor& regressor, const TrainingCallbacks& callbacks) {
        const auto rows =
            counted_rows(inputs, span_of(targets), weights, WeightedRows::Order::canonical);
        return regressor.fit(rows.inputs, rows.targets, rows.weights, callbacks,
                             groups_of(rows, groups));
      },
      std::move(progress), time_budget);
}

template <class Rows>
StreamReport partial_fit(Self& self, const Rows& inputs, const Given<double>& targets,
                         const std::optional<Given<double>>& weights) {
  return self.learn_more([&](Regressor& regressor) {
    if (!weights) return regressor.partial_fit(inputs_of(inputs), span_of(targets));
    const auto rows = counted_rows(inputs, span_of(targets), weights, WeightedRows::Order::given);
    return regressor.partial_fit(rows.inputs, rows.targets, rows.weights);
  });
}

// Whether both are what is learned without a look from Python: arrays of double, of the right shape,
// without a target that is not a number. Else nothing is learned, and nothing is returned.
std::optional<StreamReport> learn_if_ready(Self& self, nb::handle inputs, nb::handle targets) {
  Given<double> x, y;
  if (!nb::try_cast(inputs, x, false) || !nb::try_cast(targets, y, false)) return {};
  const Regressor& regressor = self.unguarded();
  const std::size_t outputs = regressor.options().outputs;
  const bool fits = x.ndim() == 2 && x.shape(0) > 0 && x.shape(1) == regressor.inputs() &&
                    y.ndim() == (outputs == 1 ? 1 : 2) && y.size() == x.shape(0) * outputs;
  const auto is_number = [](double value) { return std::isfinite(value); };
  if (!fits || !std::ranges::all_of(span_of(y), is_number)) return {};
  return self.learn_more([&](Regressor& to) { return to.partial_fit(span_of(x), span_of(y)); });
}

std::vector<std::size_t> shape_of(const Self& self, std::size_t size, std::size_t each) {
  const std::size_t targets = self.unguarded().options().outputs;
  return {each == 0 ? 0 : size / targets / each, targets, each};
}

template <class Rows>
Numpy<double> quantiles(const Self& self, const Rows& inputs,
                        const std::vector<double>& probabilities) {
  std::vector<double> out = self.read([&](const Regressor& regressor) {
    return regressor.quantiles(inputs_of(inputs), probabilities);
  });
  const std::vector<std::size_t> shape = shape_of(self, out.size(), probabilities.size());
  return numpy_of(std::move(out), shape);
}

template <class Rows>
Numpy<double> intervals(const Self& self, const Rows& inputs, double level) {
  std::vector<double> out = self.read(
      [&](const Regressor& regressor) { return regressor.intervals(inputs_of(inputs), level); });
  const std::vector<std::size_t> shape = shape_of(self, out.size(), 2);
  return numpy_of(std::move(out), shape);
}

template <class Rows>
Numpy<double> samples(const Self& self, const Rows& inputs, std::size_t count, std::uint64_t seed,
                      std::size_t first_row) {
  std::vector<double> out = self.read([&](const Regressor& regressor) {
    return regressor.samples(inputs_of(inputs), count, seed, first_row);
  });
  const std::vector<std::size_t> shape = shape_of(self, out.size(), count);
  return numpy_of(std::move(out), shape);
}

template <class Rows>
std::tuple<std::string, std::string, bool> certificate(const Self& self, const Rows& inputs,
                                                       const Given<double>& targets,
                                                       std::size_t member, std::size_t rows,
                                                       std::size_t messages, std::uint64_t seed) {
  return self.read([&](const Regressor& regressor) {
    const SparseInputs x = regressor.encoded_inputs(inputs_of(inputs));
    const std::vector<double> y = regressor.standardised_targets(span_of(targets));
    const bool varies = regressor.options().varying_noise;
    return certificate_of(
        regressor.network(member), {x, y},
        varies ? network::Likelihood::varying_noise : network::Likelihood::gaussian,
        regressor.noise_variance(member),
        {.seed = seed,
         .rows = rows,
         .messages = messages,
         .threads = regressor.options().training.threads});
  });
}

template <class Rows>
double log_likelihood(const Self& self, const Rows& inputs, const Given<double>& targets) {
  return self.read([&](const Regressor& regressor) {
    return regressor.log_likelihood(inputs_of(inputs), span_of(targets));
  });
}

template <class Rows>
TableEvaluation evaluate(const Self& self, const Rows& inputs, const Given<double>& targets) {
  return self.read([&](const Regressor& regressor) {
    const std::span<const double> came = span_of(targets);
    return evaluate_numbers(
        predicted_numbers(regressor.distributions(inputs_of(inputs)), {came.begin(), came.end()}));
  });
}

std::vector<FunctionDraw> sample_functions(const Self& self, std::size_t count, std::uint64_t seed,
                                           const std::optional<Given<double>>& inputs,
                                           const std::optional<Given<double>>& targets,
                                           const std::optional<Given<double>>& weights,
                                           std::optional<double> noise_std) {
  return self.read([&](const Regressor& regressor) {
    if (!inputs || !targets) return regressor.sample_functions(count, seed);
    return regressor.sample_functions(
        count, seed, {inputs_of(*inputs), span_of(*targets), span_of(weights)}, noise_std);
  });
}

// Rows of the pool and the share of its variance that each removes.
std::pair<std::vector<std::size_t>, std::vector<double>> select_rows(
    const Self& self, const Given<double>& pool, const SelectionOptions& options,
    const std::optional<Given<double>>& inputs, const std::optional<Given<double>>& targets,
    const std::optional<Given<double>>& weights, std::optional<double> noise_std) {
  const std::vector<SelectedRow> found = self.read([&](const Regressor& regressor) {
    if (!inputs || !targets) return postrider::select_rows(regressor, inputs_of(pool), options);
    const Examples labelled{inputs_of(*inputs), span_of(*targets), span_of(weights)};
    return postrider::select_rows(regressor, inputs_of(pool), options, &labelled, noise_std);
  });
  std::pair<std::vector<std::size_t>, std::vector<double>> out;
  for (const SelectedRow& each : found) {
    out.first.push_back(each.row);
    out.second.push_back(each.removed);
  }
  return out;
}

// What takes rows, for one form of them.
template <class Rows>
void add_row_calls(nb::class_<Self>& to) {
  to.def("fit", fit<Rows>, nb::arg("inputs"), nb::arg("targets"), nb::arg("weights").none(),
         nb::arg("progress").none(), nb::arg("groups").none() = nb::none(),
         nb::arg("time_budget") = 0.0)
      .def("partial_fit", partial_fit<Rows>, nb::arg("inputs"), nb::arg("targets"),
           nb::arg("weights").none())
      .def("predict", predict<Rows>)
      .def("quantiles", quantiles<Rows>)
      .def("intervals", intervals<Rows>)
      .def("samples", samples<Rows>)
      .def("certificate", certificate<Rows>)
      .def("log_likelihood", log_likelihood<Rows>)
      .def("evaluate", evaluate<Rows>);
}

}  // namespace

void add_regressor(nb::module_& m) {
  nb::class_<SparseMatrix>(m, "SparseMatrix", "A matrix of scipy in compressed sparse rows.")
      .def(
          "__init__",
          [](SparseMatrix* self, std::size_t columns, const Given<std::size_t>& begins,
             const Given<std::uint32_t>& places, const Given<double>& values) {
            if (begins.size() == 0) reject("begins", 0, "must be one more than there are rows");
            new (self) SparseMatrix{columns, begins, places, values};
          },
          nb::arg("columns"), nb::arg("begins"), nb::arg("places"), nb::arg("values"));
  auto to = nb::class_<Self>(m, "Regressor", "postrider::Regressor");
  to.def(
        "__init__",
        [](Self* self, const nb::dict& parameters, std::size_t outputs) {
          EstimatorOptions options = options_from(parameters);
          options.outputs = outputs;
          new (self) Self(Regressor(options));
        },
        nb::arg("options"), nb::kw_only(), nb::arg("outputs"))
      .def("learn_if_ready", learn_if_ready)
      .def("sample_functions", sample_functions, nb::arg("count"), nb::arg("seed"),
           nb::arg("inputs").none(), nb::arg("targets").none(), nb::arg("weights").none(),
           nb::arg("noise_std").none())
      .def(
          "select_rows",
          [](const Self& self, const Given<double>& pool, std::size_t count, std::size_t functions,
             std::size_t candidates, std::uint64_t seed, const std::optional<Given<double>>& inputs,
             const std::optional<Given<double>>& targets,
             const std::optional<Given<double>>& weights, std::optional<double> noise_std) {
            return select_rows(self, pool, {count, functions, candidates, seed}, inputs, targets,
                               weights, noise_std);
          },
          nb::arg("pool"), nb::arg("count"), nb::arg("functions"), nb::arg("candidates"),
          nb::arg("seed"), nb::arg("inputs").none(), nb::arg("targets").none(),
          nb::arg("weights").none(), nb::arg("noise_std").none())
      .def_prop_ro("outputs", [](const Self& self) { return self.unguarded().options().outputs; })
      .def_prop_ro("varying_noise",
                   [](const Self& self) { return self.unguarded().options().varying_noise; })
      .def_prop_ro(
          "target_scale",
          [](const Self& self) { return std::string(to_string(self.unguarded().target_scale())); })
      .def("target_steps", [](const Self& self) { return self.unguarded().target_steps(); })
      .def("learned_units", [](const Self& self) { return self.unguarded().learned_units(); })
      .def("target_stds", [](const Self& self) {
        std::vector<double> out;
        for (const Estimator::ColumnScale& scale : self.unguarded().target_scales())
          out.push_back(scale.std);
        return out;
      });
  add_row_calls<Given<double>>(to);
  add_row_calls<SparseMatrix>(to);
  add_common(to);
}

}  // namespace postrider::python
