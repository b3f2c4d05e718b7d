#include "sparse/latent.h"

#include <algorithm>

#include "base/random.h"
#include "factor/product-inl.h"

namespace postrider::internal::hashed {
namespace {

namespace lanes = HWY_NAMESPACE;
using lanes::Product;
using Message = lanes::Message<double>;
using Moments = lanes::Moments<double>;

// The moments of x u, for a number u of a latent vector.
Moments scaled(const float* beliefs, std::size_t size, std::size_t k, float x) {
  const auto by = static_cast<double>(x);
  return {by * static_cast<double>(beliefs[k]), by * by * static_cast<double>(beliefs[size + k])};
}

bool is_pair(std::span<const std::uint32_t> fields, std::size_t i, std::size_t j) {
  return !fields.empty() && fields[i] != fields[j];
}

}  // namespace

ScoreMoments Latent::score_of(const RowView& row, std::span<const std::uint32_t> fields,
                              std::span<const float* const> beliefs) const {
  const std::size_t size = weights.width();
  Moments sum{0, 0};
  for (std::size_t i = 0; i < beliefs.size(); ++i)
    for (std::size_t j = i + 1; j < beliefs.size(); ++j) {
      if (!is_pair(fields, i, j)) continue;
      for (std::size_t k = 0; k < size; ++k)
        sum = Product::add_forward<false>(
            sum, scaled(beliefs[i], size, k, row.values[i]),
            Product::operand(scaled(beliefs[j], size, k, row.values[j])));
    }
  return {sum.mean, sum.variance};
}

ScoreMoments Latent::score(const RowView& row, std::span<const std::uint32_t> fields) const {
  std::vector<float> unknown(2 * weights.width());
  std::copy(prior_.begin(), prior_.end(),
            unknown.begin() + static_cast<std::ptrdiff_t>(prior_.size()));
  std::vector<const float*> beliefs;
  for (const std::uint64_t key : row.keys) {
    const float* const found = weights.find(key);
    beliefs.push_back(found != nullptr ? found : unknown.data());
  }
  return score_of(row, fields, beliefs);
}

void Latent::touch(const RowView& row, std::span<const std::uint32_t> fields) {
  row_ = row;
  fields_ = fields;
  slots_.resize(row.keys.size());
  std::uint64_t generation = 0;
  do {
    generation = weights.generation();
    for (std::size_t i = 0; i < row.keys.size(); ++i) {
      const WeightTable::Found found = weights.find_or_add(row.keys[i], prior_);
      slots_[i] = found.beliefs;
      if (!found.added) continue;
      RandomStream random(seed_, row.keys[i]);
      for (std::size_t k = 0; k < weights.width(); ++k)
        found.beliefs[k] = static_cast<float>(kFirstStd * random.normal());
    }
  } while (weights.generation() != generation);
}

ScoreMoments Latent::cavity_score(StoredMessages stored, std::size_t& guarded) {
  const std::size_t size = weights.width();
  cavities_.resize(slots_.size() * 2 * size);
  std::vector<const float*> beliefs(slots_.size());
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    float* const cavity = &cavities_[i * 2 * size];
    beliefs[i] = cavity;
    if (stored.empty())
      std::copy_n(slots_[i], 2 * size, cavity);
    else
      take_out(slots_[i], &stored[i * 2 * size], size, cavity, guarded);
  }
  return score_of(row_, fields_, beliefs);
}

void Latent::renew(double g1, double g2, double variance, StoredMessages stored) {
  // The target says nothing: cavities are the beliefs.
  const bool is_silent = !(g2 > 0);
  const std::size_t size = weights.width();
  taus_.assign(slots_.size() * size, 0);
  rhos_.assign(slots_.size() * size, 0);
  const Product::SumBack<double> back{g1 / g2, 1 / g2, std::max(1 / g2 - variance, 0.0)};
  const auto send = [&](std::size_t to, std::size_t from, std::size_t k) {
    const Moments x = scaled(&cavities_[to * 2 * size], size, k, row_.values[to]);
    const Moments y = scaled(&cavities_[from * 2 * size], size, k, row_.values[from]);
    const double gap = Product::gap_in_sum(x.mean, y.mean, back);
    const Message message =
        Product::conditioned_in_sum(x.variance, y.mean, gap, back, y.mean).message();
    const auto by = static_cast<double>(row_.values[to]);
    taus_[to * size + k] += by * message.tau;
    rhos_[to * size + k] += by * by * message.rho;
  };
  for (std::size_t i = 0; i < slots_.size() && !is_silent; ++i)
    for (std::size_t j = i + 1; j < slots_.size(); ++j) {
      if (!is_pair(fields_, i, j)) continue;
      for (std::size_t k = 0; k < size; ++k) {
        send(i, j, k);
        send(j, i, k);
      }
    }
  for (std::size_t i = 0; i < slots_.size(); ++i)
    for (std::size_t k = 0; k < size; ++k) {
      const double tau = taus_[i * size + k], rho = rhos_[i * size + k];
      const auto m = static_cast<double>(cavities_[i * 2 * size + k]);
      const auto v = static_cast<double>(cavities_[(i * 2 + 1) * size + k]);
      slots_[i][k] = static_cast<float>((m + v * tau) / (1 + v * rho));
      slots_[i][size + k] = static_cast<float>(v * std::max(1 / (1 + v * rho), kLeastLeft));
      if (stored.empty()) continue;
      stored[i * 2 * size + k] = static_cast<float>(tau);
      stored[(i * 2 + 1) * size + k] = static_cast<float>(rho);
    }
}

}  // namespace postrider::internal::hashed
