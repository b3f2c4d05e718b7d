#include <algorithm>
#include <filesystem>
#include <string>

#include "distributed/distributed_training.h"
#include "postrider/distributed/training.h"
#include "postrider/error.h"

namespace postrider::distributed {
using namespace internal;
namespace {

// Rows [first, last) of a shard, dealt one stretch after another.
std::size_t first_row(std::size_t rows, std::size_t shard, std::size_t shards) {
  return rows * shard / shards;
}

template <class V>
std::span<const V> part(std::span<const V> all, std::size_t rows, std::size_t shard,
                        std::size_t shards) {
  if (all.empty()) return {};
  const std::size_t width = all.size() / rows, begin = first_row(rows, shard, shards);
  return all.subspan(begin * width, (first_row(rows, shard + 1, shards) - begin) * width);
}

Inputs part(const Inputs& all, std::size_t rows, std::size_t shard, std::size_t shards) {
  const std::size_t begin = first_row(rows, shard, shards);
  return all.part(begin, first_row(rows, shard + 1, shards) - begin);
}

void expect_rows(std::size_t shards, std::size_t rows, std::span<const std::uint32_t> groups) {
  if (shards == 0 || shards > rows)
    reject("shards", shards,
           "must be at least 1, and at most the number of rows, " + std::to_string(rows));
  if (!groups.empty() && groups.size() != rows)
    reject("groups", groups.size(), "must be one for each row, or none");
}

}  // namespace

void DistributedOptions::validate() const {
  if (!(rows_in_flight > 0 && rows_in_flight <= 1))
    reject("rows_in_flight", rows_in_flight, "must be a share of the rows, above 0 and at most 1");
  if (!forget.empty() && !resume)
    reject("forget", forget.size(), "is for a run that is resumed from a checkpoint");
  for (const std::string& folder : merge)
    if (!checkpoint.empty() && std::filesystem::path(folder).lexically_normal() ==
                                   std::filesystem::path(checkpoint).lexically_normal())
      reject("checkpoint", checkpoint,
             "must not be a folder that is merged: it would be overwritten");
  if (resume && checkpoint.empty()) reject("resume", "yes", "needs a checkpoint to go on from");
}

Communicator::Outcome LocalCommunicator::gather(std::span<const std::byte> own,
                                                std::vector<std::vector<std::byte>>& all) {
  all.assign(1, {own.begin(), own.end()});
  return Communicator::Outcome::done;
}

Shards shards_of(const Examples& rows, std::size_t shards) {
  const std::size_t count = rows.count();
  expect_rows(shards, count, rows.groups);
  return {shards, [=](std::size_t shard) -> Examples {
            return {part(rows.inputs, count, shard, shards),
                    part(rows.targets, count, shard, shards),
                    part(rows.sample_weights, count, shard, shards),
                    part(rows.groups, count, shard, shards)};
          }};
}

DistributedReport fit_distributed(Estimator& model, const Shards& rows,
                                  const DistributedOptions& options, Communicator& processes,
                                  const TrainingCallbacks& callbacks) {
  const DistributedTraining::Parts parts{
      [&] { return ShardHolder(model); },
      [&](std::span<const ByteString> summaries) {
        return DistributedDriver(model, options, summaries);
      },
      [&](ShardHolder& holder, std::size_t shard) { holder.hold(shard, rows.rows(shard)); }};
  return DistributedTraining(parts, rows.count, options, model.options().training.threads,
                             processes)
      .fit(callbacks);
}

}  // namespace postrider::distributed
