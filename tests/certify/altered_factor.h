// A factor that is right except for what a test does to its replies.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "postrider/graph/factor.h"

namespace postrider::graph {

class AlteredFactor final : public Factor {
 public:
  using Alter = std::function<Reply(const Reply& right, std::span<const Gaussian> incoming)>;

  // Only the replies to `edge` are altered.
  AlteredFactor(std::unique_ptr<Factor> right, std::size_t edge, Alter alter)
      : right_(std::move(right)), edge_(edge), alter_(std::move(alter)), info_(right_->info()) {}

  // All edges promise no more than this.
  AlteredFactor& claiming(Claim claim) {
    for (EdgeInfo& edge : info_.edges)
      for (RuleInfo& rule : edge.rules) rule.claim = claim;
    return *this;
  }

  const FactorInfo& info() const override { return info_; }
  double evaluate(std::span<const double> values) const override {
    return right_->evaluate(values);
  }
  std::vector<double> kinks(std::size_t edge, std::span<const double> values) const override {
    return right_->kinks(edge, values);
  }
  Reply send(std::size_t edge, Rule rule, std::span<const Gaussian> incoming) const override {
    const Reply right = right_->send(edge, rule, incoming);
    return edge == edge_ ? alter_(right, incoming) : right;
  }

 private:
  std::unique_ptr<Factor> right_;
  std::size_t edge_;
  Alter alter_;
  FactorInfo info_;
};

}  // namespace postrider::graph
