#include "distributed/shard.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "base/random.h"
#include "data/kept_inputs.h"
#include "data/safetensors.h"
#include "data/target_scales.h"
#include "estimator/member_folds.h"
#include "postrider/error.h"
#include "train/round.h"

namespace postrider::internal {
namespace {

// No honest sum on the grid is as large; one that is, or is no number, is of a step that makes no sense.
constexpr double kMostChange = 0x1p58;

// A shard of fewer rows learns them all. It must not depend on other shards, which a run that is merged into has more of.
constexpr std::size_t kFewestRowsLeftOut = 8;

bool leaves_out(std::size_t rows_of_shard) { return rows_of_shard >= kFewestRowsLeftOut; }

template <class T>
class TypedShardMember : public ShardMember {
 public:
  TypedShardMember(const network::Network& network, const network::Trainer::Task& task,
                   const TrainerOptions& options, std::uint64_t seed, std::size_t group_size,
                   const RowsToLearn& rows)
      : network_(network),
        arrays_(std::get<NetworkArrays<T>>(inside_of(network_).arrays)),
        grid_(arrays_.prior),
        targets_(make_targets<T>(task.likelihood, arrays_.engine.layers().back().units)),
        sweeps_(arrays_.engine, *targets_),
        rounds_(arrays_, sweeps_, *targets_, workers_,
                {1, task.power, options.damping,
                 block_of(options, learned_rows(rows).size(), network.weight_count())}),
        left_out_(rows.left_out.begin(), rows.left_out.end()),
        groups_(learned_rows(rows), group_size, options.shuffle, seed),
        store_(arrays_.engine.message_shape(),
               input_lists(groups_, rows.inputs.prepared<T>()->view(),
                           arrays_.engine.layers().front())),
        change_(2 * arrays_.belief.size()) {
    sweeps_.load(rows);
    noise_size_ = targets_->first_noise(options.noise_variance).size();
  }

  RoundStatistics round(std::span<const std::byte> request,
                        std::span<std::int64_t> change) override {
    const RoundRequest asked = RoundRequest::unpacked(request, arrays_.belief);
    expect_noise(asked.noise);
    if (asked.takes_back != 0) take_back(asked.takes_back);
    keep_for(asked.round);
    may_be_taken_back_ = asked.may_be_taken_back != 0;
    sweeps_.set_noise(asked.noise);
    if (const bool may_vary = asked.noise_may_vary != 0; noise_may_vary_ != may_vary) {
      rounds_.allow_varying_noise(may_vary);
      noise_may_vary_ = may_vary;
    }
    RoundStatistics out;
    const std::vector<std::uint32_t> order = groups_.order(asked.epoch);
    const auto [begin, end] = groups_of(asked.stretch);
    std::uint64_t seen = asked.seen;
    for (std::size_t at = begin; at < end; ++at) {
      refresh(order[at], seen, out);
      seen += groups_.rows(order[at]).size();
    }
    const RoundEvents events = rounds_.take_events();
    out.linearised = events.linearised;
    out.silent = events.silent;
    out.guarded = events.guarded;
    out.bounded = events.bounded;
    for (const std::uint32_t group : std::span(order).subspan(begin, end - begin))
      assess(group, asked.noise, out);
    for (std::size_t k = 0; k < change_.size(); ++k) {
      change[k] += std::abs(change_[k]) < kMostChange ? static_cast<std::int64_t>(change_[k]) : 0;
      change_[k] = 0;
    }
    return out;
  }

  EpochPart close(const std::vector<double>& noise) override {
    expect_noise(noise);
    sweeps_.set_noise(noise);
    if (!left_out_.empty()) rounds_.judge(left_out_);
    return {leaves_out_ ? targets_->assess(sweeps_.predicted(), noise, left_out_)
                        : targets_->assess_all(sweeps_.predicted(), noise),
            targets_->typical_noise(sweeps_.predicted(), noise)};
  }

  void save(Packer& to) const override { to.add(std::span<const T>(store_.all())); }

