// numpy arrays in and out of the library's spans.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>

#include "postrider/error.h"
#include "postrider/gaussian.h"

namespace postrider::python {

namespace nb = nanobind;

using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Indices = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using NewDoubles = nb::ndarray<nb::numpy, double>;

// An array that numpy will own, and where to write its values.
struct Room {
  std::unique_ptr<double[]> values;

  explicit Room(std::size_t count) : values(new double[count]) {}
  double& operator[](std::size_t i) { return values[i]; }

  NewDoubles release(std::initializer_list<std::size_t> shape) {
    double* data = values.get();
    const nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    values.release();  // only now: making the capsule may throw
    return NewDoubles(data, shape, owner);
  }
};

inline void expect_length(const char* field, std::size_t found, std::size_t expected) {
  if (found != expected)
    reject(field, found, "must be as many values as the others, " + std::to_string(expected));
}

// In arrays a message is what Gaussian holds inside: of a point mass, rho is infinite and tau its
// value. Any state comes back, also the slope that a quotient of equal precisions leaves, which
// from_natural refuses as a mistake.
inline Gaussian gaussian_of(double tau, double rho) {
  if (rho == std::numeric_limits<double>::infinity()) return Gaussian::point_mass(tau);
  if (rho == 0 && tau != 0) return Gaussian::from_natural(tau, 1) / Gaussian::from_natural(0, 1);
  return Gaussian::from_natural(tau, rho);
}

inline Gaussian gaussian_at(const Doubles& tau, const Doubles& rho, std::size_t i) {
  return gaussian_of(tau(i), rho(i));
}

// Two arrays, tau and rho, that are filled message by message.
struct NaturalRoom {
  Room tau, rho;

  explicit NaturalRoom(std::size_t count) : tau(count), rho(count) {}
  void set(std::size_t i, const Gaussian& message) {
    tau[i] = message.tau();
    rho[i] = message.rho();
  }
  nb::typed<nb::tuple, NewDoubles, NewDoubles> release(std::initializer_list<std::size_t> shape) {
    return nb::typed<nb::tuple, NewDoubles, NewDoubles>(
        nb::make_tuple(tau.release(shape), rho.release(shape)));
  }
};

using NaturalPair = nb::typed<nb::tuple, NewDoubles, NewDoubles>;

}  // namespace postrider::python
