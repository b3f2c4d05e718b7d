#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <iostream>
#include <iterator>
#include <limits>

#include "cli/commands/commands.h"
#include "cli/interrupt.h"
#include "io/output.h"
#include "postrider/error.h"

namespace postrider::cli {
namespace {

constexpr std::size_t kBlock = 4096;

// Rows that can be read but not learned, such as those of a third class, are the file's matter.
SparseReport learned(SparseModel& model, const FeatureRows& rows, const std::string& path) {
  try {
    return model.options().passes > 1 ? model.fit(rows) : model.learn(rows);
  } catch (const InvalidArgument& error) {
    throw CorruptFile(path + ": " + error.what());
  }
}

// What would be done in part, or not at all.
void expect_possible(const SparseOptions& options) {
  if (options.drift && options.passes > 1)
    reject("--passes", options.passes, "must be 1 with --drift, by which old rows count for less");
  if (options.latent > 0 && options.passes == 1)
    reject("--latent", options.latent,
           "needs several --passes, in which its products are found; 10 or more");
}

}  // namespace

SparseFormat sparse_format_named(const std::string& name) {
  if (name == "auto") return SparseFormat::automatic;
  if (name == "libsvm") return SparseFormat::libsvm;
  if (name == "vw") return SparseFormat::vw;
  reject("--format", name, "must be auto, libsvm or vw");
}

ExitCode sparse_learn(const SparseLearnRequest& request) {
  if (request.resume.empty()) expect_possible(request.options);
  expect_writable({"--output", request.output, {request.data}, request.force}, sparse_model_kind());
  SparseModel model =
      request.resume.empty() ? SparseModel(request.options) : SparseModel::load(request.resume);
  // Several passes need all rows.
  const std::size_t most =
      model.options().passes > 1 ? std::numeric_limits<std::size_t>::max() : kBlock;
  const InterruptWatch watch;
  FeatureFile file(request.data, sparse_format_named(request.format));
  FeatureRows rows;
  SparseReport total;
  const auto begin = std::chrono::steady_clock::now();
  while (!watch.interrupted() && file.read(rows, most)) {
    const SparseReport part = learned(model, rows, request.data);
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
  const SparseModel model = SparseModel::load(request.model);
  const bool is_number = model.options().target == SparseTarget::number;
  const std::string heading = is_number ? "mean,std,noise\n" : "probability,mean,std\n";
  if (!is_standard_output(request.output))
    expect_writable({"--output", request.output, {request.model, request.data}, request.force},
                    text_kind("predictions", {heading}));
  FeatureFile file(request.data, sparse_format_named(request.format));
  Output output(request.output);
  output.stream() << heading;
  FeatureRows rows;
  std::string text;
  while (file.read(rows, kBlock)) {
    text.clear();
    for (const SparsePrediction& one : model.predict(rows))
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

}  // namespace postrider::cli
