#include "distributed/distributed_training.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "distributed/setting.h"
#include "postrider/error.h"

namespace postrider::internal {
namespace {

// Losses before the next epoch ends, after which it is rows or machines that are at fault.
constexpr std::uint64_t kMostLosses = 10;

}  // namespace

DistributedTraining::DistributedTraining(Parts parts, std::size_t shards,
                                         const distributed::DistributedOptions& options,
                                         unsigned threads, distributed::Communicator& processes)
    : parts_(std::move(parts)),
      shards_(shards),
      options_(options),
      threads_(threads),
      processes_(processes),
      holder_(parts_.holder()),
      has_checkpoint_(options.resume) {
  options_.validate();
  if (shards_ == 0) reject("shards", shards_, "must be at least 1");
}

distributed::DistributedReport DistributedTraining::fit(const TrainingCallbacks& callbacks) {
  for (;;) {
    try {
      begin();
      if (callbacks.warning && recoveries_ == 0)
        for (const std::string& text : driver_->warnings(callbacks.input_names))
          callbacks.warning(text);
      if (!go_on_from_checkpoint()) merge();
      train(callbacks);
      distributed::DistributedReport report = driver_->conclude();
      report.recoveries = recoveries_;
      return report;
    } catch (const Lost&) {
      note_loss();
    }
  }
}

void DistributedTraining::note_loss() {
  ++recoveries_;
  if (++losses_ > kMostLosses)
    throw Error("processes were lost " + std::to_string(losses_) + " times before epoch " +
                std::to_string(furthest_ + 1) + " ended: training gives up");
  if (!processes_.recover())
    throw Error(
        "a process was lost, or did not answer in time, and training cannot go on without it; "
        "start again, with --resume to go on from the last checkpoint");
}

void DistributedTraining::expect(distributed::Communicator::Outcome outcome) {
  if (outcome != distributed::Communicator::Outcome::done) throw Lost();
}

std::vector<distributed::ByteString> DistributedTraining::gathered(std::span<const std::byte> own) {
  std::vector<distributed::ByteString> out;
  expect(processes_.gather(own, out));
  return out;
}

std::vector<bool> DistributedTraining::wishes(bool own) {
  std::vector<bool> out;
  const std::byte said{static_cast<unsigned char>(own)};
  for (const distributed::ByteString& one : gathered(std::span(&said, 1)))
    out.push_back(one.at(0) != std::byte{0});
  return out;
}

void DistributedTraining::begin() {
  std::vector<std::pair<std::size_t, Bytes>> own;
  for (std::size_t s = 0; s < shards_; ++s) {
    if (s % processes_.size() != processes_.rank()) {
      holder_.drop(s);
      continue;
    }
    if (!holder_.holds(s)) parts_.hold(holder_, s);
    own.emplace_back(s, holder_.summary(s));
  }
  const std::vector<distributed::ByteString> summaries =
      in_order(gathered(packed_results(own)), shards_);
  holder_.prepare(summaries);
  driver_.emplace(parts_.driver(summaries));
}

bool DistributedTraining::go_on_from_checkpoint() {
  // One that lies there from another run may be further than this one would go. Not all may have heard that one was written.
  const std::vector<bool> known = wishes(has_checkpoint_);
  has_checkpoint_ = std::ranges::any_of(known, std::identity());
  if (!has_checkpoint_) return false;
  const std::optional<std::uint64_t> epoch = driver_->checkpoint();
  Packer packed;
  packed.add(epoch.value_or(0));
  const std::vector<distributed::ByteString> seen = gathered(packed.take());
  if (std::ranges::any_of(seen,
                          [&](const distributed::ByteString& one) { return one != seen.front(); }))
    throw Error("processes see other checkpoints in " + options_.checkpoint +
                ": it must be a folder that all of them share");
  if (!epoch) return false;
  std::vector<std::int64_t> sums = holder_.load(options_.checkpoint, *epoch);
  expect(processes_.sum(sums));
  driver_->resume(sums);
  forget(sums.size());
  return true;
}

void DistributedTraining::merge() {
  if (options_.merge.empty()) return;
  std::vector<std::int64_t> sums = holder_.merge(options_.merge);
  expect(processes_.sum(sums));
  driver_->merge(sums);
}

void DistributedTraining::forget(std::size_t sum_size) {
  if (options_.forget.empty()) return;
  std::vector<std::int64_t> sums(sum_size);
  for (const std::size_t shard : options_.forget) {
    if (!holder_.holds(shard)) continue;
    const std::vector<std::int64_t> own = holder_.forget(shard);
    for (std::size_t k = 0; k < own.size(); ++k) sums[k] += own[k];
  }
  expect(processes_.sum(sums));
  driver_->forget(options_.forget, sums);
}

void DistributedTraining::train(const TrainingCallbacks& callbacks) {
  std::uint64_t epochs = driver_->epochs();
  for (distributed::ByteString step = driver_->next(); !step.empty(); step = driver_->next()) {
    distributed::ShardHolder::Answer own = holder_.run(step, threads_);
    if (!own.sums.empty()) expect(processes_.sum(own.sums));
    driver_->accept(own.sums, gathered(own.results));
    if (driver_->epochs() == epochs) continue;
    epochs = driver_->epochs();
    if (epochs > furthest_) {
      furthest_ = epochs;
      losses_ = 0;
    }
    // Clocks differ: the first process says whether a checkpoint is due.
    const bool is_due = wishes(driver_->is_checkpoint_due()).front();
    if (is_due) save(callbacks);
    const std::vector<bool> go_on = wishes(tell(callbacks));
    if (std::ranges::all_of(go_on, std::identity())) continue;
    // Whoever ends training may mean to go on.
    if (!is_due && saves_by_time()) save(callbacks);
    driver_->cancel();
  }
}

bool DistributedTraining::saves_by_time() const {
  return !options_.checkpoint.empty() && options_.checkpoint_every == 0 && options_.forget.empty();
}

bool DistributedTraining::tell(const TrainingCallbacks& callbacks) {
  bool goes_on = !(callbacks.interrupted && callbacks.interrupted());
  for (const EpochReport& report : driver_->take_reports()) {
    // Not again what was told before a loss.
    if (report.epoch <= told_[report.member]) continue;
    told_[report.member] = report.epoch;
    if (callbacks.progress && !callbacks.progress(report)) goes_on = false;
  }
  return goes_on;
}

// A checkpoint that cannot be written is told of, and training goes on.
void DistributedTraining::save(const TrainingCallbacks& callbacks) {
  std::string trouble;
  try {
    holder_.write(options_.checkpoint, driver_->epochs());
  } catch (const Error& error) {
    trouble = error.what();
  }
  for (const distributed::ByteString& one : gathered(std::as_bytes(std::span(trouble)))) {
    if (one.empty()) continue;
    if (callbacks.warning)
      callbacks.warning({reinterpret_cast<const char*>(one.data()), one.size()});
    return;
  }
  has_checkpoint_ = true;
  if (processes_.rank() != 0) return;
  try {
    driver_->write_manifest();
  } catch (const Error& error) {
    if (callbacks.warning) callbacks.warning(error.what());
  }
}

}  // namespace postrider::internal
