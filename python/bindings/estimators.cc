#include "estimators.h"

#include <nanobind/stl/string_view.h>

#include <array>
#include <string_view>

#include "bindings.h"
#include "postrider/error.h"

namespace postrider::python {

namespace nb = nanobind;

namespace {

[[noreturn]] void refuse(const OptionInfo& info, nb::handle value) {
  std::string accepted = info.accepted();
  if (info.zero_chooses)
    accepted = accepted.substr(0, accepted.find(", or 0")) + ", or None to choose it";
  detail::reject_verbatim(info.python, nb::cast<std::string>(nb::repr(value)), accepted);
}

// What stands for a choice of the library's.
OptionValue zero_of(OptionInfo::Kind kind) {
  if (kind == OptionInfo::Kind::count) return std::uint64_t{0};
  if (kind == OptionInfo::Kind::counts) return std::vector<std::size_t>{0};
  return 0.0;
}

// A whole number, also one of numpy's; True is none.
std::uint64_t count_from(const OptionInfo& info, nb::handle value) {
  if (PyBool_Check(value.ptr()) || !PyIndex_Check(value.ptr())) refuse(info, value);
  const nb::object index = nb::steal(PyNumber_Index(value.ptr()));
  std::uint64_t out = 0;
  if (!index.is_valid() || !nb::try_cast(index, out)) {
    PyErr_Clear();
    refuse(info, value);
  }
  return out;
}

double number_from(const OptionInfo& info, nb::handle value) {
  double out = 0;
  if (PyBool_Check(value.ptr()) || !nb::try_cast(value, out)) refuse(info, value);
  return out;
}

OptionValue value_from(const OptionInfo& info, nb::handle value) {
  switch (info.kind) {
    case OptionInfo::Kind::flag: {
      // Also one of numpy's; a text such as "no" would be true.
      const std::string type =
          nb::cast<std::string>(nb::str(nb::handle(value.type()).attr("__name__")));
      if (!PyBool_Check(value.ptr()) && type != "bool" && type != "bool_") refuse(info, value);
      return PyObject_IsTrue(value.ptr()) == 1;
    }
    case OptionInfo::Kind::count:
      return count_from(info, value);
    case OptionInfo::Kind::number:
      return number_from(info, value);
    case OptionInfo::Kind::counts: {
      std::vector<std::size_t> out;
      for (const nb::handle each : value) out.push_back(count_from(info, each));
      return out;
    }
    case OptionInfo::Kind::numbers: {
      std::vector<double> out;
      if (value.is_none()) return out;
      if (double number = 0; nb::try_cast(value, number) && !PyBool_Check(value.ptr()))
        return std::vector<double>{number};
      if (!nb::isinstance<nb::iterable>(value)) refuse(info, value);
      for (const nb::handle each : value) out.push_back(number_from(info, each));
      return out;
    }
    case OptionInfo::Kind::text:
    case OptionInfo::Kind::choice:
      break;
  }
  std::string out;
  if (!nb::try_cast(value, out)) refuse(info, value);
  return out;
}

const OptionInfo& option_named(std::string_view python) {
  for (const OptionInfo& info : estimator_options())
    if (info.python == python) return info;
  reject("option", python, "is not an option of estimators");
}

// What the documentation of a parameter is made of.
nb::dict described(const OptionInfo& info) {
  nb::dict out;
  out["name"] = info.python;
  out["kind"] = std::array{"flag", "count", "number", "text", "choice", "counts", "numbers"}
      [static_cast<std::size_t>(info.kind)];
  out["zero_chooses"] = info.zero_chooses;
  out["choices"] = nb::cast(std::vector<std::string>(info.choices.begin(), info.choices.end()));
  out["help"] = info.help;
  std::visit([&](const auto& value) { out["default"] = nb::cast(value); },
             get_option({}, info.name));
  return out;
}

}  // namespace

EstimatorOptions options_from(const nb::dict& parameters) {
  EstimatorOptions out;
  for (const auto& [key, value] : parameters) {
    const OptionInfo& info = option_named(nb::cast<std::string>(key));
    OptionValue given =
        info.zero_chooses && value.is_none() ? zero_of(info.kind) : value_from(info, value);
    try {
      set_option(out, info.name, given, OptionInfo::Spelling::python);
    } catch (const InvalidArgument&) {
      refuse(info, value);
    }
  }
  return out;
}

nb::dict parameters_of(const EstimatorOptions& options) {
  nb::dict out;
  for (const OptionInfo& info : estimator_options()) {
    if (info.python.empty()) continue;
    const OptionValue value = get_option(options, info.name);
    const nb::str name(info.python.data(), info.python.size());
    if (info.zero_chooses && value == zero_of(info.kind))
      out[name] = nb::none();
    else
      std::visit([&](const auto& each) { out[name] = nb::cast(each); }, value);
  }
  return out;
}

void add_estimator_options(nb::module_& m) {
  m.def(
      "estimator_options",
      [] {
        nb::list out;
        for (const OptionInfo& info : estimator_options())
          if (!info.python.empty()) out.append(described(info));
        return out;
      },
      "The options of estimators that Python offers, as dictionaries.",
      nb::sig("def estimator_options() -> list[dict[str, object]]"));
}

namespace {

template <class T>
View view_of(const T* data, const network::Network::LayerBeliefs<T>& layer, nb::handle owner) {
  const std::size_t shape[2] = {layer.units, layer.inputs};
  const std::int64_t strides[2] = {static_cast<std::int64_t>(layer.unit_stride),
                                   static_cast<std::int64_t>(layer.input_stride)};
  return View(data, 2, shape, owner, strides, nb::dtype<T>());
}

}  // namespace

std::vector<std::pair<View, View>> beliefs_of(const network::Network& network, nb::handle owner) {
  std::vector<std::pair<View, View>> out;
  for (std::size_t l = 0; l < network.options().layers.size(); ++l)
    std::visit(
        [&](const auto& layer) {
          out.emplace_back(view_of(layer.tau, layer, owner), view_of(layer.rho, layer, owner));
        },
        network.layer_beliefs(l));
  return out;
}

std::tuple<std::string, std::string, bool> certificate_of(
    const network::Network& network, const Examples& rows, network::Likelihood likelihood,
    std::span<const double> noise_variance, const network::NetworkCertificate::Options& options) {
  const network::NetworkCertificate found =
      network::certify_network(network, rows, likelihood, noise_variance, options);
  return {to_text(found), to_json(found), found.passed()};
}

}  // namespace postrider::python
