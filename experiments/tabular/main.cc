// Classification of tables with the defaults, nothing chosen per set. peers.py trains the
// classifiers of other libraries on the same rows; `run` calls both.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <span>

#include "base/random.h"
#include "base/workers.h"
#include "common/processor_time.h"
#include "common/program.h"
#include "encoded.h"
#include "postrider/classifier.h"
#include "postrider/metrics.h"

namespace postrider::experiments {
using namespace internal;
namespace {

constexpr std::size_t kQuickFolds = 1;
const std::vector<std::string> kQuickSets{"german-credit"};
constexpr double kMostCalibrationError = 0.03;
constexpr std::size_t kDrawsOfLabels = 100;
constexpr std::uint64_t kStreamOfLabels = 1;

struct Tested {
  double loss = 0, accuracy = 0, area = 0, seconds = 0, epochs = 0, best_epoch = 0, members = 0,
         weights = 0, noise = 0;
  std::vector<double> probabilities = {};
  std::vector<std::size_t> labels = {};
};

// Area under the curve: of two classes that of the second; of more the mean over the classes, each
// against the rest.
double mean_area(const std::vector<double>& probabilities, const std::vector<std::size_t>& labels,
                 std::size_t classes) {
  double sum = 0;
  const std::size_t first = classes == 2 ? 1 : 0;
  for (std::size_t k = first; k < classes; ++k) {
    std::vector<double> of_others, of_class;
    for (std::size_t row = 0; row < labels.size(); ++row)
      (labels[row] == k ? of_class : of_others).push_back(probabilities[row * classes + k]);
    sum += area_under_curve(of_others, of_class);
  }
  return sum / static_cast<double>(classes - first);
}

Tested test_fold(const EncodedSet& set, std::size_t fold, std::uint64_t seed) {
  const LabelledRows training = set.rows(fold, false), testing = set.rows(fold, true);
  EstimatorOptions options;
  options.classes = set.classes;
  options.training.seed = seed + fold;
  Classifier classifier(options);
  const double start = processor_seconds();
  const std::vector<FitReport> reports = classifier.fit(training.inputs, training.labels);
  const double seconds = processor_seconds() - start;
  const std::vector<double> probabilities = classifier.predict_probabilities(testing.inputs);
  return {log_loss(probabilities, testing.labels),
          accuracy(probabilities, testing.labels),
          mean_area(probabilities, testing.labels, set.classes),
          seconds,
          static_cast<double>(reports.front().epochs.size()),
          static_cast<double>(reports.front().best_epoch),
          static_cast<double>(reports.size()),
          static_cast<double>(classifier.network().weight_count()),
          classifier.noise_variance().front(),
          probabilities,
          testing.labels};
}

double mean_of(const std::vector<Tested>& tested, double Tested::*which) {
  double sum = 0;
  for (const Tested& one : tested) sum += one.*which;
  return sum / static_cast<double>(tested.size());
}

// Over the rows of all folds together: a fold of few rows has a large one by chance alone.
struct Calibration {
  double error = 0;
  // What it would be in the mean if every label were drawn from its own probabilities.
  double by_chance = 0;
};

std::size_t drawn_label(std::span<const double> probabilities, double uniform) {
  std::size_t label = 0;
  for (double below = probabilities[0]; below <= uniform && label + 1 < probabilities.size();)
    below += probabilities[++label];
  return label;
}

Calibration pooled_calibration(const std::vector<Tested>& tested, std::uint64_t seed) {
  std::vector<double> probabilities;
  std::vector<std::size_t> labels;
  for (const Tested& one : tested) {
    probabilities.insert(probabilities.end(), one.probabilities.begin(), one.probabilities.end());
    labels.insert(labels.end(), one.labels.begin(), one.labels.end());
  }
  Calibration out{expected_calibration_error(probabilities, labels)};
  RandomStream random(seed, kStreamOfLabels);
  const std::size_t classes = probabilities.size() / labels.size();
  for (std::size_t draw = 0; draw < kDrawsOfLabels; ++draw) {
    for (std::size_t row = 0; row < labels.size(); ++row)
      labels[row] =
          drawn_label(std::span(probabilities).subspan(row * classes, classes), random.uniform());
    out.by_chance += expected_calibration_error(probabilities, labels) / kDrawsOfLabels;
  }
  return out;
}

Object describe(const std::vector<Tested>& tested, const Calibration& calibration) {
  std::vector<double> losses;
  for (const Tested& one : tested) losses.push_back(one.loss);
  return {{"log_loss", {mean_of(tested, &Tested::loss)}},
          {"accuracy", {mean_of(tested, &Tested::accuracy)}},
          {"auc", {mean_of(tested, &Tested::area)}},
          {"ece", {calibration.error}},
          {"ece_by_chance", {calibration.by_chance}},
          {"seconds_per_fold", {mean_of(tested, &Tested::seconds)}},
          {"epochs", {mean_of(tested, &Tested::epochs)}},
          {"best_epoch", {mean_of(tested, &Tested::best_epoch)}},
          {"members", {mean_of(tested, &Tested::members)}},
          {"weights", {mean_of(tested, &Tested::weights)}},
          {"noise_variance", {mean_of(tested, &Tested::noise)}},
          {"log_loss_by_fold", {losses}}};
}

Part ours(const Settings& settings) {
  Part part{"ours", {}, {}, {}};
  for (const std::string& name : settings.sets_of(tabular_names(), kQuickSets)) {
    const EncodedSet set = read_tabular_set(settings.data, name);
    std::vector<Tested> tested(settings.quick ? kQuickFolds : set.folds.size());
    Workers(settings.threads).run(tested.size(), [&](std::size_t fold) {
      tested[fold] = test_fold(set, fold, settings.seed);
    });
    const Calibration calibration = pooled_calibration(tested, settings.seed);
    const std::string text = fmt::format(
        "{}: log-loss {:.4f}, accuracy {:.4f}, calibration error {:.4f} ({:.4f} by chance), "
        "{:.1f} s per fold",
        name, mean_of(tested, &Tested::loss), mean_of(tested, &Tested::accuracy), calibration.error,
        calibration.by_chance, mean_of(tested, &Tested::seconds));
    fmt::print("  {}\n", text);
    std::fflush(stdout);
    part.claims.push_back(
        {text, std::isfinite(mean_of(tested, &Tested::loss)) &&
                   (settings.quick || calibration.error < kMostCalibrationError)});
    part.result.push_back({name, {describe(tested, calibration)}});
  }
  return part;
}

}  // namespace
}  // namespace postrider::experiments

int main(int argc, char** argv) {
  using namespace postrider::experiments;
  return run_program(argc, argv,
                     "Trains and tests classifiers with their defaults on the tabular sets.",
                     {POSTRIDER_RESULTS, POSTRIDER_QUICK_RESULTS}, {{"ours", ours, true}});
}
