#include "distributed/merging.h"

#include <string>
#include <utility>
#include <variant>

#include "postrider/error.h"

namespace postrider::internal {
namespace {

// Sums of messages are only about the same weights if these were told apart in the same way before anything was
// learned: by the prior, whose means are drawn with the seed.
bool have_same_priors(const Member& a, const Member& b) {
  const auto& other = inside_of(b.network).arrays;
  return std::visit(
      [&]<class T>(const NetworkArrays<T>& own) {
        const auto* const same = std::get_if<NetworkArrays<T>>(&other);
        return same != nullptr && own.prior.tau == same->prior.tau &&
               own.prior.rho == same->prior.rho;
      },
      inside_of(a.network).arrays);
}

void expect_same_networks(const SpreadSetting& setting, const TrainingPlan& plan,
                          const std::string& folder) {
  if (plan.group_size != setting.plan.group_size)
    reject("merge", folder,
           "must be of a run whose messages are shared by as many rows, " +
               std::to_string(setting.plan.group_size) + " and not " +
               std::to_string(plan.group_size) + ": set group_size for all runs");
  const FittedModel ours = untrained(setting.state, setting.plan.summary, false);
  const FittedModel theirs = untrained(setting.state, plan.summary, false);
  const std::size_t weights = ours.members.front().network.weight_count();
  const std::size_t others = theirs.members.front().network.weight_count();
  if (weights != others)
    reject("merge", folder,
           "must be of a network of as many weights, " + std::to_string(weights) + " and not " +
               std::to_string(others) +
               ": more rows make a wider one; set weights_per_example to 0 for all runs");
  for (std::size_t m = 0; m < setting.members; ++m)
    if (!have_same_priors(ours.members[m], theirs.members[m]))
      reject("merge", folder,
             "must be of a network with the same prior: its rows have another number of inputs "
             "that are not zero");
}

// How many shards, from the first, are those that the run with this identity has.
std::size_t shards_of_run(const SpreadSetting& setting, std::size_t first, std::uint64_t identity,
                          const std::string& folder) {
  for (std::size_t count = 1; first + count <= setting.plan.shards(); ++count)
    if (setting.identity(first, count) == identity) return count;
  reject("merge", folder,
         "must be the checkpoint of a run with the same options and seed, whose shards are those "
         "of this run from number " +
             std::to_string(first) + " on");
}

}  // namespace

std::vector<RunToMerge> runs_to_merge(const SpreadSetting& setting,
                                      std::span<const std::string> folders) {
  std::vector<RunToMerge> out;
  std::size_t first = 0;
  for (const std::string& path : folders) {
    const std::uint64_t identity = CheckpointFolder::identity_in(path);
    const std::size_t count = shards_of_run(setting, first, identity, path);
    const TrainingPlan plan =
        plan_of(setting.state, std::span(setting.summaries).subspan(first, count));
    expect_same_networks(setting, plan, path);
    CheckpointFolder folder(path, identity);
    auto manifest = folder.read_manifest();
    if (!manifest) reject("merge", path, "has no manifest any more");
    out.push_back(
        {std::move(folder), *std::move(manifest), first, count, static_cast<double>(plan.rows())});
    first += count;
  }
  return out;
}

}  // namespace postrider::internal