  void add_to(UnitSums& sums) const override {
    for (std::size_t group = 0; group < groups_.size(); ++group)
      grid_.add(store_.touched(group), store_.tau(group), store_.rho(group), sums);
  }

  void load(Unpacker& from) override {
    from.read_to(store_.all());
    before_.clear();
    round_ = 0;
  }

  // Its place among the shards, which sets the pace, and whether rows are left out by any member.
  void set_place(std::size_t number, const TrainingPlan& plan) {
    number_ = number;
    shards_ = plan.shards();
    planned_groups_ = plan.groups(number);
    leaves_out_ = leaves_out(plan.shard_rows[number]);
  }

 private:
  void expect_noise(const std::vector<double>& noise) const {
    if (noise.size() != noise_size_)
      throw CorruptFile("cannot read a step: it has the noise of " + std::to_string(noise.size()) +
                        " outputs, and not of " + std::to_string(noise_size_));
  }

  // A group's message before a round.
  struct Before {
    std::uint64_t round = 0;
    std::uint32_t group = 0;
    std::vector<T> tau, rho;
  };

  // The plan is made for all rows. Where some are left out there are fewer groups, and as much of them is done.
  Stretch::Groups groups_of(const Stretch& stretch) const {
    const auto [begin, end] = stretch.of_shard(number_, shards_, planned_groups_);
    return {begin * groups_.size() / planned_groups_, end * groups_.size() / planned_groups_};
  }

  void refresh(std::uint32_t group, std::uint64_t seen, RoundStatistics& out) {
    const std::span<T> tau = store_.tau(group), rho = store_.rho(group);
    keep(group, tau, rho);
    rounds_.refresh(std::span(&group, 1), groups_, store_, seen);
    const std::size_t off = grid_.round(store_.touched(group), tau, rho, before_.back().tau,
                                        before_.back().rho, arrays_.belief, change_);
    if (off != Grid<T>::kNone && out.off_grid == 0) out.off_grid = 1 + number_of(off);
  }

  // The number of the weight that lies at this place of the arrays.
  std::size_t number_of(std::size_t position) const {
    return static_cast<std::size_t>(std::ranges::find(arrays_.positions, position) -
                                    arrays_.positions.begin());
  }

  void assess(std::uint32_t group, const std::vector<double>& noise, RoundStatistics& out) const {
    for (const std::uint32_t row : groups_.rows(group)) {
      const RowAssessment found = targets_->assess_row(sweeps_.predicted(), row, noise);
      ++out.rows;
      if (found.targets == 0) continue;
      out.log_likelihood += found.log_likelihood;
      out.squares += found.log_likelihood * found.log_likelihood;
      out.targets += static_cast<double>(found.targets);
    }
  }

  // The last changes first: a group may have been in both rounds.
  void take_back(std::uint64_t first_round) {
    for (; !before_.empty() && before_.back().round >= first_round; before_.pop_back()) {
      const Before& before = before_.back();
      std::ranges::copy(before.tau, store_.tau(before.group).begin());
      std::ranges::copy(before.rho, store_.rho(before.group).begin());
    }
  }

  // What the round before this one has changed may still be taken back.
  void keep_for(std::uint64_t round) {
    round_ = round;
    drop(std::ranges::find_if(before_,
                              [&](const Before& before) { return before.round + 1 >= round; }));
  }
  void keep(std::uint32_t group, std::span<const T> tau, std::span<const T> rho) {
    if (!may_be_taken_back_) drop(before_.end());
    Before& kept = before_.emplace_back();
    if (!spare_.empty()) {
      kept = std::move(spare_.back());
      spare_.pop_back();
    }
    kept.round = round_;
    kept.group = group;
    kept.tau.assign(tau.begin(), tau.end());
    kept.rho.assign(rho.begin(), rho.end());
  }
  // The first ones, up to this; their memory is used again.
  void drop(typename std::vector<Before>::iterator end) {
    spare_.insert(spare_.end(), std::make_move_iterator(before_.begin()),
                  std::make_move_iterator(end));
    before_.erase(before_.begin(), end);
  }

