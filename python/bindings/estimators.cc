#include "estimators.h"

#include "bindings.h"
#include "postrider/error.h"

namespace postrider::python {

namespace nb = nanobind;

Activation CommonOptions::chosen_activation() const {
  for (const Activation each : {Activation::leaky_relu, Activation::relu, Activation::identity})
    if (activation == to_string(each)) return each;
  reject("activation", activation, "must be leaky_relu, relu or identity");
}

Precision CommonOptions::chosen_precision() const {
  if (precision == "float32") return Precision::float32;
  if (precision == "float64") return Precision::float64;
  reject("precision", precision, "must be float32 or float64");
}

void add_estimator_options(nb::module_& m) {
  nb::class_<CommonOptions>(m, "EstimatorOptions", "Options that both estimators have.")
      .def(
          "__init__",
          [](CommonOptions* self, std::vector<std::size_t> hidden, std::string activation,
             std::string precision, double weights_per_example, std::size_t members,
             std::size_t max_epochs, std::size_t patience, std::uint64_t seed, unsigned threads) {
            new (self) CommonOptions{std::move(hidden),
                                     std::move(activation),
                                     std::move(precision),
                                     weights_per_example,
                                     members,
                                     max_epochs,
                                     patience,
                                     seed,
                                     threads};
          },
          nb::kw_only(), nb::arg("hidden"), nb::arg("activation"), nb::arg("precision"),
          nb::arg("weights_per_example"), nb::arg("members"), nb::arg("max_epochs"),
          nb::arg("patience"), nb::arg("seed"), nb::arg("threads"));
}

namespace {

template <class T>
View view_of(const T* data, const LayerBeliefs<T>& layer, nb::handle owner) {
  const std::size_t shape[2] = {layer.units, layer.inputs};
  const std::int64_t strides[2] = {static_cast<std::int64_t>(layer.unit_stride),
                                   static_cast<std::int64_t>(layer.input_stride)};
  return View(data, 2, shape, owner, strides, nb::dtype<T>());
}

}  // namespace

std::vector<std::pair<View, View>> beliefs_of(const Network& network, nb::handle owner) {
  std::vector<std::pair<View, View>> out;
  for (std::size_t l = 0; l < network.options().layers.size(); ++l)
    std::visit(
        [&](const auto& layer) {
          out.emplace_back(view_of(layer.tau, layer, owner), view_of(layer.rho, layer, owner));
        },
        network.layer_beliefs(l));
  return out;
}

std::tuple<std::string, std::string, bool> certificate_of(const Network& network,
                                                          const ObservedRows& rows,
                                                          const NetworkCertifyOptions& options) {
  const NetworkCertificate found = certify_network(network, rows, options);
  return {to_text(found), to_json(found), found.passed()};
}

}  // namespace postrider::python
