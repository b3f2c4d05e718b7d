#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <iterator>
#include <limits>
#include <numeric>

#include "cli/commands/commands.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "io/output.h"
#include "postrider/error.h"
#include "postrider/evaluation.h"
#include "postrider/metrics.h"
#include "text/evaluation_facts.h"

namespace postrider::cli {
namespace {

constexpr std::size_t kBlock = 4096;

// Rows that can be read but not learned, such as those of a third class, are the file's matter.
sparse::SparseModel::Report learned(sparse::SparseModel& model, const sparse::FeatureRows& rows,
                                    const std::string& path) {
  try {
    return model.options().passes > 1 ? model.fit(rows) : model.update(rows);
  } catch (const InvalidArgument& error) {
    throw CorruptFile(path + ": " + error.what());
  }
}

// What would be done in part, or not at all.
void expect_possible(const sparse::SparseOptions& options) {
  if (options.drift && options.passes > 1)
    reject("--passes", options.passes, "must be 1 with --drift, by which old rows count for less");
  if (options.latent > 0 && options.passes == 1)
    reject("--latent", options.latent,
           "needs several --passes, in which its products are found; 10 or more");
}

}  // namespace

sparse::FeatureFile::Format sparse_format_named(const std::string& name) {
  if (name == "auto") return sparse::FeatureFile::Format::automatic;
  if (name == "libsvm") return sparse::FeatureFile::Format::libsvm;
  if (name == "vw") return sparse::FeatureFile::Format::vw;
  reject("--format", name, "must be auto, libsvm or vw");
}

ExitCode sparse_learn(const SparseLearnRequest& request) {
  if (request.resume.empty()) expect_possible(request.options);
  expect_writable({"--output", request.output, {request.data}, request.force}, sparse_model_kind());
  sparse::SparseModel model = request.resume.empty() ? sparse::SparseModel(request.options)
                                                     : sparse::SparseModel::load(request.resume);
  // Several passes need all rows.
  const std::size_t most =
      model.options().passes > 1 ? std::numeric_limits<std::size_t>::max() : kBlock;
  const InterruptWatch watch;
  sparse::FeatureFile file(request.data, sparse_format_named(request.format));
  sparse::FeatureRows rows;
  sparse::SparseModel::Report total;
  const auto begin = std::chrono::steady_clock::now();
  while (!watch.interrupted() && file.read(rows, most)) {
    const sparse::SparseModel::Report part = learned(model, rows, request.data);
    total.rows += part.rows;
    total.log_loss += part.log_loss;
    total.weight += part.weight;
  }
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  if (total.rows == 0 && watch.interrupted())
    throw Interrupted("interrupted before a row was learned: nothing was written");
  if (total.rows == 0) throw CorruptFile("cannot read " + request.data + ": it has no rows");
  model.save(request.output);
  if (!request.quiet)
    std::cout << fmt::format(
        "{} rows in {:.2f} s, {:.0f} rows a second\n"
        "log-loss of each row before it was learned: {:.4f}\n"
        "{} weights in {:.1f} MB\n",
        total.rows, spent.count(), static_cast<double>(total.rows) / spent.count(),
        total.log_loss / total.weight, model.summary().weights,
        1e-6 * static_cast<double>(model.summary().bytes));
  return watch.exit_code();
}

ExitCode sparse_predict(const SparsePredictRequest& request) {
  const sparse::SparseModel model = sparse::SparseModel::load(request.model);
  const bool is_number = model.options().target == sparse::SparseOptions::Target::number;
  const std::string heading = is_number ? "mean,std,noise\n" : "probability,mean,std\n";
  if (!is_standard_output(request.output))
    expect_writable({"--output", request.output, {request.model, request.data}, request.force},
                    text_kind("predictions", {heading}));
  sparse::FeatureFile file(request.data, sparse_format_named(request.format));
  Output output(request.output);
  output.stream() << heading;
  sparse::FeatureRows rows;
  std::string text;
  while (file.read(rows, kBlock)) {
    text.clear();
    for (const sparse::SparseModel::Prediction& one : model.predict(rows))
      if (is_number)
        fmt::format_to(std::back_inserter(text), "{:.6g},{:.6g},{:.6g}\n", one.mean, one.std,
                       one.noise);
      else
        fmt::format_to(std::back_inserter(text), "{:.6g},{:.6g},{:.6g}\n", one.probability,
                       one.mean, one.std);
    output.stream() << text;
  }
  output.finish();
  return ExitCode::ok;
}

namespace {

constexpr std::size_t kEvaluatedBlock = 4096;

// All rows of a file with what a model says of them; a few numbers for each row.
struct PredictedRows {
  std::vector<double> targets, mean, std, probability;
  std::size_t without_target = 0;  // passed over
};

void expect_class(double target, const sparse::FeatureRows& rows, std::size_t row,
                  const std::string& path) {
  if (target != 1 && target != 0 && target != -1)
    throw CorruptFile(path + ", " + rows.place(row) + ": the target is " +
                      to_string(OptionValue(target)) + "; must be 1, 0 or -1, of two classes");
}

PredictedRows predicted_rows(const sparse::SparseModel& model, sparse::FeatureFile file,
                             const std::string& path) {
  PredictedRows out;
  const bool is_number = model.options().target == sparse::SparseOptions::Target::number;
  sparse::FeatureRows rows;
  while (file.read(rows, kEvaluatedBlock)) {
    const std::vector<sparse::SparseModel::Prediction> predicted = model.predict(rows);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (rows.targets.empty() || std::isnan(rows.targets[row])) {
        ++out.without_target;
        continue;
      }
      if (!is_number) expect_class(rows.targets[row], rows, row, path);
      out.targets.push_back(rows.targets[row]);
      out.mean.push_back(predicted[row].mean);
      out.std.push_back(predicted[row].total_std());
      out.probability.push_back(predicted[row].probability);
    }
  }
  if (out.targets.empty() && out.without_target > 0)
    throw CorruptFile(path + ": its rows have no targets to compare predictions with");
  if (out.targets.empty()) throw CorruptFile("cannot read " + path + ": it has no rows");
  return out;
}

TableEvaluation evaluated_numbers(PredictedRows rows) {
  const std::size_t count = rows.targets.size();
  const Estimate mean = mean_estimate(rows.targets);
  double square = 0;
  for (const double target : rows.targets)
    square += (target - mean.value) * (target - mean.value) / static_cast<double>(count);
  // Rows whose targets are all alike have no spread: the density of the mean would have no bound.
  const double std = std::max(std::sqrt(square), 1e-9 * std::max(1.0, std::abs(mean.value)));
  const TableEvaluation::Numbers simple = gaussian_numbers(
      rows.targets, std::vector<double>(count, mean.value), std::vector<double>(count, std));
  const TableEvaluation::Numbers found =
      gaussian_numbers(std::move(rows.targets), std::move(rows.mean), std::move(rows.std));
  TableEvaluation out = evaluate_numbers(found);
  out.baselines.push_back(baseline_of_numbers("mean", found, simple));
  return out;
}

std::vector<double> of_both_classes(const std::vector<double>& probability) {
  std::vector<double> out;
  for (const double each : probability) out.insert(out.end(), {1 - each, each});
  return out;
}

TableEvaluation evaluated_classes(const PredictedRows& rows) {
  std::vector<std::size_t> labels;
  for (const double target : rows.targets) labels.push_back(target == 1 ? 1 : 0);
  const double share = static_cast<double>(std::accumulate(labels.begin(), labels.end(), 0UL)) /
                       static_cast<double>(labels.size());
  const std::vector<double> found = of_both_classes(rows.probability);
  const std::vector<double> simple = of_both_classes(std::vector<double>(labels.size(), share));
  TableEvaluation out = evaluate_classes(found, labels);
  out.baselines.push_back(baseline_of_classes("base rate", found, simple, labels));
  return out;
}

// As the rows name them.
EvaluatedTarget names_of(const PredictedRows& rows, bool is_number) {
  if (is_number) return {"the target", {}};
  const bool has_zero = std::ranges::find(rows.targets, 0.0) != rows.targets.end();
  return {"the target", {has_zero ? "0" : "-1", "1"}};
}

}  // namespace

ExitCode sparse_evaluate(const SparseEvaluateRequest& request) {
  const sparse::SparseModel model = sparse::SparseModel::load(request.model);
  const bool is_number = model.options().target == sparse::SparseOptions::Target::number;
  PredictedRows rows = predicted_rows(
      model, sparse::FeatureFile(request.data, sparse_format_named(request.format)), request.data);
  const EvaluatedTarget names = names_of(rows, is_number);
  const std::size_t without_target = rows.without_target;
  TableEvaluation evaluation =
      is_number ? evaluated_numbers(std::move(rows)) : evaluated_classes(rows);
  evaluation.without_target = without_target;
  std::cout << (request.json ? evaluation_json(evaluation, names.classes)
                             : evaluation_text(names, evaluation));
  return ExitCode::ok;
}

}  // namespace postrider::cli