  network::Network network_;
  NetworkArrays<T>& arrays_;
  Grid<T> grid_;
  Workers workers_{1};
  std::unique_ptr<Targets<T>> targets_;
  RowSweeps<T> sweeps_;
  Rounds<T> rounds_;
  std::vector<std::uint32_t> left_out_;
  Groups groups_;
  mutable MessageStore<T> store_;
  std::vector<double> change_;          // of a round; zero between rounds
  std::size_t noise_size_ = 0;          // numbers that tell the noise
  std::vector<Before> before_, spare_;  // in the order of rounds; spare ones have memory only
  bool may_be_taken_back_ = true;
  std::optional<bool> noise_may_vary_;
  std::uint64_t round_ = 0;
  std::size_t number_ = 0, shards_ = 1, planned_groups_ = 1;
  bool leaves_out_ = false;
};

template <class T>
std::unique_ptr<ShardMember> make_member(const network::Network& network,
                                         const network::Trainer::Task& task,
                                         const EstimatorState& state, const TrainingPlan& plan,
                                         std::size_t shard, std::uint64_t order,
                                         const RowsToLearn& rows) {
  // Shards of the same rows differ in their order.
  const std::uint64_t seed = RandomStream(state.options.training.seed, 1 + order).next_bits();
  auto out = std::make_unique<TypedShardMember<T>>(network, task, state.options.training, seed,
                                                   plan.group_size, rows);
  out->set_place(shard, plan);
  return out;
}

// A long double has bytes that mean nothing: its digits in two doubles, and its exponent.
void pack(long double value, Packer& to) {
  int exponent = 0;
  const long double digits = std::frexp(value, &exponent);
  const auto first = static_cast<double>(digits);
  to.add(first);
  to.add(static_cast<double>(digits - first));
  to.add(static_cast<std::int64_t>(exponent));
}
long double unpacked_number(Unpacker& from) {
  const long double first = from.read<double>(), rest = from.read<double>();
  return std::ldexp(first + rest, static_cast<int>(from.read<std::int64_t>()));
}

void pack(const std::vector<ColumnMoment>& columns, Packer& to) {
  to.add(static_cast<std::uint64_t>(columns.size()));
  for (const ColumnMoment& column : columns) {
    for (const long double number : {column.count, column.mean, column.squares}) pack(number, to);
    to.add(column.least);
    to.add(column.most);
  }
}
std::vector<ColumnMoment> unpacked_moments(Unpacker& from) {
  std::vector<ColumnMoment> out;
  for (auto left = from.read<std::uint64_t>(); left > 0; --left) {
    ColumnMoment& column = out.emplace_back();
    for (long double* const number : {&column.count, &column.mean, &column.squares})
      *number = unpacked_number(from);
    column.least = from.read<double>();
    column.most = from.read<double>();
  }
  return out;
}

void add(std::vector<ColumnMoment>& to, const std::vector<ColumnMoment>& more) {
  for (std::size_t c = 0; c < to.size(); ++c) to[c].add(more[c]);
}

}  // namespace

Bytes ShardSummary::packed() const {
  Packer out;
  out.add(rows);
  out.add(weight);
  out.add(columns);
  out.add(targets);
  out.add(largest_label);
  pack(inputs_moments, out);
  pack(target_moments, out);
  // Mostly there are none, and checkpoints know shards by these bytes.
  if (far_inputs.empty() && far_targets.empty() && groups_checksum == 0) return out.take();
  out.add(far_inputs);
  out.add(far_targets);
  out.add(groups_checksum);
  return out.take();
}

ShardSummary ShardSummary::unpacked(std::span<const std::byte> bytes) {
  Unpacker from(bytes, "a shard's summary");
  ShardSummary out;
  out.rows = from.read<std::uint64_t>();
  out.weight = from.read<double>();
  out.columns = from.read<std::uint64_t>();
  out.targets = from.read<std::uint64_t>();
  out.largest_label = from.read<double>();
  out.inputs_moments = unpacked_moments(from);
  out.target_moments = unpacked_moments(from);
  if (!from.is_empty()) {
    out.far_inputs = from.read_all<FarNumbers>();
    out.far_targets = from.read_all<FarNumbers>();
    out.groups_checksum = from.read<std::uint32_t>();
  }
  from.expect_end();
  return out;
}

std::size_t TrainingPlan::rows() const {
  std::size_t out = 0;
  for (const std::uint64_t rows : shard_rows) out += rows;
  return out;
}

std::size_t TrainingPlan::all_groups() const {
  std::size_t out = 0;
  for (std::size_t shard = 0; shard < shards(); ++shard) out += groups(shard);
  return out;
}

namespace {

// For all members together, on average over rows like those that the encoding was made of.
MessageBytes message_bytes_of(const FittedModel& model) {
  const network::Network& network = model.members.front().network;
  return std::visit(
      [&]<class T>(const NetworkArrays<T>& arrays) -> MessageBytes {
        const auto bytes = static_cast<double>(2 * model.members.size() * sizeof(T));
        const auto weights = static_cast<double>(network.weight_count());
        const std::vector<double>& shares = model.encoding.active_shares();
        if (!arrays.engine.message_shape().can_be_sparse() || shares.empty())
          return {bytes * weights};
        const auto units = static_cast<double>(arrays.engine.layers().front().units);
        const auto of_inputs = units * static_cast<double>(shares.size());
        return {bytes * (weights - of_inputs), bytes * units, shares};
      },
      inside_of(network).arrays);
}

// Shards tell sums of their columns. What other encodings and the root scale are made of, no shard knows.
void expect_sums_are_enough(const EstimatorOptions& options) {
  constexpr const char* kWhy = " where shards are learned together: others need all rows at once";
  if (options.encoding != Encoding::chosen && options.encoding != Encoding::standard)
    reject("encoding", to_string(options.encoding),
           std::string("must be standard or chosen") + kWhy);
  if (options.target_scale == EstimatorOptions::TargetScale::root)
    reject("target_scale", to_string(options.target_scale),
           std::string("must be plain or chosen") + kWhy);
}

// By column, with the first example.
void add(std::vector<FarNumbers>& to, const std::vector<FarNumbers>& more) {
  for (const FarNumbers& far : more) {
    const auto same = std::ranges::find(to, far.column, &FarNumbers::column);
    if (same == to.end())
      to.push_back(far);
    else
      same->count += far.count;
  }
}

}  // namespace

TrainingPlan plan_of(const EstimatorState& state, std::span<const ShardSummary> shards) {
  if (shards.empty()) reject("shards", 0, "must be at least one");
  expect_sums_are_enough(state.options);
  const bool has_classes = state.kind() == ModelKind::classifier;
  TrainingPlan out;
  std::vector<ColumnMoment> inputs(shards.front().columns), targets(shards.front().targets);
  double weight = 0, largest = 0;
  std::uint64_t most_rows = 1;
  for (std::size_t s = 0; s < shards.size(); ++s) {
    const ShardSummary& shard = shards[s];
    if (shard.columns != inputs.size() || shard.targets != targets.size())
      reject("shard " + std::to_string(s), shard.columns,
             "must have as many columns as the first, " + std::to_string(inputs.size()));
    add(inputs, shard.inputs_moments);
    add(targets, shard.target_moments);
    add(out.far_inputs, shard.far_inputs);
    add(out.far_targets, shard.far_targets);
    out.shard_rows.push_back(shard.rows);
    most_rows = std::max(most_rows, shard.rows);
    weight += shard.weight;
    largest = std::max(largest, shard.largest_label);
  }
  const std::vector<double> labels{largest};
  out.summary = {static_cast<std::size_t>(std::max(1.0, std::round(weight))),
                 network_outputs(state.options, state.kind(), labels), scales_of(inputs),
                 has_classes ? TargetScales() : TargetScales(scales_of(targets)),
                 InputEncoding(inputs)};
  if (has_classes)
    expect_labels(state, labels, out.summary.outputs);
  else
    expect_target_units(out.summary.targets.plain());
  const FittedModel model = untrained(state, out.summary, false);
  out.group_size =
      group_size_of(state.options.training, most_rows, model.members.front().network.weight_count(),
                    message_bytes_of(model), kBudgetTogether);
  return out;
}

Shard::Shard(std::size_t number, OptionInfo::Scope scope, const EstimatorOptions& options,
             const Examples& rows)
    : Shard(number, scope, options,
            WithoutFarCells(rows, scope != OptionInfo::Scope::classes, options.outputs)) {}

Shard::Shard(std::size_t number, OptionInfo::Scope scope, const EstimatorOptions& options,
             const WithoutFarCells& near)
    : number_(number),
      order_(number),
      scope_(scope),
      count_(near.rows().count()),
      columns_(near.rows().columns()),
      targets_per_row_(scope == OptionInfo::Scope::classes ? 1 : options.outputs),
      inputs_(all_numbers(near.rows().inputs)),
      targets_(near.rows().targets.begin(), near.rows().targets.end()),
      weights_(near.rows().sample_weights.begin(), near.rows().sample_weights.end()),
      row_groups_(near.rows().groups.begin(), near.rows().groups.end()),
      far_inputs_(near.far_inputs()),
      far_targets_(near.far_targets()) {}

ShardSummary Shard::summary() const {
  ShardSummary out;
  out.rows = count_;
  out.weight = static_cast<double>(count_);
  if (!weights_.empty()) {
    out.weight = 0;
    for (const double weight : weights_) out.weight += weight;
  }
  out.columns = columns_;
  out.targets = targets_per_row_;
  if (scope_ == OptionInfo::Scope::classes) out.largest_label = *std::ranges::max_element(targets_);
  out.inputs_moments = column_moments(Inputs(inputs_).of_columns(columns_), weights_);
  out.target_moments = column_moments(Inputs(targets_).of_columns(targets_per_row_), weights_);
  out.far_inputs = far_inputs_;
  out.far_targets = far_targets_;
  if (!row_groups_.empty())
    out.groups_checksum = checksum_of(std::as_bytes(std::span(row_groups_)));
  return out;
}

void Shard::prepare(const EstimatorState& state, const TrainingPlan& plan) {
  prepare(state, plan, number_);
}

void Shard::prepare(const EstimatorState& state, const TrainingPlan& plan, std::uint64_t order) {
  order_ = order;
  const FittedModel model = untrained(state, plan.summary, false);
  prepared_ = std::make_unique<TrainingRows>(encoded_inputs(model, inputs_),
                                             model.encoding.inputs(), state.options.precision);
  told_ = told(model, targets_);
  members_.clear();
  const std::size_t weights = model.members.front().network.weight_count();
  const network::Trainer::Task task =
      task_of(model.kind, power_for(state.options.power, weights, plan.summary.rows));
  for (std::size_t m = 0; m < model.members.size(); ++m) {
    std::vector<std::uint32_t> left_out;
    if (leaves_out(count_))
      left_out = left_out_of_shard(count_, m, order_, state.options.training.seed, row_groups_);
    const RowsToLearn rows{*prepared_, told_, weights_, {}, left_out};
    const network::Network& network = model.members[m].network;
    members_.push_back(
        state.options.precision == network::Precision::float32
            ? make_member<float>(network, task, state, plan, number_, order_, rows)
            : make_member<double>(network, task, state, plan, number_, order_, rows));
  }
}

Bytes Shard::saved() const {
  Packer out;
  out.add(order_);
  for (const auto& member : members_) member->save(out);
  return out.take();
}

void Shard::load(const EstimatorState& state, const TrainingPlan& plan,
                 std::span<const std::byte> bytes, const std::string& source,
                 std::vector<UnitSums>& sums) {
  Unpacker from(bytes, source);
  if (const auto order = from.read<std::uint64_t>(); order != order_) prepare(state, plan, order);
  for (const auto& member : members_) member->load(from);
  from.expect_end();
  add_to(sums);
}

void Shard::add_to(std::vector<UnitSums>& sums) const {
  for (std::size_t m = 0; m < members_.size(); ++m) members_[m]->add_to(sums[m]);
}

}  // namespace postrider::internal
