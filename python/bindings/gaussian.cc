// Gaussian as a value type, and its operations on arrays of tau and rho.
#include "postrider/gaussian.h"

#include <nanobind/operators.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <string_view>

#include "bindings.h"
#include "message_arrays.h"

namespace postrider::python {
namespace {

std::string_view state_name(const Gaussian& message) {
  switch (message.state()) {
    case Gaussian::State::proper:
      return "proper";
    case Gaussian::State::uniform:
      return "uniform";
    case Gaussian::State::point_mass:
      return "point mass";
    case Gaussian::State::improper:
      break;
  }
  return "improper";
}

// Such that Python reads it back.
std::string representation(const Gaussian& message) {
  const auto call = [](const char* name, double a, double b) {
    return nb::cast<std::string>(nb::str("Gaussian{}({!r}, {!r})").attr("format")(name, a, b));
  };
  switch (message.state()) {
    case Gaussian::State::proper:
      return call("", message.mean(), message.variance());
    case Gaussian::State::uniform:
      return "Gaussian.uniform()";
    case Gaussian::State::point_mass:
      return nb::cast<std::string>(
          nb::str("Gaussian.point_mass({!r})").attr("format")(message.mean()));
    case Gaussian::State::improper:
      break;
  }
  return call(".from_natural", message.tau(), message.rho());
}

NaturalPair natural_of_moments(const Doubles& mean, const Doubles& variance) {
  const std::size_t count = mean.shape(0);
  expect_length("variance", variance.shape(0), count);
  NaturalRoom out(count);
  for (std::size_t i = 0; i < count; ++i) out.set(i, Gaussian::from_moments(mean(i), variance(i)));
  return out.release({count});
}

NaturalPair moments_of_natural(const Doubles& tau, const Doubles& rho) {
  const std::size_t count = tau.shape(0);
  expect_length("rho", rho.shape(0), count);
  Room mean(count), variance(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Gaussian message = gaussian_at(tau, rho, i);
    mean[i] = message.mean();
    variance[i] = message.variance();
  }
  return NaturalPair(nb::make_tuple(mean.release({count}), variance.release({count})));
}

template <class Operation>
NaturalPair for_each_pair(const Doubles& tau_a, const Doubles& rho_a, const Doubles& tau_b,
                          const Doubles& rho_b, Operation operation) {
  const std::size_t count = tau_a.shape(0);
  expect_length("rho_a", rho_a.shape(0), count);
  expect_length("tau_b", tau_b.shape(0), count);
  expect_length("rho_b", rho_b.shape(0), count);
  NaturalRoom out(count);
  for (std::size_t i = 0; i < count; ++i)
    out.set(i, operation(gaussian_at(tau_a, rho_a, i), gaussian_at(tau_b, rho_b, i)));
  return out.release({count});
}

NewDoubles log_density(const Doubles& tau, const Doubles& rho, const Doubles& x) {
  const std::size_t count = tau.shape(0);
  expect_length("rho", rho.shape(0), count);
  expect_length("x", x.shape(0), count);
  Room out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = gaussian_at(tau, rho, i).log_density(x(i));
  return out.release({count});
}

constexpr const char* kDoc = R"(A one-dimensional Gaussian message or belief.

Multiply and divide as the densities they stand for, up to scale. Besides proper Gaussians there
are the uniform message, which says nothing, and the point mass, which is a known value.

Parameters
----------
mean : float
    Must be finite.
variance : float
    At least 0. Zero gives a point mass, infinity the uniform message.

Attributes
----------
mean, variance, std : float
    Mean 0 and variance infinity for the uniform message.
precision : float
    One over the variance.
tau, rho : float
    The natural parameters, mean / variance and 1 / variance. Of a point mass, `rho` is infinite
    and `tau` its value.
state : {'proper', 'uniform', 'point mass', 'improper'}
    A quotient may be improper: it has a negative precision and is no message.

Examples
--------
>>> from postrider import Gaussian
>>> belief = Gaussian(20.0, 25.0) * Gaussian(23.0, 1.0)
>>> round(belief.mean, 4), round(belief.variance, 4)
(22.8846, 0.9615)
>>> Gaussian.uniform() * belief == belief
True
>>> (Gaussian(0.0, 2.0) / Gaussian(0.0, 1.0)).state
'improper'
)";

}  // namespace

