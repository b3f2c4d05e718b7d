#include <map>
#include <mutex>
#include <utility>

#include "base/workers.h"
#include "distributed/merging.h"
#include "postrider/distributed/parts.h"
#include "postrider/error.h"

namespace postrider::distributed {
using namespace internal;

struct ShardHolder::State {
  EstimatorOptions options;
  OptionInfo::Scope scope;
  std::map<std::size_t, std::unique_ptr<Shard>> shards = {};
  std::unique_ptr<SpreadSetting> setting = {};
  std::unique_ptr<Workers> workers = {};

  Workers& threads(unsigned count) {
    if (!workers || workers->threads() != count) workers = std::make_unique<Workers>(count);
    return *workers;
  }
  void hold(std::size_t number, const Examples& rows) {
    shards[number] = std::make_unique<Shard>(number, scope, options, rows);
    setting.reset();
  }
  SpreadSetting& expect_prepared() const {
    if (!setting)
      throw Error("shards must be prepared with the summaries of all before they learn");
    return *setting;
  }
  void load(const CheckpointFolder& from, std::uint64_t epoch, std::size_t first, std::size_t count,
            std::vector<UnitSums>& sums) const {
    for (const auto& [number, shard] : shards)
      if (number >= first && number - first < count)
        shard->load(setting->state, setting->plan, from.read_shard(epoch, number - first),
                    from.shard_path(epoch, number - first), sums);
  }
  Shard& expect_shard(std::size_t number) const {
    const auto found = shards.find(number);
    if (found == shards.end()) reject("shard", number, "is not held here");
    return *found->second;
  }
};

ShardHolder::ShardHolder(const Estimator& model)
    : state_(new State{spread_options(model.options()), inside_of(model).targets}) {}
ShardHolder::~ShardHolder() = default;
ShardHolder::ShardHolder(ShardHolder&&) noexcept = default;
ShardHolder& ShardHolder::operator=(ShardHolder&&) noexcept = default;

void ShardHolder::hold(std::size_t shard, const Examples& rows) {
  state_->hold(shard, sound_examples(rows, state_->scope, state_->options.outputs));
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

ShardHolder::Answer ShardHolder::run(std::span<const std::byte> bytes, unsigned threads) {
  const SpreadSetting& setting = state_->expect_prepared();
  const StepView step = unpacked_step(bytes);
  const bool is_round = step.kind == Step::Kind::round;
  expect_tasks(step, setting);
  std::vector<UnitSums> sums(setting.members);
  std::vector<std::size_t> own;
  for (std::size_t i = 0; i < step.tasks.size(); ++i) {
    if (is_round) sums[step.tasks[i].member].resize(setting.sum_size);
    if (holds(step.tasks[i].shard)) own.push_back(i);
  }
  std::vector<std::pair<std::size_t, Bytes>> results(own.size());
  std::mutex adding;
  Workers& workers = state_->threads(resolved_threads(threads));
  const bool is_alone = workers.threads() == 1 || own.size() == 1;
  workers.run(own.size(), [&](std::size_t i) {
    const ShardTask& task = step.tasks[own[i]];
    UnitSums& sum = sums[task.member];
    UnitSums change(is_alone ? 0 : sum.size());
    results[i] = {own[i],
                  run_task(*state_->shards.at(task.shard), step, task, is_alone ? sum : change)};
    // Whole numbers: the order does not matter.
    const std::scoped_lock one_at_a_time(adding);
    for (std::size_t k = 0; k < change.size(); ++k) sum[k] += change[k];
  });
  return {flat(std::move(sums)), packed_results(results)};
}

std::vector<std::int64_t> ShardHolder::forget(std::size_t shard) {
  const SpreadSetting& setting = state_->expect_prepared();
  std::vector<UnitSums> sums(setting.members, UnitSums(setting.sum_size));
  state_->expect_shard(shard).add_to(sums);
  drop(shard);
  return flat(std::move(sums));
}

void ShardHolder::write(const std::string& folder, std::uint64_t epoch) const {
  const CheckpointFolder to(folder, state_->expect_prepared().identity());
  for (const auto& [number, shard] : state_->shards) to.write_shard(epoch, number, shard->saved());
}

std::vector<std::int64_t> ShardHolder::load(const std::string& folder, std::uint64_t epoch) {
  const SpreadSetting& setting = state_->expect_prepared();
  const CheckpointFolder from(folder, setting.identity());
  std::vector<UnitSums> sums(setting.members, UnitSums(setting.sum_size));
  state_->load(from, epoch, 0, setting.plan.shards(), sums);
  return flat(std::move(sums));
}

std::vector<std::int64_t> ShardHolder::merge(std::span<const std::string> folders) {
  const SpreadSetting& setting = state_->expect_prepared();
  std::vector<UnitSums> sums(setting.members, UnitSums(setting.sum_size));
  for (const RunToMerge& run : runs_to_merge(setting, folders))
    state_->load(run.folder, run.manifest.epoch, run.first, run.count, sums);
  return flat(std::move(sums));
}

}  // namespace postrider::distributed
