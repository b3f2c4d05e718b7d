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

struct Epoch {
  double error, loss, calibration, seconds, noise;
};

std::vector<double> probabilities_of(const Network& network, const Labelled& images, double noise,
                                     unsigned threads) {
  return class_probabilities(network.predict({images.pixels}, threads), kClasses, noise, threads);
}

// Trains, and tests after every epoch.
std::vector<Epoch> train(Network& network, const Labelled& training, const Labelled& test,
                         const Settings& settings, double& noise) {
  std::vector<Epoch> out;
  TrainerOptions options;
  options.likelihood = Likelihood::classes;
  options.max_epochs = settings.quick ? kQuickEpochs : kEpochs;
  options.stopping = Stopping::epochs;
  options.seed = settings.seed;
  options.progress = [&](const EpochReport& report) {
    const std::vector<double> probabilities =
        probabilities_of(network, test, report.noise_variance.front(), settings.threads);
    out.push_back({1 - accuracy(probabilities, test.labels), log_loss(probabilities, test.labels),
                   expected_calibration_error(probabilities, test.labels), report.seconds,
                   report.noise_variance.front()});
    fmt::print(
        "  epoch {}: error {:.4f}, log-loss {:.4f}, calibration error {:.4f}, {:.1f} s, "
        "noise {:.3g}\n",
        report.epoch, out.back().error, out.back().loss, out.back().calibration, report.seconds,
        out.back().noise);
    std::fflush(stdout);
    return true;
  };
  Trainer trainer(network, options);
  trainer.fit({training.pixels}, training.targets);
  noise = trainer.noise_variance().front();
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
    const Labelled test = read(settings, folder, ImageSet::test);
    NetworkOptions shape = NetworkOptions::dense(kPixels, kHidden, kClasses);
    shape.seed = settings.seed;
    Network network(shape);
    double noise = 0;
    const std::vector<Epoch> epochs = train(network, training, test, settings, noise);
    Object entry{{"weights", {static_cast<std::int64_t>(network.weight_count())}},
                 {"error", {column(epochs, &Epoch::error)}},
                 {"log_loss", {column(epochs, &Epoch::loss)}},
                 {"ece", {column(epochs, &Epoch::calibration)}},
                 {"noise_variance", {column(epochs, &Epoch::noise)}},
                 {"seconds_per_epoch", {column(epochs, &Epoch::seconds)}}};
    if (folder == "mnist") {
      const double area = area_under_curve(
          entropies(probabilities_of(network, test, noise, settings.threads)),
          entropies(probabilities_of(network, fashion_test, noise, settings.threads)));
      entry.push_back({"fashion_auroc", {area}});
      const Epoch& last = epochs.back();
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
