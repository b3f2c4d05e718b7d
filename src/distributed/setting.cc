#include "distributed/setting.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "data/safetensors.h"
#include "estimator/model_options.h"
#include "postrider/error.h"

namespace postrider::internal {
namespace {

std::uint32_t checksum_of_options(const EstimatorOptions& options) {
  std::map<std::string, std::string> described;
  describe_options(options, described);
  // One may go on with more epochs.
  for (const char* const name : {"option.effort", "option.max_epochs", "option.patience"})
    described.erase(name);
  std::uint32_t out = 0;
  for (const auto& [key, text] : described) {
    const std::string line = key + "=" + text + "\n";
    out = checksum_of(std::as_bytes(std::span(line)), out);
  }
  return out;
}

// Members that have a task, in a round: those whose change is summed.
std::vector<bool> summed(const Step& step, std::size_t members) {
  std::vector<bool> out(members);
  if (step.kind == Step::Kind::round)
    for (const ShardTask& task : step.tasks) out[task.member] = true;
  return out;
}

}  // namespace

TrainingPlan plan_of(const EstimatorState& state, std::span<const Bytes> summaries) {
  std::vector<ShardSummary> of_shards;
  for (const Bytes& summary : summaries) of_shards.push_back(ShardSummary::unpacked(summary));
  return plan_of(state, of_shards);
}

EstimatorOptions spread_options(const EstimatorOptions& options) {
  EstimatorOptions out = options;
  out.ensemble_size = std::max<std::size_t>(1, options.ensemble_size);
  if (out.copies == EstimatorOptions::Copies::chosen)
    out.copies = EstimatorOptions::Copies::together;
  out.training.checkpoint.clear();
  out.training.resume = false;
  return out;
}

SpreadSetting::SpreadSetting(const EstimatorOptions& options, OptionInfo::Scope scope,
                             std::span<const Bytes> of_shards)
    : state(spread_options(options), scope),
      plan(plan_of(state, of_shards)),
      summaries(of_shards.begin(), of_shards.end()),
      options_checksum_(checksum_of_options(state.options)) {
  const FittedModel model = untrained(state, plan.summary, false);
  members = model.members.size();
  sum_size = std::visit([](const auto& arrays) { return 2 * arrays.prior.size(); },
                        inside_of(model.members.front().network).arrays);
  const std::size_t weights = model.members.front().network.weight_count();
  const double power = power_for(state.options.power, weights, plan.summary.rows);
  state.options.training.damping = damping_for(state.options, power, weights);
}

std::uint64_t SpreadSetting::identity(std::size_t first, std::size_t count) const {
  std::uint32_t of_data = 0;
  for (const Bytes& summary : std::span(summaries).subspan(first, count))
    of_data = checksum_of(summary, of_data);
  return (static_cast<std::uint64_t>(options_checksum_) << 32) | of_data;
}

Bytes packed(const Step& step) {
  Packer out;
  std::size_t size = 0;
  for (const Bytes& request : step.requests) size += request.size();
  out.reserve(size + (step.requests.size() + step.tasks.size() + 3) * sizeof(ShardTask));
  out.add(step.kind);
  out.add(step.tasks);
  out.add(static_cast<std::uint64_t>(step.requests.size()));
  for (const Bytes& request : step.requests) out.add(request);
  out.add(static_cast<std::uint64_t>(step.noise.size()));
  for (const std::vector<double>& noise : step.noise) out.add(noise);
  return out.take();
}

StepView unpacked_step(std::span<const std::byte> bytes) {
  Unpacker from(bytes, "a step");
  StepView out;
  out.kind = from.read<Step::Kind>();
  out.tasks = from.read_all<ShardTask>();
  for (auto left = from.read<std::uint64_t>(); left > 0; --left)
    out.requests.push_back(from.read_bytes());
  for (auto left = from.read<std::uint64_t>(); left > 0; --left)
    out.noise.push_back(from.read_all<double>());
  from.expect_end();
  return out;
}

void expect_tasks(const StepView& step, const SpreadSetting& setting) {
  const auto fail = [](const char* what) {
    throw CorruptFile(std::string("cannot read a step: ") + what);
  };
  const bool is_round = step.kind == Step::Kind::round;
  if (!is_round && step.kind != Step::Kind::close) fail("it is of no kind that there is");
  if (step.tasks.size() > setting.members * setting.plan.shards())
    fail("it has more tasks than there are");
  std::set<std::pair<std::size_t, std::size_t>> seen;  // which would be done side by side
  for (const ShardTask& task : step.tasks) {
    if (task.member >= setting.members) fail("it is for a network that there is not");
    if (task.shard >= setting.plan.shards()) fail("it is for a shard that there is not");
    if (!seen.emplace(task.shard, task.member).second) fail("it has a task twice");
    if (task.member >= (is_round ? step.requests.size() : step.noise.size()))
      fail("it does not say what a network is to do");
  }
}

std::vector<std::int64_t> flat(std::vector<UnitSums> sums) {
  if (sums.size() == 1) return std::move(sums.front());
  std::vector<std::int64_t> out;
  for (const UnitSums& of_member : sums) out.insert(out.end(), of_member.begin(), of_member.end());
  return out;
}

std::vector<UnitSums> by_member(std::span<const std::int64_t> flat, const Step& step,
                                std::size_t members, std::size_t sum_size) {
  std::vector<UnitSums> out(members);
  const std::vector<bool> is_summed = summed(step, members);
  const auto count = static_cast<std::size_t>(std::ranges::count(is_summed, true));
  if (flat.size() != count * sum_size)
    reject("sums", flat.size(), "must be " + std::to_string(count * sum_size) + " for this step");
  for (std::size_t m = 0; m < members; ++m) {
    if (!is_summed[m]) continue;
    out[m].assign(flat.begin(), flat.begin() + static_cast<std::ptrdiff_t>(sum_size));
    flat = flat.subspan(sum_size);
  }
  return out;
}

Bytes packed_results(const std::vector<std::pair<std::size_t, Bytes>>& results) {
  Packer out;
  for (const auto& [number, bytes] : results) {
    out.add(static_cast<std::uint64_t>(number));
    out.add(bytes);
  }
  return out.take();
}

std::vector<Bytes> in_order(std::span<const Bytes> of_holders, std::size_t tasks) {
  std::vector<Bytes> out(tasks);
  std::size_t found = 0;
  for (const Bytes& of_one : of_holders) {
    Unpacker from(of_one, "what a holder has sent");
    while (!from.is_empty()) {
      const auto number = from.read<std::uint64_t>();
      if (number >= tasks || !out[number].empty())
        from.fail("it is about a task that nobody has asked for, or that somebody else has done");
      out[number] = from.read_all<std::byte>();
      ++found;
    }
  }
  if (found != tasks)
    throw Error("holders have answered for " + std::to_string(found) + " of " +
                std::to_string(tasks) + " tasks or shards: a shard is held by nobody");
  return out;
}

}  // namespace postrider::internal
