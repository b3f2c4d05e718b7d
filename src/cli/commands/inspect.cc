#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "cli/commands/commands.h"
#include "cli/json.h"
#include "postrider/model_file.h"
#include "postrider/sparse/model.h"
#include "postrider/version.h"
#include "text/columns.h"
#include "text/model_facts.h"
#include "text/text_table.h"

namespace postrider::cli {
namespace {

std::string profile_text(const TableProfile& profile) {
  if (profile.is_empty()) return "none: new rows are not compared with those learned";
  return fmt::format("{} of {}, with which new rows are compared",
                     counted(profile.columns.size(), "column"), counted(profile.rows, "row"));
}

// A sparse model, and how the models side by side in it share what it says.
std::string sparse_text(const sparse::SparseModel& model, const std::string& path) {
  const sparse::SparseModel::Summary now = model.summary();
  TextTable table({Align::left, Align::left});
  for (const OptionInfo& info : sparse::sparse_options())
    table.add({std::string(info.command_line).substr(2),
               to_string(sparse::get_sparse_option(model.options(), info.name))});
  table.add({"learned", counted(now.rows, "row")});
  table.add({"log-loss", short_number(now.log_loss) + ", of each row before it was learned"});
  table.add({"weights",
             fmt::format("{} in {:.1f} MB", now.weights, 1e-6 * static_cast<double>(now.bytes))});
  table.add({"file format", format_of_file(path)});
  table.add({"read by", std::string("postrider ") + kVersion});
  TextTable shares({Align::right, Align::right, Align::right});
  shares.add({"prior variance", "drift rate", "share"});
  for (std::size_t k = 0; k < now.shares.size(); ++k)
    shares.add({short_number(now.prior_variances[k]), short_number(now.drift_rates[k]),
                fmt::format("{:.1f} %", 100 * now.shares[k])});
  return table.text() + "\n" + shares.text();
}

std::string model_text(const TableModel& model, const std::string& path) {
  const network::NetworkOptions& options = network_of(model).options();
  TextTable table({Align::left, Align::left});
  table.add({"predicts", model.classifies()
                             ? fmt::format("{}, {} classes", model.target(), model.classes().size())
                             : model.target() + ", a number"});
  table.add({"network", network_text(model)});
  table.add({"rule", std::string(to_string(options.rule))});
  table.add(
      {"precision", options.precision == network::Precision::float32 ? "float32" : "float64"});
  table.add({"seed", std::to_string(options.seed)});
  if (!model.classifies()) {
    table.add({"noise", noise_text(model, {})});
  }
  if (const std::string lattice = lattice_text(model); !lattice.empty())
    table.add({"targets", lattice});
  table.add({"missing inputs", std::string(to_string(model.missing())) +
                                   (model.indicators() ? ", with indicators" : "")});
  table.add({"profile", profile_text(model.profile())});
  if (const std::size_t kept = model.estimator().neighbour_rows(); kept > 0)
    table.add({"neighbours", counted(kept, "row") + " of those learned"});
  const ModelFile file = describe_model_file(path);
  table.add({"file format", file.format});
  table.add({"written by", file.writer.empty() ? "unknown" : file.writer});
  table.add({"checksums", file.has_checksums
                              ? "of every array and of the header; all agree"
                              : "none, as in files of version 0.1: damage may go unnoticed"});
  table.add({"read by", std::string("postrider ") + kVersion});
  return table.text();
}

std::string scales_text(const TableModel& model) {
  TextTable table({Align::left, Align::right, Align::right, Align::left});
  table.add({"input", "mean", "std", "encoding"});
  const std::vector<ColumnEncoding>& encodings = model.estimator().encodings();
  const std::vector<Estimator::ColumnScale> scales = input_scales(model);
  constexpr std::size_t kMostShown = 60;
  const std::size_t shown = std::min(scales.size(), kMostShown);
  for (std::size_t f = 0; f < shown; ++f)
    table.add({model.features()[f].name, short_number(scales[f].mean), short_number(scales[f].std),
               encoding_text(encodings[f])});
  if (!model.classifies()) {
    const Estimator::ColumnScale target = target_scale(model);
    table.add({model.target() + ", the target", short_number(target.mean), short_number(target.std),
               target_scale_text(model)});
  }
  return table.text() +
         (shown == scales.size()
              ? ""
              : fmt::format("  and {} more inputs; --json lists all\n", scales.size() - shown));
}

std::string history_text(const TableModel& model) {
  TextTable table({Align::left, Align::right, Align::left});
  table.add({"learning", "rows", ""});
  for (const TableModel::Step& step : model.history()) {
    std::string remark;
    if (!step.fits.empty()) {
      remark = fmt::format("{}, {} epochs", counted(step.fits.size(), "member"),
                           summary_of(step).epochs);
      if (const std::string score = out_of_fold_text(model); !score.empty()) remark += ", " + score;
    }
    table.add({std::string(to_string(step.kind)), std::to_string(step.rows), remark});
    if (step.fold_scores.folds > 0) table.add({"", "", fold_scores_text(model, step.fold_scores)});
  }
  return table.text();
}

}  // namespace

ExitCode inspect(const InspectRequest& request) {
  if (format_of_file(request.model).starts_with("postrider sparse model")) {
    const sparse::SparseModel model = sparse::SparseModel::load(request.model);
    std::cout << (request.json ? inspection_json(model, request.model)
                               : request.model + "\n\n" + sparse_text(model, request.model));
    return ExitCode::ok;
  }
  const TableModel model = TableModel::load(request.model);
  if (request.json)
    std::cout << inspection_json(model, request.model);
  else
    std::cout << request.model << "\n\n"
              << model_text(model, request.model) << "\n"
              << columns_text(learned_summaries(model)) << "\n"
              << scales_text(model) << "\n"
              << history_text(model);
  return ExitCode::ok;
}

}  // namespace postrider::cli
