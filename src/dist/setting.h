// What holders and the driver of one run work out alike, each from the summaries of all shards.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "dist/checkpoint.h"
#include "dist/coordinator.h"

namespace postrider {

// As training that is spread takes them: one network unless asked for more, and one way to learn.
EstimatorOptions spread_options(const EstimatorOptions& options);

struct SpreadSetting {
  SpreadSetting(const EstimatorOptions& options, OptionScope scope,
                std::span<const Bytes> summaries);

  EstimatorState state;  // with the options of training that is spread
  TrainingPlan plan;
  std::uint64_t identity;         // of data, options and shards
  std::size_t members, sum_size;  // two numbers for each weight of a member
};

// A step as bytes.
Bytes packed(const Step& step);
Step unpacked_step(std::span<const std::byte> bytes);

// The sums of all members that have tasks, one after another, and back.
std::vector<std::int64_t> flat(std::span<const UnitSums> sums);
std::vector<UnitSums> by_member(std::span<const std::int64_t> flat, const Step& step,
                                std::size_t members, std::size_t sum_size);

// What holders have found, with the numbers of the tasks or shards that it is about.
Bytes packed_results(const std::vector<std::pair<std::size_t, Bytes>>& results);
std::vector<Bytes> in_order(std::span<const Bytes> of_holders, std::size_t tasks);

}  // namespace postrider
