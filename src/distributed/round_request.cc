#include "distributed/round_request.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "train/noise.h"

namespace postrider::internal {
// A shard has done floor((groups t + phase)/all) of its groups when t of all are done. Its phase, between 0 and
// `all`, spreads the shards' steps; at the beginning and at the end of an epoch it makes no difference.
Stretch::Groups Stretch::of_shard(std::size_t shard, std::size_t shards, std::size_t groups) const {
  const std::uint64_t phase = all * shard / shards;
  const auto done = [&](std::uint64_t t) {
    return static_cast<std::size_t>((groups * t + phase) / all);
  };
  return {done(begin), done(end)};
}

template <class T>
Bytes RoundRequest::packed(const WeightMessages<T>& belief) const {
  Packer out;
  constexpr std::size_t kOthers = 256;  // bytes, about
  out.reserve(kOthers + 2 * belief.size() * sizeof(T));
  out.add(epoch);
  out.add(stretch);
  out.add(round);
  out.add(takes_back);
  out.add(seen);
  out.add(noise_may_vary);
  out.add(may_be_taken_back);
  out.add(noise);
  out.add(belief.tau);
  out.add(belief.rho);
  return out.take();
}

template <class T>
RoundRequest RoundRequest::unpacked(std::span<const std::byte> bytes, WeightMessages<T>& belief) {
  Unpacker from(bytes, "a round's request");
  RoundRequest out;
  out.epoch = from.read<std::uint64_t>();
  out.stretch = from.read<Stretch>();
  out.round = from.read<std::uint64_t>();
  out.takes_back = from.read<std::uint64_t>();
  out.seen = from.read<std::uint64_t>();
  out.noise_may_vary = from.read<std::uint64_t>();
  out.may_be_taken_back = from.read<std::uint64_t>();
  out.noise = from.read_all<double>();
  from.read_to(std::span(belief.tau));
  from.read_to(std::span(belief.rho));
  from.expect_end();
  // Bounds such that no product of groups overflows.
  constexpr std::uint64_t kMostGroups = std::uint64_t{1} << 40;
  const Stretch& stretch = out.stretch;
  if (stretch.all == 0 || stretch.all > kMostGroups || stretch.begin > stretch.end ||
      stretch.end > stretch.all)
    from.fail("its stretch of the epoch is none");
  const auto is_variance = [](double x) {
    return x >= kLeastNoiseVariance && x <= kMostNoiseVariance;
  };
  if (!std::ranges::all_of(out.noise, is_variance)) from.fail("its noise is not one");
  const auto is_number = [](T x) { return std::isfinite(x); };
  if (!std::ranges::all_of(belief.tau, is_number) || !std::ranges::all_of(belief.rho, is_number))
    from.fail("a belief is not a number");
  return out;
}

void RoundStatistics::add(const RoundStatistics& more) {
  log_likelihood += more.log_likelihood;
  squares += more.squares;
  targets += more.targets;
  rows += more.rows;
  linearised += more.linearised;
  silent += more.silent;
  guarded += more.guarded;
  bounded += more.bounded;
  if (off_grid == 0) off_grid = more.off_grid;
}

void EpochPart::pack(Packer& to) const {
  to.add(assessment.score);
  to.add(assessment.count);
  to.add(assessment.squares);
  to.add(typical_noise);
  const NoiseEvidence& evidence = assessment.evidence;
  to.add(static_cast<std::uint64_t>(evidence.outputs.size()));
  for (const NoiseEvidence::Output& output : evidence.outputs) {
    to.add(output.squared_residuals);
    to.add(output.variances);
    to.add(output.weights);
  }
  to.add(evidence.slopes);
  to.add(evidence.levels);
  to.add(evidence.slope_weights);
}

EpochPart EpochPart::unpacked(Unpacker& from) {
  EpochPart out;
  out.assessment.score = from.read<double>();
  out.assessment.count = from.read<double>();
  out.assessment.squares = from.read<double>();
  out.typical_noise = from.read<double>();
  NoiseEvidence& evidence = out.assessment.evidence;
  for (auto left = from.read<std::uint64_t>(); left > 0; --left) {
    NoiseEvidence::Output& output = evidence.outputs.emplace_back();
    output.squared_residuals = from.read_all<double>();
    output.variances = from.read_all<double>();
    output.weights = from.read_all<double>();
  }
  evidence.slopes = from.read_all<double>();
  evidence.levels = from.read_all<double>();
  evidence.slope_weights = from.read_all<double>();
  return out;
}

Assessment joined(const std::vector<EpochPart>& parts) {
  Assessment out;
  for (const EpochPart& part : parts) out.add(part.assessment);
  return out;
}

template Bytes RoundRequest::packed(const WeightMessages<float>&) const;
template Bytes RoundRequest::packed(const WeightMessages<double>&) const;
template RoundRequest RoundRequest::unpacked(std::span<const std::byte>, WeightMessages<float>&);
template RoundRequest RoundRequest::unpacked(std::span<const std::byte>, WeightMessages<double>&);

}  // namespace postrider::internal
