#include "sparse/learning.h"

#include <algorithm>
#include <bit>

namespace postrider::internal::hashed {
namespace {

// With more weights than this, only the best of the models side by side stays: 60 MB or more of eight become 12 MB of one.
constexpr std::size_t kMostWeightsOfBank = std::size_t{1} << 19;
// Models that count less than this together do not go into the second pass.
constexpr double kNegligible = 1e-3;
// In a stream, models that count less than this do not go on; looked at when rows are so many, twice as many, and so on.
constexpr double kFarBehind = 1e-9;
constexpr std::size_t kFirstSettling = 4096;

double weight_of(const sparse::FeatureRows& rows, std::size_t row) {
  return rows.weights.empty() ? 1 : rows.weights[row];
}

// What was predicted of a row just before it is learned.
void account(sparse::SparseModel::State& state, const Answers& answers, double weight,
             sparse::SparseModel::Report& report) {
  const double log_z = state.bank.mixed(state.bank.shares(), answers.log_z);
  const double loss = std::log(state.unit) - log_z;
  state.bank.add(answers.log_z, weight);
  state.log_loss += weight * loss;
  state.weight += weight;
  ++state.rows;
  report.log_loss += weight * loss;
  report.weight += weight;
  ++report.rows;
}

void tilt_lanes(LaneMoments& belief, std::size_t lanes, const PerLane& g1, const PerLane& g2) {
  for (std::size_t k = 0; k < lanes; ++k) tilt(belief.mean[k], belief.variance[k], g1[k], g2[k]);
}

void settle(sparse::SparseModel::State& state) {
  const auto kept = lanes_to_keep(state, state.rows - 1, state.linear.weights.size());
  if (kept) state.keep(*kept);
}

// A row's messages to a belief that all rows share, the bias or the noise.
struct SharedMessages {
  std::vector<double> tau, rho;  // per row and lane

  explicit SharedMessages(std::size_t count) : tau(count), rho(count) {}

  LaneMoments without(const LaneMoments& belief, std::size_t lanes, std::size_t row) const {
    LaneMoments out;
    for (std::size_t k = 0; k < lanes; ++k) {
      const double precision = 1 / belief.variance[k];
      const double left = std::max(precision - rho[row * lanes + k], kLeastLeft * precision);
      out.variance[k] = 1 / left;
      out.mean[k] = (belief.mean[k] * precision - tau[row * lanes + k]) / left;
    }
    return out;
  }
  // The belief is the cavity; tilts it and keeps the message.
  void renew(LaneMoments& belief, std::size_t lanes, std::size_t row, const PerLane& g1,
             const PerLane& g2) {
    for (std::size_t k = 0; k < lanes; ++k) {
      const double left = left_of_variance(belief.variance[k] * g2[k]);
      rho[row * lanes + k] = g2[k] / left;
      tau[row * lanes + k] = (g1[k] + belief.mean[k] * g2[k]) / left;
      tilt(belief.mean[k], belief.variance[k], g1[k], g2[k]);
    }
  }
  void keep(std::span<const std::size_t> kept, std::size_t lanes);
};

// Keeps only these of `stride` numbers each, in place.
template <class T>
void compress(std::vector<T>& values, std::size_t stride, std::span<const std::size_t> kept) {
  const std::size_t count = values.size() / stride;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < kept.size(); ++k)
      values[i * kept.size() + k] = values[i * stride + kept[k]];
  values.resize(count * kept.size());
  values.shrink_to_fit();
}

void SharedMessages::keep(std::span<const std::size_t> kept, std::size_t lanes) {
  compress(tau, lanes, kept);
  compress(rho, lanes, kept);
}

class Passes {
 public:
  Passes(sparse::SparseModel::State& state, const sparse::FeatureRows& rows)
      : state_(state),
        rows_(rows),
        weights_(rows.keys.size() * 2 * state.bank.lanes),
        latent_(rows.keys.size() * 2 * state.options.latent),
        bias_(rows.size() * state.bank.lanes),
        noise_(state.likelihood.has_noise() ? rows.size() * state.bank.lanes : 0) {}

