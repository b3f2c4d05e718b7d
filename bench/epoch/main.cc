// An epoch of training, on one thread: Postrider, libtorch's Adam and a hand-written Adam in turns.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "bench/common/program.h"
#include "bench/common/roofs.h"
#include "bench/common/table.h"
#include "bench/epoch/ensemble.h"
#include "bench/epoch/environment.h"
#include "bench/epoch/measured.h"

namespace postrider::bench {
namespace {

using experiments::Claim;
using experiments::Object;
using experiments::Part;

constexpr std::size_t kQuickBatches = 2;
// An optimised BLAS reaches more than this share of what the vector unit can do; the reference one a
// few hundredths. On such a one libtorch is slow through no fault of its own, and to be faster than it
// says nothing.
constexpr double kOptimised = 0.25;

struct Measured {
  std::string name;
  Case of;
  Rounds rounds;
  bool fair = true;  // libtorch has an optimised BLAS

  Ratio to_torch() const { return ratio(rounds.ours, rounds.torch); }
  Ratio to_hand() const { return ratio(rounds.ours, rounds.hand); }
  bool has_torch() const { return !rounds.torch.empty(); }
  bool is_reached() const { return fair && to_torch().median <= of.target_ratio; }
};

Object to_object(const Measured& measured) {
  const Case& of = measured.of;
  const Rounds& rounds = measured.rounds;
  Object out{{"network", {of.network()}},
             {"rows", {static_cast<std::int64_t>(of.rows)}},
             {"batch", {static_cast<std::int64_t>(of.batch)}},
             {"bias", {of.bias}},
             {"ms", {kMilli * median(rounds.ours)}},
             {"hand_adam_ms", {kMilli * median(rounds.hand)}},
             {"ratio_to_hand_adam", {measured.to_hand().median}},
             {"best_ratio_to_hand_adam", {measured.to_hand().best}},
             {"hand_adam_loss", {rounds.hand_loss}},
             {"target_ratio", {of.target_ratio}}};
  if (measured.has_torch()) {
    out.push_back({"libtorch_adam_ms", {kMilli * median(rounds.torch)}});
    out.push_back({"ratio_to_libtorch_adam", {measured.to_torch().median}});
    out.push_back({"best_ratio_to_libtorch_adam", {measured.to_torch().best}});
    out.push_back({"libtorch_adam_loss", {rounds.torch_loss}});
    out.push_back({"reached", {measured.is_reached()}});
  }
  return out;
}

std::vector<std::string> cells(const Measured& measured) {
  const bool torch = measured.has_torch();
  return {measured.name,
          measured.of.network(),
          fmt::format("{} / {}", measured.of.rows, measured.of.batch),
          short_number(kMilli * median(measured.rounds.ours)),
          torch ? short_number(kMilli * median(measured.rounds.torch)) : "-",
          short_number(kMilli * median(measured.rounds.hand)),
          measured.to_torch().text(),
          measured.to_hand().text(),
          short_number(measured.of.target_ratio),
          !torch || !measured.fair ? "-"
          : measured.is_reached()  ? "yes"
                                   : "NO"};
}

Measured measure(const std::string& name, const Case& of, const TrainingSet& set,
                 const Settings& settings) {
  std::printf("  %s ...\r", name.c_str());
  std::fflush(stdout);
  return {name, of, run_rounds(of, set, settings.repeats, settings.quick), true};
}

std::vector<Measured> measure_all(const Settings& settings) {
  std::vector<Measured> out;
  for (Case of : all_cases()) {
    if (std::find(settings.cases.begin(), settings.cases.end(), of.name) == settings.cases.end())
      continue;
    if (settings.quick) of.rows = kQuickBatches * of.batch;
    out.push_back(measure(of.name, of, random_set(of), settings));
    if (of.name == "d" && !settings.data.empty())
      out.push_back(measure("d-mnist", of, mnist_set(of, settings.data), settings));
  }
  return out;
}

void add_claims(const Measured& measured, Part& part) {
  const Rounds& rounds = measured.rounds;
  if (!measured.has_torch()) return;
  if (measured.fair)
    part.claims.push_back(
        {fmt::format("{}: {} of libtorch's time, goal {}", measured.name,
                     short_number(measured.to_torch().median), measured.of.target_ratio),
         measured.is_reached()});
  if (!have_same_loss(rounds))
    part.claims.push_back({fmt::format("{}: both Adams have the same loss: libtorch {}, by hand {}",
                                       measured.name, rounds.torch_loss, rounds.hand_loss),
                           false});
}

Part epoch(const Settings& settings) {
  const VectorRates before = measure_vector_rates(settings.quick);
  const double matrix_rate = torch_matrix_rate();
  std::vector<Measured> all = measure_all(settings);
  const std::vector<MeasuredEnsemble> ensembles = measure_ensembles(settings);
  const VectorRates after = measure_vector_rates(settings.quick);
  const double peak = 2e-9 * before.multiply_adds * static_cast<double>(before.lanes);
  const bool fair = matrix_rate > kOptimised * peak;
  for (Measured& measured : all) measured.fair = fair;

  Table table({"case", "network", "rows / batch", "ours, ms", "libtorch", "by hand",
               "to libtorch (best)", "to hand (best)", "goal", "reached"},
              2);
  Object cases;
  Part part{"epoch", {}, {}};
  for (const Measured& measured : all) {
    table.add(cells(measured));
    cases.push_back({measured.name, {to_object(measured)}});
    add_claims(measured, part);
  }
  fmt::print(
      "\n  Milliseconds per epoch on one thread, medians of {} rounds; ratios within a "
      "round\n\n{}\n",
      settings.repeats, table.text());
  report_ensembles(ensembles, fair, cases, part);
  fmt::print("  10^9 vector multiply-adds per second: {:.2f} before, {:.2f} after\n",
             before.multiply_adds * 1e-9, after.multiply_adds * 1e-9);
  if (matrix_rate > 0) {
    fmt::print("  libtorch's matrix product: {:.0f} of {:.0f} GFLOP/s\n", matrix_rate, peak);
    part.claims.push_back(
        {fmt::format(
             "libtorch has an optimised BLAS ({:.0f} of {:.0f} GFLOP/s); else its times are "
             "no baseline. Debian: libopenblas0-pthread",
             matrix_rate, peak),
         fair});
  }
  const char* const core_type = std::getenv("OPENBLAS_CORETYPE");
  part.result = {{"repeats", {static_cast<std::int64_t>(settings.repeats)}},
                 {"quick", {settings.quick}},
                 {"threads", {std::int64_t{1}}},
                 {"openblas_core_type", {std::string(core_type != nullptr ? core_type : "")}},
                 {"libtorch_matrix_gflops", {matrix_rate}},
                 {"peak_gflops", {peak}},
                 {"libtorch_has_optimised_blas", {fair}},
                 {"calibration_before", {to_object(before)}},
                 {"calibration_after", {to_object(after)}},
                 {"cases", {cases}}};
  return part;
}

}  // namespace
}  // namespace postrider::bench

int main(int argc, char** argv) {
  using namespace postrider::bench;
  prepare_environment(argv);
  Program program;
  program.what = "Times an epoch of training against gradient methods.";
  program.full_folder = POSTRIDER_RESULTS;
  program.quick_folder = POSTRIDER_QUICK_RESULTS;
  for (const Case& of : all_cases()) program.cases.push_back(of.name);
  for (const EnsembleCase& each : ensemble_cases()) program.cases.push_back(each.of.name);
  program.takes_data = true;
  program.run = epoch;
  return run_program(argc, argv, program);
}
