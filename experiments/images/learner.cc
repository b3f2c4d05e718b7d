#include "learner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "postrider/metrics.h"
#include "postrider/network/trainer.h"

namespace postrider::experiments {
namespace {

const std::vector<std::size_t> kHidden{200, 100};
constexpr std::size_t kQuickEpochs = 1;
constexpr double kPixelFactor = 3;

network::NetworkOptions shape(std::uint64_t seed) {
  network::NetworkOptions out = network::NetworkOptions::dense(kPixels, kHidden, kClasses);
  out.seed = seed;
  return out;
}

void tell(std::size_t number, const Epoch& found) {
  fmt::print(
      "  epoch {}: error {:.4f}, log-loss {:.4f}, calibration error {:.4f}, {:.1f} s, noise "
      "{:.3g}, "
      "temperature {:.2f}\n",
      number, found.error, found.loss, found.calibration, found.seconds, found.noise,
      found.temperature);
  std::fflush(stdout);
}

}  // namespace

Learner::Learner(const Setup& setup, const Settings& settings, const Labelled& training)
    : setup_(setup),
      settings_(settings),
      scales_(setup.standardised ? PixelScales(training) : PixelScales(kPixelFactor)),
      training_(scales_.scaled(part_of(training, false))),
      kept_back_(scales_.scaled(part_of(training, true))),
      network_(shape(settings.seed)) {}

double Learner::power() const {
  if (setup_.power > 0) return setup_.power;
  return 1 + static_cast<double>(weights()) / static_cast<double>(training_.labels.size());
}

std::vector<Epoch> Learner::learn(const Labelled& test_images) {
  const Labelled scaled = scales_.scaled(test_images);
  std::vector<Epoch> out;
  TrainerOptions options;
  options.max_epochs = settings_.quick ? kQuickEpochs : setup_.epochs;
  options.stopping = TrainerOptions::Stopping::epochs;
  const network::Trainer::Task task{network::Likelihood::classes, power()};
  options.damping = std::max(0.0, 1 - setup_.power_at_once / task.power);
  options.seed = settings_.seed;
  TrainingCallbacks callbacks;
  callbacks.progress = [&](const EpochReport& report) {
    noise_ = report.noise_variance.front();
    temperature_ = best_temperature();
    Epoch found = tested(scaled);
    found.seconds = report.seconds;
    tell(report.epoch, found);
    out.push_back(found);
    return true;
  };
  network::Trainer(network_, options, task)
      .fit({training_.pixels}, training_.targets, {}, callbacks);
  return out;
}

double Learner::best_temperature() const {
  const network::Trainer::NoisyScores scores{
      network_.predict({kept_back_.pixels}, settings_.threads), noise_};
  return network::class_temperature(std::span(&scores, 1), kClasses, kept_back_.labels,
                                    settings_.threads);
}

std::vector<double> Learner::probabilities(const Labelled& scaled) const {
  return network::class_probabilities(network_.predict({scaled.pixels}, settings_.threads),
                                      kClasses, noise_, settings_.threads, temperature_);
}

Epoch Learner::tested(const Labelled& scaled) const {
  const std::vector<double> found = probabilities(scaled);
  return {1 - accuracy(found, scaled.labels),
          log_loss(found, scaled.labels),
          expected_calibration_error(found, scaled.labels),
          0,
          noise_,
          temperature_};
}

std::vector<double> Learner::entropies(const Labelled& images) const {
  const std::vector<double> found = probabilities(scales_.scaled(images));
  std::vector<double> out;
  for (std::size_t i = 0; i < found.size(); i += kClasses) {
    double sum = 0;
    for (std::size_t k = 0; k < kClasses; ++k)
      if (found[i + k] > 0) sum -= found[i + k] * std::log(found[i + k]);
    out.push_back(sum);
  }
  return out;
}

}  // namespace postrider::experiments
