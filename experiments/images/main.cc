// Dense networks on MNIST and Fashion-MNIST: errors by epoch, calibration, and whether images of the
// other kind are told by their uncertainty.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <functional>

#include "common/images.h"
#include "common/program.h"
#include "postrider/metrics.h"
#include "postrider/trainer.h"

namespace postrider::experiments {
namespace {

const std::vector<std::size_t> kHidden{200, 100};
constexpr std::size_t kEpochs = 10, kQuickEpochs = 1, kQuickImages = 1000;
// Pixels from 0 to 1 are so scaled that their mean square is near one, as the priors suppose.
constexpr double kPixelScale = 3;
// Messages are raised to this power: with more weights than images, the most that does not overshoot.
constexpr double kPower = 2;
// One training image in so many is kept back to set the temperature.
constexpr std::size_t kKeptBack = 20;
constexpr double kMostError = 0.02, kMostCalibrationError = 0.01, kLeastArea = 0.97;

struct Labelled {
  std::vector<double> pixels;
  std::vector<double> targets;      // class numbers
  std::vector<std::size_t> labels;  // the same
};

Labelled read(const Settings& settings, const std::string& folder, ImageSet set) {
  const std::size_t all = set == ImageSet::training ? kTrainingImages : kTestImages;
  const Images images =
      read_images(settings.data, folder, set, settings.quick ? kQuickImages : all);
  Labelled out;
  for (const float pixel : images.pixels)
    out.pixels.push_back(kPixelScale * static_cast<double>(pixel));
  for (const std::uint8_t label : images.labels) {
    out.labels.push_back(label);
    out.targets.push_back(label);
  }
  return out;
}

// The images kept back, or the others.
Labelled part_of(const Labelled& images, bool kept_back) {
  Labelled out;
  for (std::size_t i = 0; i < images.labels.size(); ++i) {
    if ((i % kKeptBack == 0) != kept_back) continue;
    const auto first = images.pixels.begin() + static_cast<std::ptrdiff_t>(i * kPixels);
    out.pixels.insert(out.pixels.end(), first, first + kPixels);
    out.targets.push_back(images.targets[i]);
    out.labels.push_back(images.labels[i]);
  }
  return out;
}

struct Epoch {
  double error = 0, loss = 0, calibration = 0, seconds = 0, noise = 0, temperature = 1;
};

struct Probabilities {
  const Network& network;
  double noise, temperature;
  unsigned threads;

  std::vector<double> of(const Labelled& images) const {
    return class_probabilities(network.predict({images.pixels}, threads), kClasses, noise, threads,
                               temperature);
  }
};

double temperature_of(const Network& network, const Labelled& kept_back, double noise,
                      unsigned threads) {
  const NoisyScores scores{network.predict({kept_back.pixels}, threads), noise};
  return class_temperature(std::span(&scores, 1), kClasses, kept_back.labels, threads);
}

Epoch test(const Probabilities& probabilities, const Labelled& images) {
  const std::vector<double> found = probabilities.of(images);
  return {1 - accuracy(found, images.labels),
          log_loss(found, images.labels),
          expected_calibration_error(found, images.labels),
          0,
          probabilities.noise,
          probabilities.temperature};
}

void tell(const Epoch& found) {
  fmt::print(
      "error {:.4f}, log-loss {:.4f}, calibration error {:.4f}, {:.1f} s, noise {:.3g}, "
      "temperature {:.2f}\n",
      found.error, found.loss, found.calibration, found.seconds, found.noise, found.temperature);
  std::fflush(stdout);
}

// Trains, and tests after every epoch.
std::vector<Epoch> train(Network& network, const Labelled& images, const Labelled& test_images,
                         const Settings& settings) {
  const Labelled training = part_of(images, false), kept_back = part_of(images, true);
  std::vector<Epoch> out;
  TrainerOptions options;
  options.likelihood = Likelihood::classes;
  options.max_epochs = settings.quick ? kQuickEpochs : kEpochs;
  options.stopping = Stopping::epochs;
  options.power = kPower;
  options.seed = settings.seed;
  options.progress = [&](const EpochReport& report) {
    const double noise = report.noise_variance.front();
    const double temperature = temperature_of(network, kept_back, noise, settings.threads);
    Epoch found = test({network, noise, temperature, settings.threads}, test_images);
    found.seconds = report.seconds;
    fmt::print("  epoch {}: ", report.epoch);
    tell(found);
    out.push_back(found);
    return true;
  };
  Trainer(network, options).fit({training.pixels}, training.targets);
  return out;
}

std::vector<double> column(const std::vector<Epoch>& epochs, double Epoch::*which) {
  std::vector<double> out;
  for (const Epoch& epoch : epochs) out.push_back(epoch.*which);
  return out;
}

// Row by row, in nats.
std::vector<double> entropies(const std::vector<double>& probabilities) {
  std::vector<double> out;
  for (std::size_t i = 0; i < probabilities.size(); i += kClasses) {
    double sum = 0;
    for (std::size_t k = 0; k < kClasses; ++k) {
      const double p = probabilities[i + k];
      if (p > 0) sum -= p * std::log(p);
    }
    out.push_back(sum);
  }
  return out;
}

Part summary(const Settings& settings) {
  Part part{"summary", {}, {}, {}};
  const Labelled fashion_test = read(settings, "fashion-mnist", ImageSet::test);
  for (const std::string folder : {"mnist", "fashion-mnist"}) {
    fmt::print("  {}\n", folder);
    const Labelled training = read(settings, folder, ImageSet::training);
    const Labelled test_images = read(settings, folder, ImageSet::test);
    NetworkOptions shape = NetworkOptions::dense(kPixels, kHidden, kClasses);
    shape.seed = settings.seed;
    Network network(shape);
    const std::vector<Epoch> epochs = train(network, training, test_images, settings);
    const Epoch& last = epochs.back();
    Object entry{{"weights", {static_cast<std::int64_t>(network.weight_count())}},
                 {"error", {column(epochs, &Epoch::error)}},
                 {"log_loss", {column(epochs, &Epoch::loss)}},
                 {"ece", {column(epochs, &Epoch::calibration)}},
                 {"noise_variance", {column(epochs, &Epoch::noise)}},
                 {"temperature", {column(epochs, &Epoch::temperature)}},
                 {"seconds_per_epoch", {column(epochs, &Epoch::seconds)}}};
    if (folder == "mnist") {
      const Probabilities probabilities{network, last.noise, last.temperature, settings.threads};
      const double area = area_under_curve(entropies(probabilities.of(test_images)),
                                           entropies(probabilities.of(fashion_test)));
      entry.push_back({"fashion_auroc", {area}});
      if (!settings.quick)
        part.claims = {{fmt::format("MNIST: error {:.4f}, below {}", last.error, kMostError),
                        last.error < kMostError},
                       {fmt::format("MNIST: calibration error {:.4f}, below {}", last.calibration,
                                    kMostCalibrationError),
                        last.calibration < kMostCalibrationError}};
      part.claims.push_back({fmt::format("Fashion-MNIST told from MNIST by entropy: area {:.4f}, "
                                         "above {}",
                                         area, settings.quick ? 0.5 : kLeastArea),
                             area > (settings.quick ? 0.5 : kLeastArea)});
    }
    part.result.push_back({folder, {entry}});
  }
  return part;
}

}  // namespace
}  // namespace postrider::experiments

int main(int argc, char** argv) {
  using namespace postrider::experiments;
  return run_program(argc, argv, "Trains and tests dense networks on images.",
                     {POSTRIDER_RESULTS, POSTRIDER_QUICK_RESULTS}, {{"summary", summary, true}});
}
