// What holders and the driver of one run work out alike, each from the summaries of all shards.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "distributed/checkpoint.h"
#include "distributed/coordinator.h"

namespace postrider::internal {

// As training that is spread takes them: one network unless asked for more, and one way to learn.
EstimatorOptions spread_options(const EstimatorOptions& options);

struct SpreadSetting {
  SpreadSetting(const EstimatorOptions& options, OptionInfo::Scope scope,
                std::span<const Bytes> of_shards);

  EstimatorState state;  // with the options of training that is spread
  TrainingPlan plan;
  std::vector<Bytes> summaries;   // of all shards
  std::size_t members, sum_size;  // two numbers for each weight of a member

  // Names data, options and shards: those of a run with so many of these shards, beginning with this one.
  std::uint64_t identity(std::size_t first, std::size_t count) const;
  std::uint64_t identity() const { return identity(0, summaries.size()); }

 private:
  std::uint32_t options_checksum_;  // as they were asked for
};

// What shards with these summaries agree on. Throws InvalidArgument if they do not fit together.
TrainingPlan plan_of(const EstimatorState& state, std::span<const Bytes> summaries);

// A step as bytes.
Bytes packed(const Step& step);
StepView unpacked_step(std::span<const std::byte> bytes);
// Throws CorruptFile if it asks for what there is not.
void expect_tasks(const StepView& step, const SpreadSetting& setting);

// The sums of all members that have tasks, one after another, and back.
std::vector<std::int64_t> flat(std::vector<UnitSums> sums);
std::vector<UnitSums> by_member(std::span<const std::int64_t> flat, const Step& step,
                                std::size_t members, std::size_t sum_size);

// What holders have found, with the numbers of the tasks or shards that it is about.
Bytes packed_results(const std::vector<std::pair<std::size_t, Bytes>>& results);
std::vector<Bytes> in_order(std::span<const Bytes> of_holders, std::size_t tasks);

}  // namespace postrider::internal
