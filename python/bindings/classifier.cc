#include "postrider/classifier.h"

#include <nanobind/stl/optional.h>

#include "bindings.h"
#include "estimators.h"
#include "postrider/evaluation.h"

namespace postrider::python {
namespace {

namespace nb = nanobind;
using Self = Guarded<Classifier>;

template <class Rows>
std::pair<std::vector<FitReport>, bool> fit(Self& self, const Rows& inputs,
                                            const Given<std::size_t>& labels,
                                            const std::optional<Given<double>>& weights,
                                            nb::object progress,
                                            const std::optional<Given<std::uint32_t>>& groups,
                                            double time_budget) {
  return self.train(
      rows_of(inputs),
      [&](Classifier& classifier, const TrainingCallbacks& callbacks) {
        const WeightedRows rows =
            counted_rows(inputs, numbers_of(labels), weights, WeightedRows::Order::canonical);
        const std::vector<std::uint32_t> together = groups_of(rows, groups);
        return classifier.fit({rows.inputs, rows.targets, rows.weights, together}, callbacks);
      },
      std::move(progress), time_budget);
}

template <class Rows>
StreamReport partial_fit(Self& self, const Rows& inputs, const Given<std::size_t>& labels,
                         const std::optional<Given<double>>& weights) {
  return self.learn_more([&](Classifier& classifier) {
    if (!weights) return classifier.partial_fit(inputs_of(inputs), span_of(labels));
    const WeightedRows given =
        counted_rows(inputs, numbers_of(labels), weights, WeightedRows::Order::given);
    return classifier.partial_fit({given.inputs, given.targets, given.weights});
  });
}

// Whether the rows are what is learned without a look from Python: an array of double of the right
// shape. The labels are class numbers already. Else nothing is learned, and nothing is
// returned.
std::optional<StreamReport> learn_if_ready(Self& self, nb::handle inputs,
                                           const Given<std::size_t>& labels) {
  Given<double> x;
  if (!nb::try_cast(inputs, x, false)) return {};
  if (x.ndim() != 2 || x.shape(0) == 0 || x.shape(1) != self.unguarded().inputs() ||
      labels.size() != x.shape(0))
    return {};
  return self.learn_more(
      [&](Classifier& to) { return to.partial_fit(span_of(x), span_of(labels)); });
}

template <class Rows>
std::tuple<std::string, std::string, bool> certificate(const Self& self, const Rows& inputs,
                                                       const Given<std::size_t>& labels,
                                                       std::size_t member, std::size_t rows,
                                                       std::size_t messages, std::uint64_t seed) {
  return self.read([&](const Classifier& classifier) {
    const SparseInputs x = classifier.encoded_inputs(inputs_of(inputs));
    const std::vector<double> y(labels.data(), labels.data() + labels.size());
    return certificate_of(classifier.network(member), {x, y}, network::Likelihood::classes,
                          classifier.noise_variance(member),
                          {.seed = seed,
                           .rows = rows,
                           .messages = messages,
                           .threads = classifier.options().training.threads});
  });
}

template <class Rows>
Numpy<double> predict_probabilities(const Self& self, const Rows& inputs) {
  std::vector<double> out = self.read([&](const Classifier& classifier) {
    return classifier.predict_probabilities(inputs_of(inputs));
  });
  const std::size_t classes = self.unguarded().classes();
  const std::size_t rows = out.size() / classes;
  return numpy_of(std::move(out), {rows, classes});
}

template <class Rows>
TableEvaluation evaluate(const Self& self, const Rows& inputs, const Given<std::size_t>& labels) {
  return self.read([&](const Classifier& classifier) {
    return evaluate_classes(classifier.predict_probabilities(inputs_of(inputs)), span_of(labels));
  });
}

// What takes rows, for one form of them.
template <class Rows>
void add_row_calls(nb::class_<Self>& to) {
  to.def("fit", fit<Rows>, nb::arg("inputs"), nb::arg("labels"), nb::arg("weights").none(),
         nb::arg("progress").none(), nb::arg("groups").none() = nb::none(),
         nb::arg("time_budget") = 0.0)
      .def("partial_fit", partial_fit<Rows>, nb::arg("inputs"), nb::arg("labels"),
           nb::arg("weights").none())
      .def("certificate", certificate<Rows>)
      .def("predict_probabilities", predict_probabilities<Rows>)
      .def("evaluate", evaluate<Rows>);
}

}  // namespace

void add_classifier(nb::module_& m) {
  auto to = nb::class_<Self>(m, "Classifier", "postrider::Classifier");
  to.def(
        "__init__",
        [](Self* self, const nb::dict& parameters, std::size_t classes) {
          EstimatorOptions options = options_from(parameters);
          options.classes = classes;
          new (self) Self(Classifier(options));
        },
        nb::arg("options"), nb::kw_only(), nb::arg("classes"))
      .def("learn_if_ready", learn_if_ready)
      .def_prop_ro("classes", [](const Self& self) { return self.unguarded().classes(); })
      .def_prop_ro("temperature", [](const Self& self) { return self.unguarded().temperature(); });
  add_row_calls<Given<double>>(to);
  add_row_calls<SparseMatrix>(to);
  add_common(to);
}

}  // namespace postrider::python
