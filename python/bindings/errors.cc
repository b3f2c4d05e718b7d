// Exceptions of the library as Python's, with the same words: a user's mistake or a damaged file is a
// ValueError, a file that cannot be opened, read or written an OSError of the kind that Python itself
// would raise, an estimator without fit scikit-learn's NotFittedError, other trouble a RuntimeError.
#include <exception>

#include "bindings.h"
#include "postrider/error.h"

namespace postrider::python {
namespace {

// OSError(code, text) makes the subclass itself, such as FileNotFoundError. The text is the whole message:
// with the path as a third argument Python would print it twice.
void set_file_error(const FileError& error) {
  if (error.code() == 0) {
    PyErr_SetString(PyExc_OSError, error.what());
    return;
  }
  nanobind::object made =
      nanobind::steal(PyObject_CallFunction(PyExc_OSError, "is", error.code(), error.what()));
  if (!made.is_valid()) return;  // the reason is set already
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
}

// With what is wrong as data: `field` and `value`, empty where the message is a sentence of its own.
void set_invalid_argument(const InvalidArgument& error) {
  nanobind::object made =
      nanobind::steal(PyObject_CallFunction(PyExc_ValueError, "s", error.what()));
  if (!made.is_valid()) return;  // the reason is set already
  nanobind::setattr(made, "field", nanobind::str(error.field().c_str()));
  nanobind::setattr(made, "value", nanobind::str(error.value().c_str()));
  PyErr_SetObject(PyExc_ValueError, made.ptr());
}

void set_not_fitted(const NotFitted& error) {
  nanobind::object module = nanobind::steal(PyImport_ImportModule("sklearn.exceptions"));
  nanobind::object type = nanobind::steal(
      module.is_valid() ? PyObject_GetAttrString(module.ptr(), "NotFittedError") : nullptr);
  if (type.is_valid()) PyErr_SetString(type.ptr(), error.what());
}

void translate(const std::exception_ptr& thrown, void* /*payload*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const InvalidArgument& error) {
    set_invalid_argument(error);
  } catch (const CorruptFile& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  } catch (const FileError& error) {
    set_file_error(error);
  } catch (const NotFitted& error) {
    set_not_fitted(error);
  } catch (const Interrupted& error) {
    PyErr_SetString(PyExc_KeyboardInterrupt, error.what());
  } catch (const Error& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

}  // namespace

void add_errors(nanobind::module_& /*m*/) { nanobind::register_exception_translator(translate); }

}  // namespace postrider::python