void add_gaussian(nb::module_& m) {
  nb::class_<Gaussian>(m, "Gaussian", kDoc)
      .def(
          "__init__",
          [](Gaussian* at, double mean, double variance) {
            new (at) Gaussian(Gaussian::from_moments(mean, variance));
          },
          nb::arg("mean"), nb::arg("variance"))
      .def_static("uniform", &Gaussian::uniform, "The message that says nothing.")
      .def_static("point_mass", &Gaussian::point_mass, nb::arg("value"), "A known value.")
      .def_static("from_natural", &Gaussian::from_natural, nb::arg("tau"), nb::arg("rho"),
                  "From mean / variance and 1 / variance; a negative `rho` is improper.")
      .def_prop_ro("mean", &Gaussian::mean)
      .def_prop_ro("variance", &Gaussian::variance)
      .def_prop_ro("std", &Gaussian::std)
      .def_prop_ro("precision", &Gaussian::rho)
      .def_prop_ro("tau", &Gaussian::tau)
      .def_prop_ro("rho", &Gaussian::rho)
      .def_prop_ro("state", [](const Gaussian& self) { return std::string(state_name(self)); })
      .def("log_density", &Gaussian::log_density, nb::arg("x"),
           "log N(x; mean, variance); 0 for the uniform message.")
      .def(nb::self * nb::self)
      .def(nb::self / nb::self)
      .def("__pow__", &Gaussian::power, nb::arg("exponent"), nb::is_operator())
      .def(
          "__eq__", [](const Gaussian& self, const Gaussian& other) { return self == other; },
          nb::is_operator(), nb::sig("def __eq__(self, arg: object, /) -> bool"))
      .def("__hash__",
           [](const Gaussian& self) { return nb::hash(nb::make_tuple(self.tau(), self.rho())); })
      .def("__repr__", representation)
      .def("__str__", [](const Gaussian& self) { return to_string(self); })
      .def("__getstate__",
           [](const Gaussian& self) { return std::make_pair(self.tau(), self.rho()); })
      .def("__setstate__", [](Gaussian& self, std::pair<double, double> state) {
        new (&self) Gaussian(gaussian_of(state.first, state.second));
      });
  m.def("log_overlap", &log_overlap, nb::arg("a"), nb::arg("b"),
        "log of the integral of the product of two messages.");
  m.def("kl_divergence", nb::overload_cast<const Gaussian&, const Gaussian&>(&kl_divergence),
        nb::arg("p"), nb::arg("q"), "KL(p || q) of two Gaussians.");

  m.def("gaussian_of", gaussian_of, nb::arg("tau"), nb::arg("rho"));
  m.def("natural_of_moments", natural_of_moments, nb::arg("mean"), nb::arg("variance"));
  m.def("moments_of_natural", moments_of_natural, nb::arg("tau"), nb::arg("rho"));
  m.def(
      "multiply",
      [](const Doubles& tau_a, const Doubles& rho_a, const Doubles& tau_b, const Doubles& rho_b) {
        return for_each_pair(tau_a, rho_a, tau_b, rho_b,
                             [](const Gaussian& a, const Gaussian& b) { return a * b; });
      },
      nb::arg("tau_a"), nb::arg("rho_a"), nb::arg("tau_b"), nb::arg("rho_b"));
  m.def(
      "divide",
      [](const Doubles& tau_a, const Doubles& rho_a, const Doubles& tau_b, const Doubles& rho_b) {
        return for_each_pair(tau_a, rho_a, tau_b, rho_b,
                             [](const Gaussian& a, const Gaussian& b) { return a / b; });
      },
      nb::arg("tau_a"), nb::arg("rho_a"), nb::arg("tau_b"), nb::arg("rho_b"));
  m.def("log_density", log_density, nb::arg("tau"), nb::arg("rho"), nb::arg("x"));
}

}  // namespace postrider::python
