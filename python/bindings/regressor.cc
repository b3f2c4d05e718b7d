#include "postrider/regressor.h"

#include "bindings.h"
#include "estimators.h"

namespace postrider::python {
namespace {

namespace nb = nanobind;
using Self = Guarded<Regressor>;

std::tuple<Numpy<double>, Numpy<double>, Numpy<double>> predict(const Self& self,
                                                                const Given<double>& inputs) {
  Forecast forecast =
      self.read([&](const Regressor& regressor) { return regressor.predict(span_of(inputs)); });
  const std::size_t targets = self.unguarded().options().outputs;
  const std::vector<std::size_t> shape{forecast.mean.size() / targets, targets};
  return {numpy_of(std::move(forecast.mean), shape), numpy_of(std::move(forecast.variance), shape),
          numpy_of(std::move(forecast.noise_variance), shape)};
}

}  // namespace

void add_regressor(nb::module_& m) {
  auto to = nb::class_<Self>(m, "Regressor", "postrider::Regressor");
  to.def(
        "__init__",
        [](Self* self, std::vector<std::size_t> hidden, std::string activation,
           std::string precision, double weights_per_example, std::size_t members,
           std::size_t max_epochs, std::size_t patience, std::uint64_t seed, unsigned threads,
           std::size_t outputs, bool varying_noise) {
          RegressorOptions options;
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
          options.outputs = outputs;
          options.varying_noise = varying_noise;
          new (self) Self(options);
        },
        nb::kw_only(), nb::arg("hidden"), nb::arg("activation"), nb::arg("precision"),
        nb::arg("weights_per_example"), nb::arg("members"), nb::arg("max_epochs"),
        nb::arg("patience"), nb::arg("seed"), nb::arg("threads"), nb::arg("outputs"),
        nb::arg("varying_noise"))
      .def(
          "fit",
          [](Self& self, const Given<double>& inputs, const Given<double>& targets,
             nb::object progress) {
            return self.train(
                [&](Regressor& regressor) {
                  return regressor.fit(span_of(inputs), span_of(targets));
                },
                std::move(progress));
          },
          nb::arg("inputs"), nb::arg("targets"), nb::arg("progress").none())
      .def("partial_fit",
           [](Self& self, const Given<double>& inputs, const Given<double>& targets) {
             self.change([&](Regressor& regressor) {
               regressor.partial_fit(span_of(inputs), span_of(targets));
             });
           })
      .def("predict", predict)
      .def("log_likelihood",
           [](const Self& self, const Given<double>& inputs, const Given<double>& targets) {
             return self.read([&](const Regressor& regressor) {
               return regressor.log_likelihood(span_of(inputs), span_of(targets));
             });
           })
      .def_prop_ro("outputs", [](const Self& self) { return self.unguarded().options().outputs; })
      .def_prop_ro("varying_noise",
                   [](const Self& self) { return self.unguarded().options().varying_noise; })
      .def("noise_variance", [](const Self& self, std::size_t member) {
        return self.unguarded().noise_variance(member);
      });
  add_common(to);
}

}  // namespace postrider::python
