#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "data/safetensors.h"
#include "postrider/error.h"
#include "train/rebuild.h"
#include "train/state.h"

namespace postrider {
namespace {

constexpr const char* kFormat = "postrider checkpoint 4";

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

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw CorruptFile("cannot resume from " + path + ": " + why);
}

std::vector<EpochReport> epochs_of(const std::string& path, const std::vector<double>& history,
                                   std::size_t noises) {
  std::vector<EpochReport> out(history.size() / row_size(noises));
  auto next = history.begin();
  constexpr double kLargestCount = 9007199254740992;  // up to which a double counts
  for (EpochReport& report : out) {
    report.noise_variance.resize(noises);
    for_each_number(report, [&]<class N>(N& number) {
      if (std::is_integral_v<N> && !(*next >= 0 && *next <= kLargestCount))
        refuse(path, "a count of its history is not a whole number");
      number = static_cast<N>(*next++);
    });
  }
  return out;
}

// Messages of groups may be improper; beliefs and noise may not.
template <class T>
bool are_finite(std::span<const T> values) {
  return std::ranges::all_of(values, [](T value) { return std::isfinite(value); });
}
// In the network's type it and its inverse are numbers.
template <class T>
bool is_noise(std::span<const double> variances) {
  return std::ranges::all_of(variances, [](double variance) {
    const T typed = static_cast<T>(variance);
    return typed > 0 && std::isfinite(typed) && std::isfinite(1 / typed);
  });
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
  if (metadata("format") != kFormat) refuse(path, "it is not a checkpoint of this version");
  if (!file.has_checksums()) refuse(path, "its checksums are missing");
  if (metadata("identity") != std::to_string(identity))
    refuse(path, "it belongs to other data or other training options");
  const std::size_t noises = progress.noise.size();
  const auto messages = [&](const std::string& name) {
    WeightMessages<T> out(belief.size());
    file.read<T>(name + ".tau", {out.size()}, out.tau);
    file.read<T>(name + ".rho", {out.size()}, out.rho);
    if (!is_sound(out)) refuse(path, "a belief of it is not proper");
    return out;
  };
  const auto numbers_of = [&](const std::string& name, std::size_t size) {
    std::vector<double> out(size);
    file.read<double>(name, {size}, out);
    return out;
  };
  const std::vector<double> numbers = numbers_of("progress", 5);
  constexpr double kMostEpochs = 1e9;
  if (!(numbers[0] >= 1 && numbers[0] <= kMostEpochs && numbers[1] >= 1 &&
        numbers[1] <= numbers[0]))
    refuse(path, "it does not say at which epoch it was written");
  const auto epoch = static_cast<std::size_t>(numbers[0]);
  // The number of epochs is the file's to say: its rows must be there before memory is taken for them.
  const std::vector<std::size_t> rows{epoch, row_size(noises)};
  if (file.shape("history") != rows) refuse(path, "its history is not that of its epochs");
  std::vector<double> history(epoch * row_size(noises));
  file.read<double>("history", rows, history);

  Progress<T> found;
  found.epochs = epochs_of(path, history, noises);
  found.epoch = epoch;
  found.best_epoch = static_cast<std::size_t>(numbers[1]);
  found.best_score = numbers[2];
  found.training_score = numbers[3];
  found.training_score_before = numbers[4];
  found.noise = numbers_of("noise", noises);
  found.best_noise = numbers_of("best_noise", noises);
  if (!is_noise<T>(found.noise) || !is_noise<T>(found.best_noise))
    refuse(path, "a noise variance of it is not a positive number");
  found.best = messages("best");
  WeightMessages<T> found_belief = messages("belief");
  file.read<T>("store", {store.groups(), 2, belief.size()}, store.all());
  if (!are_finite<T>(store.all())) refuse(path, "a stored message of it is not a number");
  // Nothing was refused: what was there before is given up only now.
  belief = std::move(found_belief);
  progress = std::move(found);
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