  sparse::SparseModel::Report run(std::size_t passes) {
    sparse::SparseModel::Report report;
    for (std::size_t row = 0; row < rows_.size(); ++row) refresh(row, &report, report.guarded);
    if (passes > 1) keep(state_.bank.lanes_worth_keeping(kNegligible, kMostLanes));
    for (std::size_t pass = 1; pass < passes; ++pass)
      for (std::size_t row = 0; row < rows_.size(); ++row) refresh(row, nullptr, report.guarded);
    return report;
  }

  std::vector<float> messages() && { return std::move(weights_); }

 private:
  // Takes the row's messages out, predicts it, and puts its new messages in. A report is of the first pass.
  void refresh(std::size_t row, sparse::SparseModel::Report* report, std::size_t& guarded) {
    const double weight = weight_of(rows_, row);
    if (weight == 0) return;
    const std::size_t lanes = state_.bank.lanes;
    const StoredMessages stored = messages_of(weights_, row, lanes);
    Linear& linear = state_.linear;
    linear.touch(row_of(rows_, row), state_.bank, report != nullptr);
    linear.bias = bias_.without(linear.bias, lanes, row);
    if (state_.likelihood.has_noise()) state_.noise = noise_.without(state_.noise, lanes, row);
    LaneMoments score = linear.cavity_score(stored, guarded);
    const StoredMessages of_vectors = messages_of(latent_, row, state_.options.latent);
    if (state_.latent) {
      state_.latent->touch(row_of(rows_, row), fields_of(rows_, row));
      add_to(score, state_.latent->cavity_score(of_vectors, guarded));
    }
    Answers answers =
        state_.likelihood.answers(lanes, state_.target_of(rows_.targets[row]), score, state_.noise);
    guarded += answers.guarded;
    if (report != nullptr) account(state_, answers, weight, *report);
    if (weight != 1) raise(answers, lanes, score.variance, state_.noise.variance, weight);
    linear.renew(answers, stored);
    if (state_.latent)
      state_.latent->renew(answers.g1[0], answers.g2[0], score.variance[0], of_vectors);
    bias_.renew(linear.bias, lanes, row, answers.g1, answers.g2);
    if (state_.likelihood.has_noise())
      noise_.renew(state_.noise, lanes, row, answers.noise_g1, answers.noise_g2);
  }

  // A row's part of taus and rhos, `size` of each for a key.
  StoredMessages messages_of(std::vector<float>& all, std::size_t row, std::size_t size) const {
    const std::size_t begin = rows_.begin_of(row);
    return std::span(all).subspan(begin * 2 * size, (rows_.ends[row] - begin) * 2 * size);
  }

  void keep(const std::vector<std::size_t>& kept) {
    const std::size_t lanes = state_.bank.lanes;
    if (kept.size() == lanes) return;
    compress(weights_, lanes, kept);
    bias_.keep(kept, lanes);
    if (state_.likelihood.has_noise()) noise_.keep(kept, lanes);
    state_.keep(kept);
  }

  sparse::SparseModel::State& state_;
  const sparse::FeatureRows& rows_;
  std::vector<float> weights_;  // of each key of each row: the lanes' taus, then their rhos
  std::vector<float> latent_;   // likewise of its vector's numbers
  SharedMessages bias_, noise_;
};

}  // namespace

std::optional<std::vector<std::size_t>> lanes_to_keep(const sparse::SparseModel::State& state,
                                                      std::size_t rows_before,
                                                      std::size_t weights) {
  if (state.bank.lanes == 1) return {};
  if (weights > kMostWeightsOfBank) return state.bank.lanes_worth_keeping(0, 1);
  const bool is_time =
      state.rows >= kFirstSettling && std::bit_width(state.rows) > std::bit_width(rows_before);
  if (state.options.drift || !is_time) return {};
  std::vector<std::size_t> kept = state.bank.lanes_worth_keeping(kFarBehind, kMostLanes);
  if (kept.size() == state.bank.lanes) return {};
  return kept;
}

