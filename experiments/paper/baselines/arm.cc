#include "baselines/arm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "described.h"
#include "postrider/error.h"
#include "shown.h"
#include "verdict.h"

namespace postrider::experiments {
namespace {

Object describe_seeds(const Arm& arm, std::size_t seeds, const Settings& settings) {
  Object out{{"seeds", {static_cast<std::int64_t>(seeds)}},
             {"diverged", {static_cast<std::int64_t>(diverged(arm, seeds))}}};
  if (diverged(arm, seeds) == seeds) return out;
  for (const auto& [name, value] : all_quantities())
    out.push_back({name, {describe_values(finite_values(arm, value, seeds), settings)}});
  return out;
}

// Curves of runs that diverged end in no number: drawn at the top.
std::vector<std::vector<double>> bounded(std::vector<std::vector<double>> curves) {
  constexpr double kTop = 1e6;
  for (std::vector<double>& curve : curves)
    for (double& y : curve) y = y < kTop ? y : kTop;
  return curves;
}

double Outcome::*member_of(const std::string& quantity) {
  for (const auto& [name, value] : all_quantities())
    if (name == quantity) return value;
  reject("quantity", quantity, "is not known");
}

}  // namespace

const Arm& find(const std::vector<Arm>& arms, const std::string& name) {
  for (const Arm& arm : arms)
    if (arm.name == name) return arm;
  reject("arm", name, "is not in the study");
}

std::vector<double> finite_values(const Arm& arm, double Outcome::*which, std::size_t seeds) {
  std::vector<double> out;
  for (std::size_t i = 0; i < seeds; ++i)
    if (arm.outcomes[i].is_proper) out.push_back(arm.outcomes[i].*which);
  return out;
}

std::size_t diverged(const Arm& arm, std::size_t seeds) {
  return seeds - finite_values(arm, &Outcome::beyond, seeds).size();
}

double median_of(const Arm& arm, double Outcome::*which) {
  std::vector<double> values = finite_values(arm, which, arm.outcomes.size());
  std::sort(values.begin(), values.end());
  return values.empty() ? std::nan("") : quantile(values, 0.5);
}

Object describe(const Arm& arm, const Study& study, const Settings& settings) {
  Object out = arm.settings;
  const std::size_t many = arm.outcomes.size();
  out.push_back({"few", {describe_seeds(arm, std::min(study.few, many), settings)}});
  out.push_back({"many", {describe_seeds(arm, many, settings)}});
  std::vector<Outcome> proper;
  for (const Outcome& outcome : arm.outcomes)
    if (outcome.is_proper) proper.push_back(outcome);
  if (!proper.empty()) out.push_back({"coverage", {describe_coverage(proper)}});
  if (!arm.curves.empty()) out.push_back({"curve", {quartiles(bounded(arm.curves))}});
  if (!arm.shown.empty()) out.push_back({"shown", {arm.shown}});
  Object first{{"training_nll", {arm.outcomes.front().training}},
               {"extrapolation_nll", {arm.outcomes.front().beyond}},
               {"calibration", {arm.outcomes.front().calibration}},
               {"coverage", {arm.outcomes.front().coverage}}};
  out.push_back({"first_seed", {first}});
  return out;
}

void check_bands(const std::vector<Arm>& arms, const std::vector<ArmBand>& bands,
                 const Settings& settings, Part& part) {
  constexpr double kBand = 0.02;
  constexpr std::uint64_t kRecordedSeed = 1;
  if (!settings.quick || settings.seed != kRecordedSeed) return;
  for (const ArmBand& band : bands) {
    const double found = median_of(find(arms, band.arm), band.which);
    part.claims.push_back(
        {fmt::format("{}: median {:.3f}, recorded {:.3f}", band.arm, found, band.recorded),
         std::abs(found - band.recorded) <= kBand});
  }
}

Object shown_prediction(const NetworkTask& task, const Problem& problem,
                        const Predictor& predictor) {
  Predictions found = predictor(shown_examples(task, problem));
  for (double& x : found.variance) x = std::sqrt(x);
  return {{"mean", {by_output(found.mean, task.shape.outputs())}},
          {"deviation", {by_output(found.variance, task.shape.outputs())}}};
}

Object summarise(const std::vector<const Arm*>& readings, const Published& published,
                 const Settings& settings, Part& part) {
  Object out{{"quantity", {published.quantity}},
             {"paper", {published.value}},
             {"paper_seeds", {static_cast<std::int64_t>(published.seeds)}}};
  if (published.range) out.push_back({"paper_iqr", {*published.range}});
  std::vector<Found> all;
  Object ours;
  for (const Arm* arm : readings) {
    const std::vector<double> values =
        finite_values(*arm, member_of(published.quantity), arm->outcomes.size());
    if (values.empty()) continue;
    all.push_back(find_median(values, published, settings));
    Object entry = describe(all.back());
    entry.push_back({"seeds", {static_cast<std::int64_t>(values.size())}});
    ours.push_back({arm->name, {entry}});
  }
  out.push_back({"ours", {ours}});
  const std::string found = all.empty() ? "nothing to compare" : verdict(published, all);
  out.push_back({"verdict", {found}});
  part.notes.push_back(fmt::format("{} {}: paper {:g}, ours {:.3f}: {}", readings.back()->name,
                                   published.quantity, published.value,
                                   all.empty() ? std::nan("") : all.back().median, found));
  return out;
}

}  // namespace postrider::experiments
