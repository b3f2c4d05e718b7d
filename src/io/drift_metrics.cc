#include "io/drift_metrics.h"

#include <fmt/format.h>

namespace postrider::cli {
namespace {

// As Prometheus wants the values of labels.
std::string quoted(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

}  // namespace

std::string drift_metrics(const std::vector<ModelDrift>& models) {
  std::string counts, columns;
  for (const ModelDrift& model : models) {
    const std::string& labels = model.labels;
    counts += fmt::format("postrider_drifted_columns{} {}\n",
                          labels.empty() ? "" : "{" + labels + "}", model.found.size());
    for (const DriftWatch::Warning& each : model.found)
      columns += fmt::format(
          "postrider_column_drift{{{}column=\"{}\",kind=\"{}\"}} {:.6g}\n",
          labels.empty() ? "" : labels + ",", quoted(each.column), to_string(each.kind),
          each.kind == DriftWatch::Warning::Kind::unit ? each.found / each.learned : each.found);
  }
  return "# HELP postrider_drifted_columns Columns that do not look as in the rows that were "
         "learned.\n# TYPE postrider_drifted_columns gauge\n" +
         counts +
         "# HELP postrider_column_drift What is found: the share of rows, or of a unit the "
         "ratio.\n# TYPE postrider_column_drift gauge\n" +
         columns;
}

}  // namespace postrider::cli