void set_units(sparse::SparseModel::State& state, const sparse::FeatureRows& rows) {
  if (state.options.target != sparse::SparseOptions::Target::number || state.rows > 0 ||
      rows.size() == 0)
    return;
  double sum = 0, squares = 0;
  for (const double target : rows.targets) sum += target;
  state.location = sum / static_cast<double>(rows.size());
  for (const double target : rows.targets)
    squares += (target - state.location) * (target - state.location);
  const double variance = squares / static_cast<double>(rows.size());
  state.unit = variance > 0 ? std::sqrt(variance) : std::max(std::abs(state.location), 1.0);
}

sparse::SparseModel::Report learn_rows(sparse::SparseModel::State& state,
                                       const sparse::FeatureRows& rows) {
  set_units(state, rows);
  sparse::SparseModel::Report report;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const double weight = weight_of(rows, row);
    if (weight == 0) continue;
    const std::size_t lanes = state.bank.lanes;
    Linear& linear = state.linear;
    linear.touch(row_of(rows, row), state.bank, /*is_new=*/true);
    if (state.bank.has_drift()) {
      linear.drift(state.bank);
      for (std::size_t k = 0; k < lanes; ++k)
        state.noise.variance[k] =
            drifted(state.noise.variance[k], kLogNoiseVariance, state.bank.drift[k]);
    }
    LaneMoments score = linear.touched_score();
    if (state.latent) {
      state.latent->touch(row_of(rows, row), fields_of(rows, row));
      add_to(score, state.latent->cavity_score({}, report.guarded));
    }
    Answers answers =
        state.likelihood.answers(lanes, state.target_of(rows.targets[row]), score, state.noise);
    report.guarded += answers.guarded;
    account(state, answers, weight, report);
    if (weight != 1) raise(answers, lanes, score.variance, state.noise.variance, weight);
    linear.learn(answers);
    if (state.latent) state.latent->renew(answers.g1[0], answers.g2[0], score.variance[0], {});
    tilt_lanes(linear.bias, lanes, answers.g1, answers.g2);
    if (state.likelihood.has_noise())
      tilt_lanes(state.noise, lanes, answers.noise_g1, answers.noise_g2);
    settle(state);
  }
  return report;
}

sparse::SparseModel::Report fit_rows(sparse::SparseModel::State& state,
                                     const sparse::FeatureRows& rows) {
  set_units(state, rows);
  const sparse::FeatureRows single = without_repeats(rows);
  return Passes(state, single).run(state.options.passes);
}

sparse::SparseModel::Report learn_with_messages(sparse::SparseModel::State& state,
                                                const sparse::FeatureRows& rows,
                                                std::vector<float>& messages) {
  Passes passes(state, rows);
  const sparse::SparseModel::Report report = passes.run(1);
  messages = std::move(passes).messages();
  return report;
}

sparse::FeatureRows without_repeats(const sparse::FeatureRows& rows) {
  sparse::FeatureRows out{{}, {}, {}, {}, rows.targets, rows.weights, rows.lines};
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  std::vector<float> sums;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::size_t begin = rows.begin_of(row), size = rows.ends[row] - begin;
    order.clear();
    for (std::size_t i = 0; i < size; ++i) order.emplace_back(rows.keys[begin + i], i);
    std::sort(order.begin(), order.end());
    sums.assign(rows.values.begin() + static_cast<std::ptrdiff_t>(begin),
                rows.values.begin() + static_cast<std::ptrdiff_t>(begin + size));
    std::vector<bool> repeats(size);
    for (std::size_t i = 1, first = 0; i < size; ++i) {
      if (order[i].first != order[first].first) {
        first = i;
        continue;
      }
      sums[order[first].second] += sums[order[i].second];
      repeats[order[i].second] = true;
    }
    for (std::size_t i = 0; i < size; ++i) {
      if (repeats[i]) continue;
      out.keys.push_back(rows.keys[begin + i]);
      out.values.push_back(sums[i]);
      if (!rows.fields.empty()) out.fields.push_back(rows.fields[begin + i]);
    }
    out.ends.push_back(out.keys.size());
  }
  return out;
}

}  // namespace postrider::internal::hashed
