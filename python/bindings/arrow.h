// Objects of Python with __arrow_c_stream__, and vectors as numpy arrays.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

#include "postrider/arrow.h"

namespace postrider::python {

// The stream that an object hands out, in the capsule that frees its memory. Raises TypeError if it
// hands out none.
class ArrowCapsule {
 public:
  explicit ArrowCapsule(nanobind::handle data);
  ArrowArrayStream& stream() const { return *stream_; }

 private:
  nanobind::object capsule_;
  ArrowArrayStream* stream_;
};

template <class T>
using Array = nanobind::ndarray<nanobind::numpy, T>;

// The array owns the vector's memory: nothing is copied.
template <class T>
Array<T> as_array(std::vector<T> values, std::initializer_list<std::size_t> shape) {
  auto* const kept = new std::vector<T>(std::move(values));
  nanobind::capsule owner(kept, [](void* at) noexcept { delete static_cast<std::vector<T>*>(at); });
  return Array<T>(kept->data(), shape, owner);
}

template <class T>
Array<T> as_array(std::vector<T> values) {
  const std::size_t size = values.size();
  return as_array(std::move(values), {size});
}

}  // namespace postrider::python
