#include "postrider/classifier.h"

#include "bindings.h"
#include "estimators.h"

namespace postrider::python {
namespace {

namespace nb = nanobind;
using Self = Guarded<Classifier>;

}  // namespace

void add_classifier(nb::module_& m) {
  auto to = nb::class_<Self>(m, "Classifier", "postrider::Classifier");
  to.def(
        "__init__",
        [](Self* self, std::vector<std::size_t> hidden, std::string activation,
           std::string precision, double weights_per_example, std::size_t members,
           std::size_t max_epochs, std::size_t patience, std::uint64_t seed, unsigned threads,
           std::size_t classes, double calibration_share) {
          ClassifierOptions options;
          CommonOptions{std::move(hidden),
                        std::move(activation),
                        std::move(precision),
                        weights_per_example,
                        members,
                        max_epochs,
                        patience,
                        seed,
                        threads}
              .give(options);
          options.classes = classes;
          options.calibration_share = calibration_share;
          new (self) Self(options);
        },
        nb::kw_only(), nb::arg("hidden"), nb::arg("activation"), nb::arg("precision"),
        nb::arg("weights_per_example"), nb::arg("members"), nb::arg("max_epochs"),
        nb::arg("patience"), nb::arg("seed"), nb::arg("threads"), nb::arg("classes"),
        nb::arg("calibration_share"))
      .def(
          "fit",
          [](Self& self, const Given<double>& inputs, const Given<std::size_t>& labels,
             nb::object progress) {
            return self.train(
                [&](Classifier& classifier) {
                  return classifier.fit(span_of(inputs), span_of(labels));
                },
                std::move(progress));
          },
          nb::arg("inputs"), nb::arg("labels"), nb::arg("progress").none())
      .def("partial_fit",
           [](Self& self, const Given<double>& inputs, const Given<std::size_t>& labels) {
             self.change([&](Classifier& classifier) {
               classifier.partial_fit(span_of(inputs), span_of(labels));
             });
           })
      .def("predict_probabilities",
           [](const Self& self, const Given<double>& inputs) {
             std::vector<double> out = self.read([&](const Classifier& classifier) {
               return classifier.predict_probabilities(span_of(inputs));
             });
             const std::size_t classes = self.unguarded().classes();
             const std::size_t rows = out.size() / classes;
             return numpy_of(std::move(out), {rows, classes});
           })
      .def_prop_ro("classes", [](const Self& self) { return self.unguarded().classes(); })
      .def_prop_ro("temperature", [](const Self& self) { return self.unguarded().temperature(); })
      .def("noise_variance", [](const Self& self, std::size_t member) {
        return self.unguarded().noise_variance(member);
      });
  add_common(to);
}

}  // namespace postrider::python
