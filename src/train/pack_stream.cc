#include "train/pack_stream.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"
#include "sweep/layout.h"
#include "sweep/pack/engine.h"
#include "train/row_sweeps.h"
#include "train/stream.h"
#include "train/targets.h"

namespace postrider::internal {
namespace {

// One network's part.
template <class T>
struct StreamLane {
  StreamMember member;
  NetworkArrays<T>& network;
  std::vector<double> first_noise, noise;
  std::size_t seen = 0;
  std::vector<double> noise_before = {};  // the call
  std::size_t seen_before = 0;
  WeightMessages<T> belief_before = {};
  // What was predicted of the rows of a call, by beliefs that had not heard them.
  std::vector<T> mean = {}, variance = {};
  std::vector<Observed> observed = {};
  StreamScores scores = {};

  Predictions<const T> predicted() const { return {mean, variance, observed}; }
};

template <class T>
class TypedPackStream : public PackStream {
 public:
  TypedPackStream(std::vector<StreamMember> members, const TrainerOptions& options)
      : options_(options),
        engine_(sweep_layers(members.front().network.options()),
                members.front().network.options().rule),
        targets_(make_targets<T>(members.front().task.likelihood, outputs())),
        observation_(targets_->observation()),
        drift_(engine_.layers(), rates_of(members),
               walking_outputs(members.front().task.likelihood, arrays_of(members.front()))),
        beliefs_(engine_.weights()),
        prior_(beliefs_.belief.size()),
        workspace_(engine_.layers()) {
    check(members.size() <= kPack, "a pack holds 1 to 16 networks");
    for (StreamMember& member : members) {
      NetworkArrays<T>& arrays = arrays_of(member);
      const std::vector<double> first = targets_->first_noise(member.noise_variance);
      lanes_.push_back({std::move(member), arrays, first, first});
      lanes_.back().seen = lanes_.back().member.seen;
    }
    for_each_number([&](std::size_t at, const NetworkArrays<T>& network, std::size_t position) {
      prior_.tau[at] = network.prior.tau[position];
      prior_.rho[at] = network.prior.rho[position];
    });
    for (std::size_t k = 0; k < engine_.weights(); ++k)
      beliefs_.least[k] = *std::min_element(&prior_.rho[k * kPack], &prior_.rho[k * kPack] + kPack);
  }

  std::vector<StreamOutcome> learn(const RowsToLearn& rows) override {
    load(rows);
    for (std::size_t row = 0; row < examples_.size(); ++row) learn_row(row);
    return concluded();
  }

  std::vector<StreamOutcome> undone() override {
    std::vector<StreamOutcome> out(lanes_.size());
    for (std::size_t m = 0; m < lanes_.size(); ++m) {
      StreamLane<T>& lane = lanes_[m];
      lane.network.belief = lane.belief_before;
      out[m].report.noise_variance = lane.noise = lane.noise_before;
      out[m].seen = lane.seen = lane.seen_before;
    }
    return out;
  }

 private:
  std::size_t outputs() const { return engine_.layers().back().units; }
  static NetworkArrays<T>& arrays_of(const StreamMember& member) {
    return std::get<NetworkArrays<T>>(inside_of(member.network).arrays);
  }
  static std::vector<StreamReport::DriftRate> rates_of(const std::vector<StreamMember>& members) {
    std::vector<StreamReport::DriftRate> out;
    for (const StreamMember& member : members) out.push_back(member.task.drift);
    return out;
  }

  // Lanes that no network is in have the first one's.
  template <class Use>
  void for_each_number(Use&& use) {
    for (std::size_t k = 0; k < engine_.weights(); ++k)
      for (std::size_t m = 0; m < kPack; ++m) {
        NetworkArrays<T>& network = lanes_[m < lanes_.size() ? m : 0].network;
        use(k * kPack + m, network, network.positions[k]);
      }
  }

  void load(const RowsToLearn& rows) {
    targets_->load(rows.targets, rows.inputs.size(), rows.sample_weights);
    inputs_ = rows.inputs.template prepared<T>();
    examples_ = {inputs_->view(), targets_->values(), outputs()};
    // Others may have changed the beliefs since the last call.
    for_each_number([&](std::size_t at, const NetworkArrays<T>& network, std::size_t position) {
      beliefs_.belief.tau[at] = network.belief.tau[position];
      beliefs_.belief.rho[at] = network.belief.rho[position];
    });
    constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t m = 0; m < kPack; ++m) {
      data_.examples[m] = examples_;
      if (m >= lanes_.size()) continue;
      StreamLane<T>& lane = lanes_[m];
      lane.mean.assign(examples_.size() * outputs(), T{0});
      lane.variance.assign(lane.mean.size(), T{0});
      lane.observed.assign(observation_ ? examples_.size() : 0, {kMissing, 0});
      lane.scores = {};
      lane.noise_before = lane.noise;
      lane.seen_before = lane.seen;
      lane.belief_before = lane.network.belief;
      data_.predictions[m] = {lane.mean, lane.variance, lane.observed};
    }
    workspace_.counts = {};
    events_.assign(lanes_.size(), {});
  }

