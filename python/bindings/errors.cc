// Exceptions of the library as Python's: a user's mistake is a ValueError, other trouble a
// RuntimeError, with the same words.
#include <exception>

#include "bindings.h"
#include "postrider/error.h"

namespace postrider::python {
namespace {

void translate(const std::exception_ptr& thrown, void* /*payload*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const InvalidArgument& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  } catch (const Error& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

}  // namespace

void add_errors(nanobind::module_& /*m*/) { nanobind::register_exception_translator(translate); }

}  // namespace postrider::python
