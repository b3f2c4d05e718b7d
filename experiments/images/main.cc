// Dense networks on MNIST and Fashion-MNIST: errors by epoch, calibration, and whether images of the
// other kind are told by their uncertainty.
#include <fmt/format.h>

#include "common/program.h"
#include "learner.h"
#include "postrider/metrics.h"

namespace postrider::experiments {
namespace {

constexpr double kMostError = 0.02, kMostCalibrationError = 0.01, kLeastArea = 0.97;
constexpr double kLeastQuickArea = 0.5;  // of a network that has hardly begun
constexpr std::size_t kTrialEpochs = 5;

// One change at a time, away from the defaults or towards them.
const std::vector<Setup> kTrials{
    {.name = "as in the summary", .epochs = kTrialEpochs},
    {.name = "power 1", .power = 1, .epochs = kTrialEpochs},
    {.name = "power 2", .power = 2, .epochs = kTrialEpochs},
    {.name = "all renewed at once", .power_at_once = 1e9, .epochs = kTrialEpochs},
    {.name = "power 1 at once", .power_at_once = 1, .epochs = kTrialEpochs},
    {.name = "power 8", .power = 8, .epochs = kTrialEpochs},
    {.name = "pixels times three", .standardised = false, .epochs = kTrialEpochs},
    {.name = "pixels times three, power 2",
     .standardised = false,
     .power = 2,
     .epochs = kTrialEpochs}};

std::vector<double> column(const std::vector<Epoch>& epochs, double Epoch::*which) {
  std::vector<double> out;
  for (const Epoch& epoch : epochs) out.push_back(epoch.*which);
  return out;
}

// Image sets that a network is tested on: its own, and the other kind.
struct Tests {
  Labelled own, other;
};

double area_of(const Learner& learner, const Tests& tests) {
  return area_under_curve(learner.entropies(tests.own), learner.entropies(tests.other));
}

Part summary(const Settings& settings) {
  Part part{"summary", {}, {}, {}};
  const Labelled fashion = read_labelled(settings, "fashion-mnist", ImageSet::test);
  for (const std::string folder : {"mnist", "fashion-mnist"}) {
    fmt::print("  {}\n", folder);
    const Tests tests{read_labelled(settings, folder, ImageSet::test), fashion};
    Learner learner({}, settings, read_labelled(settings, folder, ImageSet::training));
    const std::vector<Epoch> epochs = learner.learn(tests.own);
    const Epoch& last = epochs.back();
    Object entry{{"weights", {static_cast<std::int64_t>(learner.weights())}},
                 {"power", {learner.power()}},
                 {"error", {column(epochs, &Epoch::error)}},
                 {"log_loss", {column(epochs, &Epoch::loss)}},
                 {"ece", {column(epochs, &Epoch::calibration)}},
                 {"noise_variance", {column(epochs, &Epoch::noise)}},
                 {"temperature", {column(epochs, &Epoch::temperature)}},
                 {"seconds_per_epoch", {column(epochs, &Epoch::seconds)}}};
    if (folder == "mnist") {
      const double area = area_of(learner, tests);
      const double least = settings.quick ? kLeastQuickArea : kLeastArea;
      entry.push_back({"fashion_auroc", {area}});
      if (!settings.quick)
        part.claims = {{fmt::format("MNIST: error {:.4f}, below {}", last.error, kMostError),
                        last.error < kMostError},
                       {fmt::format("MNIST: calibration error {:.4f}, below {}", last.calibration,
                                    kMostCalibrationError),
                        last.calibration < kMostCalibrationError}};
      part.claims.push_back({fmt::format("Fashion-MNIST told from MNIST by entropy: area {:.4f}, "
                                         "above {}",
                                         area, least),
                             area > least});
    }
    part.result.push_back({folder, {entry}});
  }
  return part;
}

Part trials(const Settings& settings) {
  Part part{"trials", {}, {}, {}};
  const Labelled training = read_labelled(settings, "mnist", ImageSet::training);
  const Tests tests{read_labelled(settings, "mnist", ImageSet::test),
                    read_labelled(settings, "fashion-mnist", ImageSet::test)};
  for (const Setup& setup : kTrials) {
    if (settings.quick && &setup != &kTrials.front()) break;
    fmt::print("  {}\n", setup.name);
    Learner learner(setup, settings, training);
    const Epoch last = learner.learn(tests.own).back();
    part.result.push_back({setup.name,
                           {Object{{"power", {learner.power()}},
                                   {"error", {last.error}},
                                   {"log_loss", {last.loss}},
                                   {"ece", {last.calibration}},
                                   {"temperature", {last.temperature}},
                                   {"fashion_auroc", {area_of(learner, tests)}}}}});
  }
  return part;
}

}  // namespace
}  // namespace postrider::experiments

int main(int argc, char** argv) {
  using namespace postrider::experiments;
  return run_program(argc, argv, "Trains and tests dense networks on images.",
                     {POSTRIDER_RESULTS, POSTRIDER_QUICK_RESULTS},
                     {{"summary", summary, true}, {"trials", trials, true}});
}