  void learn_row(std::size_t row) {
    const bool looks_ahead = options_.horizon > 1;
    if (looks_ahead && row % options_.horizon == 0) ahead_ = beliefs_.belief;
    rows_.assign(kPack, static_cast<std::uint32_t>(row));
    const double weight = targets_->weight(row);
    powers_.assign(kPack, static_cast<T>(weight * lanes_.front().member.task.power));
    set_noise();
    engine_.learn(beliefs_, looks_ahead ? &ahead_ : nullptr, data_,
                  {rows_, powers_, /*rows_are_shared=*/true}, {noise_, 1, {}, observation_.get()},
                  workspace_);
    for (StreamLane<T>& lane : lanes_) {
      const RowAssessment found = targets_->assess_row(lane.predicted(), row, lane.noise);
      lane.scores.add(found, weight, lane.noise);
      if (options_.learn_noise)
        step_noise(lane.noise, found, weight, lane.seen, *targets_, lane.first_noise);
      ++lane.seen;
    }
    // As far as it matters to the drift, all have seen as much.
    drift_.after_row(beliefs_.belief, prior_, lanes_.front().seen);
    // Floats count one by one only so far.
    if (++counted_ % kCountedTogether == 0) take_events();
  }

  void set_noise() {
    noise_.clear();
    for (std::size_t k = 0; k < lanes_.front().noise.size(); ++k)
      for (std::size_t m = 0; m < kPack; ++m)
        noise_.push_back(static_cast<T>(lanes_[m < lanes_.size() ? m : 0].noise[k]));
  }

  void take_events() {
    for (std::size_t m = 0; m < lanes_.size(); ++m) {
      events_[m].linearised += static_cast<std::size_t>(workspace_.counts.linearised[m]);
      events_[m].silent += static_cast<std::size_t>(workspace_.counts.silent[m]);
      events_[m].guarded += static_cast<std::size_t>(workspace_.counts.guarded[m]);
    }
    workspace_.counts = {};
  }

  bool is_sound() const {
    constexpr T kRounding = T(1e-3);
    const WeightMessages<T>& belief = beliefs_.belief;
    for (std::size_t at = 0; at < belief.size(); ++at) {
      if (!(belief.rho[at] > 0 && std::isfinite(belief.rho[at]) && std::isfinite(belief.tau[at])))
        return false;
      if (belief.rho[at] < (1 - kRounding) * prior_.rho[at] && drift_.keeps_prior(at)) return false;
    }
    return std::ranges::all_of(lanes_, [](const StreamLane<T>& lane) {
      return std::isfinite(lane.scores.mean()) &&
             std::ranges::all_of(lane.noise, [](double each) { return std::isfinite(each); });
    });
  }

  std::vector<StreamOutcome> concluded() {
    take_events();
    const bool sound = is_sound();
    if (sound)
      for (std::size_t m = 0; m < lanes_.size(); ++m)
        for (std::size_t k = 0; k < engine_.weights(); ++k) {
          NetworkArrays<T>& network = lanes_[m].network;
          network.belief.tau[network.positions[k]] = beliefs_.belief.tau[k * kPack + m];
          network.belief.rho[network.positions[k]] = beliefs_.belief.rho[k * kPack + m];
        }
    std::vector<StreamOutcome> out;
    for (std::size_t m = 0; m < lanes_.size(); ++m) {
      StreamLane<T>& lane = lanes_[m];
      lane.scores.keep(lane.predicted());
      if (!sound) {
        lane.noise = lane.noise_before;
        lane.seen = lane.seen_before;
      }
      StreamReport report = events_[m];
      report.rows = examples_.size();
      report.score = lane.scores.mean();
      report.noise_variance = lane.noise;
      report.sound = sound;
      out.push_back({std::move(report), std::move(lane.scores), lane.seen});
    }
    return out;
  }

  // Rows between two looks at the counts.
  static constexpr std::size_t kCountedTogether = 4096;

  TrainerOptions options_;
  PackEngine<T> engine_;
  std::unique_ptr<Targets<T>> targets_;
  std::unique_ptr<Observation<T>> observation_;
  PackDrift<T> drift_;
  PackBeliefs<T> beliefs_;
  WeightMessages<T> prior_, ahead_;
  PackWorkspace<T> workspace_;
  std::vector<StreamLane<T>> lanes_;
  std::shared_ptr<const StoredInputs<T>> inputs_;
  ExamplesView<T> examples_{};
  PackData<T> data_;
  std::vector<std::uint32_t> rows_;
  std::vector<T> powers_, noise_;
  std::vector<StreamReport> events_;
  std::size_t counted_ = 0;
};

}  // namespace

bool can_stream_together(std::span<const StreamMember> members, const TrainerOptions& options) {
  if (members.size() < 2 || members.size() > kPack || options.block > 1) return false;
  const StreamMember& first = members.front();
  const std::vector<SweepLayer> layers = sweep_layers(first.network.options());
  return lanes_across_networks(layers, members.size()) &&
         std::ranges::all_of(members, [&](const StreamMember& each) {
           return sweep_layers(each.network.options()) == layers &&
                  each.network.options().rule == first.network.options().rule &&
                  each.network.options().precision == first.network.options().precision &&
                  each.task.likelihood == first.task.likelihood &&
                  each.task.power == first.task.power;
         });
}

std::unique_ptr<PackStream> make_pack_stream(std::vector<StreamMember> members,
                                             const TrainerOptions& options) {
  check(can_stream_together(members, options), "the networks of a pack are alike");
  options.validate();
  for (const StreamMember& member : members) member.task.validate();
  if (members.front().network.options().precision == network::Precision::float32)
    return std::make_unique<TypedPackStream<float>>(std::move(members), options);
  return std::make_unique<TypedPackStream<double>>(std::move(members), options);
}

}  // namespace postrider::internal
