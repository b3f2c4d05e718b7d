#include "train/checkpoint.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <type_traits>
#include <utility>

#include "data/safetensors.h"
#include "postrider/error.h"
#include "train/rebuild.h"
#include "train/stopping.h"

namespace postrider::internal {
namespace {

constexpr const char* kFormat = "postrider checkpoint 9";

// One row per epoch: the fields that are one number, then the noise variances.
template <class Report, class Visit>
void for_each_number(Report& report, Visit&& visit) {
  for (auto* number : {&report.epoch, &report.best_epoch, &report.linearised, &report.silent,
                       &report.bounded, &report.guarded})
    visit(*number);
  for (auto* number : {&report.score, &report.score_error, &report.training_score,
                       &report.typical_noise_variance, &report.seconds, &report.drift})
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

// Names of arrays that belong to one of the networks.
std::string of_network(const char* name, std::size_t network) {
  return std::string(name) + "." + std::to_string(network);
}

constexpr std::size_t kNumbers = 7;

template <class T>
std::vector<double> numbers_of(const Progress<T>& progress) {
  return {static_cast<double>(progress.epoch),
          static_cast<double>(progress.best_epoch),
          progress.best_score,
          progress.training_score,
          progress.training_score_before,
          static_cast<double>(progress.left_out.epoch),
          static_cast<double>(progress.refits_left)};
}

template <class T>
WeightMessages<T> read_messages(SafetensorsReader& file, const std::string& path,
                                const std::string& name, std::size_t size) {
  WeightMessages<T> out(size);
  file.read<T>(name + ".tau", {out.size()}, out.tau);
  file.read<T>(name + ".rho", {out.size()}, out.rho);
  if (!is_sound(out)) refuse(path, "a belief of it is not proper");
  return out;
}

std::vector<double> read_numbers(SafetensorsReader& file, const std::string& name,
                                 std::size_t size) {
  std::vector<double> out(size);
  file.read<double>(name, {size}, out);
  return out;
}

template <class T>
LeftOutMoments<T> read_left_out(SafetensorsReader& file, const std::string& path,
                                std::size_t network, LeftOutMoments<T> out) {
  const std::size_t size = out.mean.size();
  file.read<T>(of_network("left_out.mean", network), {size}, out.mean);
  file.read<T>(of_network("left_out.variance", network), {size}, out.variance);
  if (!are_finite<T>(out.mean) || !are_finite<T>(out.variance))
    refuse(path, "a prediction of it is not a number");
  return out;
}

template <class T>
Progress<T> read_progress(SafetensorsReader& file, const std::string& path, std::size_t network,
                          const Progress<T>& before) {
  const std::vector<double> numbers = read_numbers(file, of_network("progress", network), kNumbers);
  constexpr double kMostEpochs = 1e9;
  if (!(numbers[0] >= 1 && numbers[0] <= kMostEpochs && numbers[1] >= 0 &&
        numbers[1] <= numbers[0]))
    refuse(path, "it does not say at which epoch it was written");
  const auto epoch = static_cast<std::size_t>(numbers[0]);
  const std::size_t noises = before.noise.size();
  // The number of epochs is the file's to say: its rows must be there before memory is taken for them.
  const std::vector<std::size_t> rows{epoch, row_size(noises)};
  const std::string name = of_network("history", network);
  if (file.shape(name) != rows) refuse(path, "its history is not that of its epochs");
  std::vector<double> history(epoch * row_size(noises));
  file.read<double>(name, rows, history);

  Progress<T> out;
  out.epochs = epochs_of(path, history, noises);
  out.epoch = epoch;
  out.best_epoch = static_cast<std::size_t>(numbers[1]);
  out.best_score = numbers[2];
  out.training_score = numbers[3];
  out.training_score_before = numbers[4];
  out.noise = read_numbers(file, of_network("noise", network), noises);
  out.best_noise = read_numbers(file, of_network("best_noise", network), noises);
  if (!is_noise<T>(out.noise) || !is_noise<T>(out.best_noise))
    refuse(path, "a noise variance of it is not a positive number");
  out.best = read_messages<T>(file, path, of_network("best", network), before.best.size());
  out.left_out = read_left_out(file, path, network, before.left_out);
  if (!(numbers[5] >= 0 && numbers[5] <= numbers[0]))
    refuse(path, "it does not say which epoch left its rows out");
  out.left_out.epoch = static_cast<std::size_t>(numbers[5]);
  if (!(numbers[6] >= 0 && numbers[6] <= kMostEpochs))
    refuse(path, "it does not say how many epochs of all rows are to come");
  out.refits_left = static_cast<std::size_t>(numbers[6]);
  return out;
}

}  // namespace

template <class T>
void write_checkpoint(const std::string& path, const TrainingState<T>& state,
                      std::uint64_t identity) {
  const auto& [networks, belief, store, means_before] = state;
  std::vector<TensorView> tensors;
  const auto messages = [&](const std::string& name, const WeightMessages<T>& of) {
    tensors.push_back(view_of<T>(name + ".tau", {of.size()}, of.tau));
    tensors.push_back(view_of<T>(name + ".rho", {of.size()}, of.rho));
  };
  messages("belief", belief);
  tensors.push_back(view_of<T>("store", {store.all().size()}, store.all()));
  tensors.push_back(view_of<T>("means_before", {means_before.size()}, means_before));
  std::vector<std::vector<double>> numbers, histories;
  for (const Progress<T>& progress : networks) {
    numbers.push_back(numbers_of(progress));
    histories.push_back(history_of(progress.epochs));
  }
  for (std::size_t n = 0; n < networks.size(); ++n) {
    const Progress<T>& progress = networks[n];
    const std::size_t noises = progress.noise.size();
    messages(of_network("best", n), progress.best);
    const LeftOutMoments<T>& left_out = progress.left_out;
    tensors.push_back(
        view_of<T>(of_network("left_out.mean", n), {left_out.mean.size()}, left_out.mean));
    tensors.push_back(view_of<T>(of_network("left_out.variance", n), {left_out.variance.size()},
                                 left_out.variance));
    tensors.push_back(view_of<double>(of_network("progress", n), {kNumbers}, numbers[n]));
    tensors.push_back(view_of<double>(of_network("noise", n), {noises}, progress.noise));
    tensors.push_back(view_of<double>(of_network("best_noise", n), {noises}, progress.best_noise));
    tensors.push_back(view_of<double>(of_network("history", n),
                                      {progress.epochs.size(), row_size(noises)}, histories[n]));
  }
  write_safetensors(path, tensors, {{"format", kFormat}, {"identity", std::to_string(identity)}});
}

template <class T>
void read_checkpoint(const std::string& path, const TrainingState<T>& state,
                     std::uint64_t identity) {
  const auto& [networks, belief, store, means_before] = state;
  SafetensorsReader file(path);
  const auto metadata = [&](const std::string& key) {
    const auto found = file.metadata().find(key);
    return found == file.metadata().end() ? std::string() : found->second;
  };
  if (metadata("format") != kFormat) refuse(path, "it is not a checkpoint of this version");
  if (!file.has_checksums()) refuse(path, "its checksums are missing");
  if (metadata("identity") != std::to_string(identity))
    refuse(path, "it belongs to other data or other training options");
  std::vector<Progress<T>> found;
  for (std::size_t n = 0; n < networks.size(); ++n)
    found.push_back(read_progress(file, path, n, networks[n]));
  WeightMessages<T> found_belief = read_messages<T>(file, path, "belief", belief.size());
  file.read<T>("store", {store.all().size()}, store.all());
  file.read<T>("means_before", {means_before.size()}, means_before);
  if (!are_finite<T>(store.all())) refuse(path, "a stored message of it is not a number");
  if (!are_finite<T>(means_before)) refuse(path, "a mean of it is not a number");
  // Nothing was refused: what was there before is given up only now.
  belief = std::move(found_belief);
  std::ranges::move(found, networks.begin());
}

bool CheckpointPace::is_due(Clock::time_point now) const {
  constexpr std::chrono::seconds kFirst{5};
  constexpr int kTimes = 20;
  const Clock::duration needed = std::max<Clock::duration>(kFirst, kTimes * (spent_ + last_));
  return now - begin_ >= needed;
}

void CheckpointPace::wrote(Clock::duration taken) {
  spent_ += taken;
  last_ = taken;
}

void CheckpointAttempts::attempt(const std::function<void()>& write,
                                 const TrainingCallbacks& callbacks) {
  const auto begin = CheckpointPace::Clock::now();
  try {
    write();
    pace_.wrote(CheckpointPace::Clock::now() - begin);
  } catch (const Error& error) {
    if (!callbacks.warning) throw;
    if (!std::exchange(has_failed_, true))
      callbacks.warning(std::string(error.what()) + "; training goes on without checkpoints");
  }
}

template void write_checkpoint(const std::string&, const TrainingState<float>&, std::uint64_t);
template void write_checkpoint(const std::string&, const TrainingState<double>&, std::uint64_t);
template void read_checkpoint(const std::string&, const TrainingState<float>&, std::uint64_t);
template void read_checkpoint(const std::string&, const TrainingState<double>&, std::uint64_t);

namespace {

// FNV-1a, 64 bits: to notice other data, not to withstand an adversary.
class Fingerprint {
 public:
  template <class V>
  void add(std::span<const V> values) {
    for (const std::byte byte : std::as_bytes(values))
      hash_ = (hash_ ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3u;
  }
  template <class V>
  void add(V value) {
    add(std::span<const V>(&value, 1));
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

}  // namespace

template <class T>
std::uint64_t identity_of(const RowsToLearn& rows, const TrainerOptions& options,
                          const network::Trainer::Task& task, std::size_t group_size,
                          const NetworkArrays<T>& network) {
  Fingerprint out;
  const InputRowsView<T> inputs = rows.inputs.prepared<T>()->view();
  out.add(inputs.begins);
  out.add(inputs.columns);
  out.add(inputs.means);
  out.add(inputs.variances);
  out.add(rows.targets);
  out.add(rows.sample_weights);
  out.add(rows.learned);
  out.add(rows.left_out);
  out.add(group_size);
  out.add(task.likelihood);
  out.add(task.power);
  out.add(std::span<const double>(options.noise_variance));
  out.add(options.learn_noise);
  out.add(std::span<const double>(task.known_noise));
  out.add(options.constant_noise_epochs);
  out.add(options.damping);
  out.add(extrapolation_of(options));
  out.add(options.block);
  out.add(options.parallel_groups);
  out.add(options.shuffle);
  out.add(options.seed);
  out.add(network.engine.rule());
  for (const SweepLayer& layer : network.engine.layers()) {
    out.add(layer.units);
    out.add(layer.bias);
    out.add(layer.slope);
    out.add(layer.activation_precision);
  }
  out.add(std::span<const T>(network.prior.tau));
  out.add(std::span<const T>(network.prior.rho));
  return out.value();
}

template std::uint64_t identity_of(const RowsToLearn&, const TrainerOptions&,
                                   const network::Trainer::Task&, std::size_t,
                                   const NetworkArrays<float>&);
template std::uint64_t identity_of(const RowsToLearn&, const TrainerOptions&,
                                   const network::Trainer::Task&, std::size_t,
                                   const NetworkArrays<double>&);

}  // namespace postrider::internal
