#include "sparse/linear.h"

#include <algorithm>
#include <type_traits>

#include "base/check.h"

namespace postrider::internal::hashed {
namespace {

// Inputs smaller than this count as so large, when the prior's unit is taken from them.
constexpr double kLeastSquare = 1e-12;

template <std::size_t kLanes>
struct Sum {
  float mean[kLanes] = {}, variance[kLanes] = {};

  void add(const float* beliefs, float x) {
    const float square = x * x;
    for (std::size_t k = 0; k < kLanes; ++k) mean[k] += x * beliefs[k];
    for (std::size_t k = 0; k < kLanes; ++k) variance[k] += square * beliefs[kLanes + k];
  }
  void add_prior(const float* prior, float x) {
    const float square = x * x;
    for (std::size_t k = 0; k < kLanes; ++k) variance[k] += square * prior[k];
  }
  LaneMoments plus(const LaneMoments& bias) const {
    LaneMoments out;
    for (std::size_t k = 0; k < kLanes; ++k) {
      out.mean[k] = bias.mean[k] + static_cast<double>(mean[k]);
      out.variance[k] = bias.variance[k] + static_cast<double>(variance[k]);
    }
    return out;
  }
};

template <std::size_t kLanes>
struct Slopes {
  float g1[kLanes], g2[kLanes];

  explicit Slopes(const Answers& answers) {
    for (std::size_t k = 0; k < kLanes; ++k) {
      g1[k] = static_cast<float>(answers.g1[k]);
      g2[k] = static_cast<float>(answers.g2[k]);
    }
  }
};

}  // namespace

template <class Do>
void Linear::with_lanes(Do&& act) const {
  switch (weights.width()) {
    case 1:
      return act(std::integral_constant<std::size_t, 1>());
    case 2:
      return act(std::integral_constant<std::size_t, 2>());
    case 4:
      return act(std::integral_constant<std::size_t, 4>());
    case 8:
      return act(std::integral_constant<std::size_t, 8>());
    default:
      check(false, "1, 2, 4 or 8 lanes", {{"lanes", static_cast<double>(weights.width())}});
  }
}

void Linear::set_prior(const Bank& bank) {
  const double unit = inputs > 0 ? std::max(squares / inputs, kLeastSquare) : 1;
  for (std::size_t k = 0; k < bank.lanes; ++k) prior_[k] = static_cast<float>(bank.prior[k] / unit);
}

LaneMoments Linear::score(const RowView& row) const {
  LaneMoments out;
  with_lanes([&](auto lanes) {
    Sum<decltype(lanes)::value> sum;
    for (const std::uint64_t key : row.keys) weights.prefetch(key);
    for (std::size_t i = 0; i < row.keys.size(); ++i) {
      const float* const beliefs = weights.find(row.keys[i]);
      if (beliefs != nullptr)
        sum.add(beliefs, row.values[i]);
      else
        sum.add_prior(prior_.data(), row.values[i]);
    }
    out = sum.plus(bias);
  });
  return out;
}

void Linear::touch(const RowView& row, const Bank& bank, bool is_new) {
  for (const std::uint64_t key : row.keys) weights.prefetch(key);
  if (is_new) {
    for (const float x : row.values) squares += static_cast<double>(x) * static_cast<double>(x);
    inputs += static_cast<double>(row.values.size());
    set_prior(bank);
  }
  values_ = row.values;
  slots_.resize(row.keys.size());
  // What is added may move those that were found before.
  std::uint64_t generation = 0;
  do {
    generation = weights.generation();
    for (std::size_t i = 0; i < row.keys.size(); ++i)
      slots_[i] = weights.find_or_add(row.keys[i], prior()).beliefs;
  } while (weights.generation() != generation);
}

void Linear::drift(const Bank& bank) {
  for (std::size_t k = 0; k < bank.lanes; ++k) {
    if (bank.drift[k] == 0) continue;
    const auto share = static_cast<float>(bank.drift[k]);
    for (float* const slot : slots_) {
      float& variance = slot[bank.lanes + k];
      variance = drifted(variance, prior_[k], share);
    }
    bias.variance[k] = drifted(bias.variance[k], kBiasVariance, bank.drift[k]);
  }
}

LaneMoments Linear::touched_score() const {
  LaneMoments out;
  with_lanes([&](auto lanes) {
    Sum<decltype(lanes)::value> sum;
    for (std::size_t i = 0; i < slots_.size(); ++i) sum.add(slots_[i], values_[i]);
    out = sum.plus(bias);
  });
  return out;
}

LaneMoments Linear::cavity_score(StoredMessages stored, std::size_t& guarded) {
  LaneMoments out;
  with_lanes([&](auto lanes) {
    constexpr std::size_t kLanes = decltype(lanes)::value;
    Sum<kLanes> sum;
    cavities_.resize(slots_.size() * 2 * kLanes);
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      float* const cavity = &cavities_[i * 2 * kLanes];
      take_out(slots_[i], &stored[i * 2 * kLanes], kLanes, cavity, guarded);
      sum.add(cavity, values_[i]);
    }
    out = sum.plus(bias);
  });
  return out;
}

void Linear::learn(const Answers& answers) {
  with_lanes([&](auto lanes) {
    constexpr std::size_t kLanes = decltype(lanes)::value;
    const Slopes<kLanes> slopes(answers);
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      float* const mean = slots_[i];
      float* const variance = slots_[i] + kLanes;
      const float x = values_[i];
      for (std::size_t k = 0; k < kLanes; ++k) {
        const float gain = variance[k] * x;
        mean[k] += gain * slopes.g1[k];
        variance[k] *= left_of_variance(gain * x * slopes.g2[k]);
      }
    }
  });
}

// The message of a tilted belief, as in tilted-inl.h: rho = g2/(1 - v g2), tau = (g1 + m g2)/(1 - v g2).
void Linear::renew(const Answers& answers, StoredMessages stored) {
  with_lanes([&](auto lanes) {
    constexpr std::size_t kLanes = decltype(lanes)::value;
    const Slopes<kLanes> slopes(answers);
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      const float* const cavity = &cavities_[i * 2 * kLanes];
      float* const message = &stored[i * 2 * kLanes];
      const float x = values_[i];
      for (std::size_t k = 0; k < kLanes; ++k) {
        const float m = cavity[k], v = cavity[kLanes + k];
        const float g1 = x * slopes.g1[k], g2 = x * x * slopes.g2[k];
        const float left = left_of_variance(v * g2);
        slots_[i][k] = m + v * g1;
        slots_[i][kLanes + k] = v * left;
        message[k] = (g1 + m * g2) / left;
        message[kLanes + k] = g2 / left;
      }
    }
  });
}

void Linear::keep(std::span<const std::size_t> kept) {
  WeightTable narrow(kept.size());
  const std::size_t before = weights.width();
  std::array<float, kMostLanes> variances{};
  weights.for_each([&](std::uint64_t key, const float* beliefs) {
    for (std::size_t k = 0; k < kept.size(); ++k) variances[k] = beliefs[before + kept[k]];
    float* const to = narrow.find_or_add(key, {variances.data(), kept.size()}).beliefs;
    for (std::size_t k = 0; k < kept.size(); ++k) to[k] = beliefs[kept[k]];
  });
  most_bytes_ = std::max(most_bytes(), weights.bytes() + narrow.peak_bytes());
  weights = std::move(narrow);
  bias = {kept_of(bias.mean, kept), kept_of(bias.variance, kept)};
  for (std::size_t k = 0; k < kept.size(); ++k) prior_[k] = prior_[kept[k]];
}

}  // namespace postrider::internal::hashed
