#include <cmath>

#include "data/safetensors.h"
#include "postrider/error.h"
#include "train/state.h"

namespace postrider {
namespace {

constexpr const char* kFormat = "postrider checkpoint 3";

// One row per epoch: the fields that are one number, then the noise variances.
template <class Report, class Visit>
void for_each_number(Report& report, Visit&& visit) {
  for (auto* number : {&report.epoch, &report.best_epoch, &report.linearised, &report.silent,
                       &report.bounded, &report.guarded})
    visit(*number);
  for (auto* number : {&report.score, &report.training_score, &report.typical_noise_variance,
                       &report.seconds, &report.drift})
    visit(*number);
  for (auto& variance : report.noise_variance) visit(variance);
}

std::size_t row_size(std::size_t noises) {
  EpochReport report;
  report.noise_variance.resize(noises);
  std::size_t out = 0;
  for_each_number(report, [&](const auto&) { ++out; });
  return out;
}

std::vector<double> history_of(const std::vector<EpochReport>& epochs) {
  std::vector<double> out;
  for (const EpochReport& report : epochs)
    for_each_number(report,
                    [&](const auto& number) { out.push_back(static_cast<double>(number)); });
  return out;
}

std::vector<EpochReport> epochs_of(const std::vector<double>& history, std::size_t noises) {
  std::vector<EpochReport> out(history.size() / row_size(noises));
  auto next = history.begin();
  for (EpochReport& report : out) {
    report.noise_variance.resize(noises);
    for_each_number(report, [&]<class N>(N& number) { number = static_cast<N>(*next++); });
  }
  return out;
}

}  // namespace

template <class T>
void write_checkpoint(const std::string& path, const Progress<T>& progress,
                      const WeightMessages<T>& belief, MessageStore<T>& store,
                      std::uint64_t identity) {
  const std::size_t weights = belief.size();
  const std::vector<double> numbers{static_cast<double>(progress.epoch),
                                    static_cast<double>(progress.best_epoch), progress.best_score,
                                    progress.training_score, progress.training_score_before};
  const auto messages = [&](const std::string& name, const WeightMessages<T>& of,
                            std::vector<TensorView>& to) {
    to.push_back(view_of<T>(name + ".tau", {of.size()}, of.tau));
    to.push_back(view_of<T>(name + ".rho", {of.size()}, of.rho));
  };
  std::vector<TensorView> tensors;
  messages("belief", belief, tensors);
  messages("best", progress.best, tensors);
  tensors.push_back(view_of<T>("store", {store.groups(), 2, weights}, store.all()));
  tensors.push_back(view_of<double>("progress", {numbers.size()}, numbers));
  tensors.push_back(view_of<double>("noise", {progress.noise.size()}, progress.noise));
  tensors.push_back(view_of<double>("best_noise", {progress.noise.size()}, progress.best_noise));
  const std::vector<double> history = history_of(progress.epochs);
  tensors.push_back(view_of<double>(
      "history", {progress.epochs.size(), row_size(progress.noise.size())}, history));
  write_safetensors(path, tensors, {{"format", kFormat}, {"identity", std::to_string(identity)}});
}

template <class T>
void read_checkpoint(const std::string& path, Progress<T>& progress, WeightMessages<T>& belief,
                     MessageStore<T>& store, std::uint64_t identity) {
  SafetensorsReader file(path);
  const auto metadata = [&](const std::string& key) {
    const auto found = file.metadata().find(key);
    return found == file.metadata().end() ? std::string() : found->second;
  };
  if (metadata("format") != kFormat)
    throw CorruptFile("cannot resume from " + path + ": it is not a checkpoint of this version");
  if (metadata("identity") != std::to_string(identity))
    throw CorruptFile("cannot resume from " + path +
                      ": it belongs to other data or other training options");
  const auto messages = [&](const std::string& name, WeightMessages<T>& to) {
    file.read<T>(name + ".tau", {to.size()}, to.tau);
    file.read<T>(name + ".rho", {to.size()}, to.rho);
  };
  progress.best = WeightMessages<T>(belief.size());
  progress.best_noise = progress.noise;
  messages("belief", belief);
  messages("best", progress.best);
  file.read<T>("store", {store.groups(), 2, belief.size()}, store.all());
  std::vector<double> numbers(5);
  file.read<double>("progress", {numbers.size()}, numbers);
  file.read<double>("noise", {progress.noise.size()}, progress.noise);
  file.read<double>("best_noise", {progress.noise.size()}, progress.best_noise);
  constexpr double kMostEpochs = 1e9;
  if (!(numbers[0] >= 1 && numbers[0] <= kMostEpochs && numbers[1] >= 1 &&
        numbers[1] <= numbers[0]))
    throw CorruptFile("cannot resume from " + path +
                      ": it does not say at which epoch it was written");
  progress.epoch = static_cast<std::size_t>(numbers[0]);
  progress.best_epoch = static_cast<std::size_t>(numbers[1]);
  progress.best_score = numbers[2];
  progress.training_score = numbers[3];
  progress.training_score_before = numbers[4];
  const std::size_t noises = progress.noise.size();
  std::vector<double> history(progress.epoch * row_size(noises));
  file.read<double>("history", {progress.epoch, row_size(noises)}, history);
  progress.epochs = epochs_of(history, noises);
}

template void write_checkpoint(const std::string&, const Progress<float>&,
                               const WeightMessages<float>&, MessageStore<float>&, std::uint64_t);
template void write_checkpoint(const std::string&, const Progress<double>&,
                               const WeightMessages<double>&, MessageStore<double>&, std::uint64_t);
template void read_checkpoint(const std::string&, Progress<float>&, WeightMessages<float>&,
                              MessageStore<float>&, std::uint64_t);
template void read_checkpoint(const std::string&, Progress<double>&, WeightMessages<double>&,
                              MessageStore<double>&, std::uint64_t);

}  // namespace postrider
