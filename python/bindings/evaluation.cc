// How good predictions are.
#include "postrider/evaluation.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <optional>
#include <string>

#include "bindings.h"

namespace postrider::python {
namespace nb = nanobind;
namespace {

// Figures of numbers or of classes; those that do not apply are None.
auto figure(Estimate TableEvaluation::*member, bool of_classes) {
  return [member, of_classes](const TableEvaluation& evaluation) -> std::optional<Estimate> {
    if (of_classes != evaluation.coverage.empty()) return {};
    return evaluation.*member;
  };
}

// As Python shows a data class, without the lists.
std::string described(nb::handle evaluation) {
  std::string out = "TableEvaluation(";
  if (const nb::object warning = evaluation.attr("warning"); nb::len(warning) > 0)
    out += std::string("warning=") + nb::repr(warning).c_str() + ", ";
  out += std::string("rows=") + nb::repr(evaluation.attr("rows")).c_str();
  for (const char* const name :
       {"root_mean_square_error", "mean_absolute_error", "explained_variance", "log_likelihood",
        "crps", "log_loss", "accuracy", "area_under_curve", "average_precision",
        "expected_calibration_error", "brier"})
    if (const nb::object value = evaluation.attr(name); !value.is_none())
      out += std::string(", ") + name + "=" + nb::repr(value).c_str();
  return out + ")";
}

}  // namespace

void add_evaluation(nb::module_& m) {
  nb::class_<Estimate>(m, "Estimate", "A mean over rows, and its standard error.")
      .def_ro("value", &Estimate::value)
      .def_ro("standard_error", &Estimate::standard_error)
      .def(
          "__repr__",
          [](const Estimate& of) {
            constexpr double kRounding = 1e-12;  // of rows that are all alike; of one row it is 0
            const bool has_error = of.standard_error > kRounding * std::abs(of.value);
            return nb::str(has_error ? "{:.4g} +- {:.2g}" : "{:.4g}")
                .attr("format")(of.value, of.standard_error);
          },
          nb::sig("def __repr__(self) -> str"));
  nb::class_<TableEvaluation::Coverage>(m, "CoverageEstimate",
                                        "How often a central interval was right.")
      .def_ro("level", &TableEvaluation::Coverage::level)
      .def_ro("share", &TableEvaluation::Coverage::share);
  nb::class_<TableEvaluation::Bin>(m, "CalibrationBin", "Rows predicted with similar confidence.")
      .def_ro("low", &TableEvaluation::Bin::low)
      .def_ro("high", &TableEvaluation::Bin::high)
      .def_ro("rows", &TableEvaluation::Bin::rows)
      .def_ro("confidence", &TableEvaluation::Bin::confidence)
      .def_ro("accuracy", &TableEvaluation::Bin::accuracy);
  nb::class_<TableEvaluation::Pinball>(m, "PinballEstimate",
                                       "The loss of quantiles at one probability.")
      .def_ro("probability", &TableEvaluation::Pinball::probability)
      .def_ro("loss", &TableEvaluation::Pinball::loss);
  nb::class_<ClassMetrics>(m, "ClassMetrics", "One class against all others.")
      .def_ro("rows", &ClassMetrics::rows)
      .def_ro("chosen", &ClassMetrics::chosen)
      .def_ro("precision", &ClassMetrics::precision)
      .def_ro("recall", &ClassMetrics::recall)
      .def_ro("f1", &ClassMetrics::f1)
      .def_ro("area_under_curve", &ClassMetrics::area_under_curve)
      .def_ro("average_precision", &ClassMetrics::average_precision);
  nb::class_<TableEvaluation::Baseline>(m, "BaselineEvaluation",
                                        "The same rows predicted by something simple.")
      .def_ro("name", &TableEvaluation::Baseline::name)
      .def_ro("evaluation", &TableEvaluation::Baseline::evaluation)
      .def_ro("gain", &TableEvaluation::Baseline::gain);
  using E = TableEvaluation;
  nb::class_<E>(m, "TableEvaluation",
                "How good predictions are. What does not apply to the target is None.")
      .def_ro("rows", &E::rows)
      .def_ro("without_target", &E::without_target)
      .def_ro("warning", &E::warning)
      .def_ro("warnings", &E::warnings)
      .def_prop_ro("root_mean_square_error", figure(&E::root_mean_square_error, false))
      .def_prop_ro("mean_absolute_error", figure(&E::mean_absolute_error, false))
      .def_prop_ro("log_likelihood", figure(&E::log_likelihood, false))
      .def_prop_ro("crps", figure(&E::crps, false))
      .def_ro("coverage", &E::coverage)
      .def_prop_ro("explained_variance", figure(&E::explained_variance, false))
      .def_ro("mean_absolute_percentage_error", &E::mean_absolute_percentage_error)
      .def_ro("pinball", &E::pinball)
      .def_prop_ro("log_loss", figure(&E::log_loss, true))
      .def_prop_ro("accuracy", figure(&E::accuracy, true))
      .def_prop_ro("expected_calibration_error", figure(&E::expected_calibration_error, true))
      .def_prop_ro("brier", figure(&E::brier, true))
      .def_ro("bins", &E::bins)
      .def_prop_ro("area_under_curve", figure(&E::area_under_curve, true))
      .def_prop_ro("average_precision", figure(&E::average_precision, true))
      .def_ro("by_class", &E::by_class)
      .def_ro("baselines", &E::baselines)
      .def("__repr__", described, nb::sig("def __repr__(self) -> str"));
}

}  // namespace postrider::python
