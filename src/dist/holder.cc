#include <map>
#include <mutex>
#include <utility>

#include "base/workers.h"
#include "dist/setting.h"
#include "postrider/distributed_parts.h"
#include "postrider/error.h"

namespace postrider {

struct ShardHolder::State {
  EstimatorOptions options;
  OptionScope scope;
  std::map<std::size_t, std::unique_ptr<Shard>> shards = {};
  std::unique_ptr<SpreadSetting> setting = {};
  std::unique_ptr<Workers> workers = {};

  Workers& threads(unsigned count) {
    if (!workers || workers->threads() != count) workers = std::make_unique<Workers>(count);
    return *workers;
  }
  void hold(std::size_t number, const EstimatorRows& rows) {
    shards[number] = std::make_unique<Shard>(number, scope, options, rows);
    setting.reset();
  }
  SpreadSetting& expect_prepared() const {
    if (!setting)
      throw Error("shards must be prepared with the summaries of all before they learn");
    return *setting;
  }
  Shard& expect_shard(std::size_t number) const {
    const auto found = shards.find(number);
    if (found == shards.end()) reject("shard", number, "is not held here");
    return *found->second;
  }
};

ShardHolder::ShardHolder(const Regressor& model)
    : state_(new State{spread_options(model.options()), OptionScope::numeric_target}) {}
ShardHolder::ShardHolder(const Classifier& model)
    : state_(new State{spread_options(model.options()), OptionScope::classes}) {}
ShardHolder::~ShardHolder() = default;
ShardHolder::ShardHolder(ShardHolder&&) noexcept = default;
ShardHolder& ShardHolder::operator=(ShardHolder&&) noexcept = default;

void ShardHolder::hold(std::size_t shard, const NumericRows& rows) {
  if (state_->scope != OptionScope::numeric_target)
    reject("shard", shard, "must have labels: the model is a classifier");
  state_->hold(
      shard, numeric_rows(rows.inputs, rows.targets, rows.sample_weights, state_->options.outputs));
}

void ShardHolder::hold(std::size_t shard, const LabelledRows& rows) {
  if (state_->scope != OptionScope::classes)
    reject("shard", shard, "must have numeric targets: the model is a regressor");
  const std::vector<double> labels(rows.labels.begin(), rows.labels.end());
  state_->hold(shard, class_rows(rows.inputs, labels, rows.sample_weights));
}

bool ShardHolder::holds(std::size_t shard) const { return state_->shards.contains(shard); }
void ShardHolder::drop(std::size_t shard) { state_->shards.erase(shard); }

ByteString ShardHolder::summary(std::size_t shard) const {
  return state_->expect_shard(shard).summary().packed();
}

void ShardHolder::prepare(std::span<const ByteString> summaries) {
  state_->setting = std::make_unique<SpreadSetting>(state_->options, state_->scope, summaries);
  const SpreadSetting& setting = *state_->setting;
  for (auto& [number, shard] : state_->shards) {
    if (number >= setting.plan.shards())
      reject("shard", number,
             "must be below the number of shards, " + std::to_string(setting.plan.shards()));
    shard->prepare(setting.state, setting.plan);
  }
}

StepAnswer ShardHolder::run(std::span<const std::byte> bytes, unsigned threads) {
  const SpreadSetting& setting = state_->expect_prepared();
  const Step step = unpacked_step(bytes);
  const bool is_round = step.kind == Step::Kind::round;
  std::vector<UnitSums> sums(setting.members);
  std::vector<std::size_t> own;
  for (std::size_t i = 0; i < step.tasks.size(); ++i) {
    if (is_round) sums[step.tasks[i].member].resize(setting.sum_size);
    if (holds(step.tasks[i].shard)) own.push_back(i);
  }
  std::vector<std::pair<std::size_t, Bytes>> results(own.size());
  std::mutex adding;
  state_->threads(resolved_threads(threads)).run(own.size(), [&](std::size_t i) {
    const ShardTask& task = step.tasks[own[i]];
    UnitSums change(is_round ? setting.sum_size : 0);
    results[i] = {own[i], run_task(*state_->shards.at(task.shard), step, task, change)};
    // Whole numbers: the order does not matter.
    const std::scoped_lock one_at_a_time(adding);
    for (std::size_t k = 0; k < change.size(); ++k) sums[task.member][k] += change[k];
  });
  return {flat(sums), packed_results(results)};
}

std::vector<std::int64_t> ShardHolder::forget(std::size_t shard) {
  const SpreadSetting& setting = state_->expect_prepared();
  std::vector<UnitSums> sums(setting.members, UnitSums(setting.sum_size));
  state_->expect_shard(shard).add_to(sums);
  drop(shard);
  return flat(sums);
}

void ShardHolder::write(const std::string& folder, std::uint64_t epoch) const {
  const CheckpointFolder to(folder, state_->expect_prepared().identity);
  for (const auto& [number, shard] : state_->shards) to.write_shard(epoch, number, shard->saved());
}

std::vector<std::int64_t> ShardHolder::load(const std::string& folder, std::uint64_t epoch) {
  const SpreadSetting& setting = state_->expect_prepared();
  const CheckpointFolder from(folder, setting.identity);
  std::vector<UnitSums> sums(setting.members, UnitSums(setting.sum_size));
  for (auto& [number, shard] : state_->shards)
    shard->load(from.read_shard(epoch, number), from.shard_path(epoch, number), sums);
  return flat(sums);
}

}  // namespace postrider
