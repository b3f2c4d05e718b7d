// numpy arrays as spans, and back, without copies.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace postrider::python {

template <class T>
using Given = nanobind::ndarray<const T, nanobind::c_contig, nanobind::device::cpu>;
template <class T>
using Numpy = nanobind::ndarray<nanobind::numpy, T>;

template <class T>
std::span<const T> span_of(const Given<T>& array) {
  return {array.data(), array.size()};
}

template <class T>
std::span<const T> span_of(const std::optional<Given<T>>& array) {
  return array ? span_of(*array) : std::span<const T>();
}

// The array takes the vector's memory over.
template <class T>
Numpy<T> numpy_of(std::vector<T> values, std::vector<std::size_t> shape) {
  auto* const owned = new std::vector<T>(std::move(values));
  nanobind::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Numpy<T>(owned->data(), shape.size(), shape.data(), owner);
}

}  // namespace postrider::python
