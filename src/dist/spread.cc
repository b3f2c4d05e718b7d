#include "dist/spread.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <string>
#include <utility>

#include "data/checksum.h"
#include "estimator/copies.h"
#include "estimator/model_options.h"
#include "postrider/error.h"

namespace postrider {
namespace {

// Of data, options and shards.
std::uint64_t identity_of(const EstimatorOptions& options, const std::vector<Bytes>& summaries) {
  std::map<std::string, std::string> described;
  describe_options(options, described);
  // One may go on with more epochs.
  for (const char* const name : {"option.max_epochs", "option.patience"}) described.erase(name);
  std::uint32_t of_options = 0, of_data = 0;
  for (const auto& [key, text] : described) {
    const std::string line = key + "=" + text + "\n";
    of_options = checksum_of(std::as_bytes(std::span(line)), of_options);
  }
  for (const Bytes& summary : summaries) of_data = checksum_of(summary, of_data);
  return (static_cast<std::uint64_t>(of_options) << 32) | of_data;
}

}  // namespace

EstimatorOptions spread_options(const EstimatorOptions& options) {
  EstimatorOptions out = options;
  out.ensemble_size = std::max<std::size_t>(1, options.ensemble_size);
  if (out.copies == Copies::chosen) out.copies = Copies::together;
  out.training.checkpoint.clear();
  out.training.resume = false;
  return out;
}

Spread::Spread(EstimatorState& state, std::size_t shards, MakeShard make,
               const DistributedOptions& options, Communicator& processes)
    : state_(state),
      spread_(spread_options(state.options), state.targets),
      shards_(shards),
      make_(std::move(make)),
      options_(options),
      processes_(processes),
      workers_(resolved_threads(state.options.training.threads)) {
  options_.validate();
  if (shards_ == 0) reject("shards", shards_, "must be at least 1");
}

DistributedReport Spread::fit(const TrainingCallbacks& callbacks) {
  for (;;) {
    try {
      begin();
      if (options_.resume || recoveries_ > 0) go_on_from_checkpoint();
      train(callbacks);
      break;
    } catch (const Lost&) {
      ++recoveries_;
      if (!processes_.recover())
        throw Error("a process was lost, or did not answer in time, and training cannot go on "
                    "without it; start again with --resume to go on from the last checkpoint");
    }
  }
  FittedModel model = untrained(spread_, plan_.summary, false);
  DistributedReport report;
  coordinator_->conclude(model, report);
  report.recoveries = recoveries_;
  model.rows_learned = plan_.rows();
  state_.streams.clear();
  state_.fitted = std::move(model);
  return report;
}

void Spread::expect(Communication outcome) {
  if (outcome != Communication::done) throw Lost();
}

// What each process has found, for the tasks or shards of these numbers, put in order. Whether somebody wants to
// stop is told along the way.
std::vector<Bytes> Spread::gathered(std::size_t count, const std::map<std::size_t, Bytes>& own) {
  Packer packed;
  for (const auto& [number, bytes] : own) {
    packed.add(static_cast<std::uint64_t>(number));
    packed.add(bytes);
  }
  std::vector<Bytes> all, out(count);
  expect(processes_.gather(packed.take(), all));
  for (const Bytes& from_one : all) {
    Unpacker from(from_one, "what a process has sent");
    while (!from.is_empty()) {
      const auto number = from.read<std::uint64_t>();
      if (number >= count) from.fail("it is about a task that nobody has asked for");
      out[number] = from.read_all<std::byte>();
    }
  }
  return out;
}

void Spread::begin() {
  std::map<std::size_t, Bytes> summaries;
  for (std::size_t s = 0; s < shards_; ++s) {
    if (!holds(s)) continue;
    if (!own_.contains(s)) own_[s] = make_(s);
    summaries[s] = own_[s]->summary().packed();
  }
  std::erase_if(own_, [&](const auto& shard) { return !holds(shard.first); });
  const std::vector<Bytes> all = gathered(shards_, summaries);
  std::vector<ShardSummary> of_shards;
  for (const Bytes& summary : all) of_shards.push_back(ShardSummary::unpacked(summary));
  plan_ = plan_of(spread_, of_shards);
  const std::size_t weights = untrained(spread_, plan_.summary, false)
                                  .members.front()
                                  .network.weight_count();
  const std::vector<double> ways = dampings_to_try(
      spread_.options, power_for(spread_.options.power, weights, plan_.summary.rows), weights);
  spread_.options.training.damping = ways.front();
  for (auto& [number, shard] : own_) shard->prepare(spread_, plan_);
  coordinator_ = make_coordinator(spread_, plan_, options_);
  epochs_ = 0;
  if (!options_.checkpoint.empty())
    folder_.emplace(options_.checkpoint, identity_of(spread_.options, all));
}

void Spread::go_on_from_checkpoint() {
  if (!folder_) return;
  const std::optional<CheckpointFolder::Manifest> manifest = folder_->read_manifest();
  Packer packed;
  packed.add(manifest ? manifest->epoch : std::uint64_t{0});
  std::vector<Bytes> epochs;
  expect(processes_.gather(packed.take(), epochs));
  if (std::ranges::any_of(epochs, [&](const Bytes& one) { return one != epochs.front(); }))
    throw Error("processes see other checkpoints in " + options_.checkpoint +
                ": it must be a folder that all of them share");
  if (!manifest) return;
  const std::size_t members = untrained(spread_, plan_.summary, false).members.size();
  std::vector<UnitSums> sums(members, UnitSums(coordinator_->sum_size()));
  for (auto& [number, shard] : own_)
    shard->load(folder_->read_shard(manifest->epoch, number),
                folder_->shard_path(manifest->epoch, number), sums);
  for (UnitSums& of_member : sums) expect(processes_.sum(of_member));
  coordinator_->load(manifest->bytes, folder_->manifest_path(), std::move(sums));
  epochs_ = manifest->epoch;
}

void Spread::train(const TrainingCallbacks& callbacks) {
  while (const std::optional<Step> step = coordinator_->next()) {
    run(*step);
    if (!coordinator_->is_between_epochs()) continue;
    ++epochs_;
    const bool goes_on = tell(callbacks);
    if (folder_ && epochs_ % options_.checkpoint_every == 0) save(callbacks);
    std::vector<Bytes> wishes;
    Packer wish;
    wish.add(static_cast<std::uint8_t>(goes_on));
    expect(processes_.gather(wish.take(), wishes));
    if (std::ranges::any_of(wishes, [](const Bytes& one) { return one.front() == std::byte{0}; }))
      coordinator_->cancel();
  }
}

void Spread::run(const Step& step) {
  std::vector<std::size_t> own;
  for (std::size_t i = 0; i < step.tasks.size(); ++i)
    if (holds(step.tasks[i].shard)) own.push_back(i);
  std::vector<UnitSums> sums(step.requests.size());
  if (step.kind == Step::Kind::round)
    for (const ShardTask& task : step.tasks) sums[task.member].resize(coordinator_->sum_size());
  std::map<std::size_t, Bytes> results;
  std::mutex adding;
  workers_.run(own.size(), [&](std::size_t i) {
    const ShardTask& task = step.tasks[own[i]];
    UnitSums change(step.kind == Step::Kind::round ? coordinator_->sum_size() : 0);
    Bytes found = run_task(*own_.at(task.shard), step, task, change);
    // Whole numbers: the order does not matter.
    const std::scoped_lock one_at_a_time(adding);
    for (std::size_t k = 0; k < change.size(); ++k) sums[task.member][k] += change[k];
    results[own[i]] = std::move(found);
  });
  for (UnitSums& of_member : sums)
    if (!of_member.empty()) expect(processes_.sum(of_member));
  coordinator_->accept(sums, gathered(step.tasks.size(), results));
}

bool Spread::tell(const TrainingCallbacks& callbacks) {
  bool goes_on = !(callbacks.interrupted && callbacks.interrupted());
  for (const EpochReport& report : coordinator_->take_reports()) {
    // Not again what was told before a loss.
    if (report.epoch <= told_ && report.member == 0) continue;
    if (report.member == 0) told_ = report.epoch;
    if (callbacks.progress && !callbacks.progress(report)) goes_on = false;
  }
  return goes_on;
}

// A checkpoint that cannot be written is told of, and training goes on.
void Spread::save(const TrainingCallbacks& callbacks) {
  std::string trouble;
  try {
    for (const auto& [number, shard] : own_) folder_->write_shard(epochs_, number, shard->saved());
  } catch (const Error& error) {
    trouble = error.what();
  }
  Packer packed;
  packed.add(std::span<const char>(trouble));
  std::vector<Bytes> troubles;
  expect(processes_.gather(packed.take(), troubles));
  for (const Bytes& one : troubles) {
    const std::vector<char> text = Unpacker(one, "a process").read_all<char>();
    if (text.empty()) continue;
    if (callbacks.warning) callbacks.warning({text.begin(), text.end()});
    return;
  }
  if (processes_.rank() != 0) return;
  try {
    folder_->write_manifest(epochs_, coordinator_->saved());
    folder_->remove_others(epochs_, shards_);
  } catch (const Error& error) {
    if (callbacks.warning) callbacks.warning(error.what());
  }
}

}  // namespace postrider
