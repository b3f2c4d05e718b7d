// The factors of the list behind the public Factor interface: in double, one row or many.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>

#include "factor/batch.h"
#include "factor/likelihood_factor.h"
#include "factor/list-inl.h"
#include "factor/scalar.h"
#include "factor/words.h"
#include "postrider/error.h"

namespace postrider::internal {

std::vector<std::string> batched_factor_names() {
  std::vector<std::string> names;
  HWY_NAMESPACE::AllFactors::any([&]<class F>(std::type_identity<F>) {
    names.emplace_back(F::kName);
    return false;
  });
  return names;
}

}  // namespace postrider::internal

namespace postrider::graph {
using namespace internal;
namespace {

namespace lanes = HWY_NAMESPACE;

// Some factors' edges depend on their parameters: they say so with describe_instance().
template <class F>
FactorInfo describe(const F& factor) {
  if constexpr (requires { factor.describe_instance(); }) {
    return factor.describe_instance();
  } else {
    return F::describe();
  }
}

// The messages of one row as the lanes that factors read. Gaussian is another type, so they are copied:
// where they are few, as for all factors but sums, into room that needs no allocation.
class LaneRow {
 public:
  explicit LaneRow(std::size_t edges) : edges_(edges) {
    if (edges > few_.size()) many_.resize(edges);
  }

  const lanes::Message<double>* filled(const Gaussian* messages) {
    lanes::Message<double>* const to = many_.empty() ? few_.data() : many_.data();
    for (std::size_t k = 0; k < edges_; ++k) to[k] = natural(messages[k]);
    return to;
  }

 private:
  std::size_t edges_;
  std::array<lanes::Message<double>, 8> few_;
  std::vector<lanes::Message<double>> many_;
};

template <class F>
class LibraryFactor final : public Factor {
 public:
  explicit LibraryFactor(F factor) : factor_(std::move(factor)), info_(describe(factor_)) {}

  const FactorInfo& info() const override { return info_; }

  Reply send(std::size_t edge, Rule rule, std::span<const Gaussian> incoming) const override {
    const RuleInfo& chosen = info_.find(edge, rule);
    expect_one_per_edge(info_, incoming);
    const lanes::Sent<double> out =
        factor_.send(edge, rule, LaneRow(incoming.size()).filled(incoming.data()));
    Reply reply{gaussian_of(out.message), {}, event_of(out)};
    if (chosen.has_log_scale) reply.log_scale = out.log_scale;
    return reply;
  }

  // One value at a time here, too: a vector may fuse what `double` rounds twice, and a message must
  // not depend on how many were asked for.
  void send_many(std::size_t edge, Rule rule, std::span<const Gaussian> incoming,
                 const Replies& replies) const override {
    const RuleInfo& chosen = info_.find(edge, rule);
    expect_rows(info_, incoming, replies);
    if (replies.log_scales.empty()) return send_rows<false>(edge, rule, incoming, replies);
    send_rows<true>(edge, rule, incoming, replies);
    if (!chosen.has_log_scale)
      std::fill(replies.log_scales.begin(), replies.log_scales.end(),
                std::numeric_limits<double>::quiet_NaN());
  }

  bool may_run_on_threads() const override { return true; }

  double evaluate(std::span<const double> values) const override {
    return factor_.evaluate(values);
  }

  std::vector<double> kinks(std::size_t edge, std::span<const double> values) const override {
    if constexpr (requires { factor_.kinks(edge, values); }) {
      return factor_.kinks(edge, values);
    } else {
      return info_.edges[edge].kinks;
    }
  }

 private:
  static Event event_of(const lanes::Sent<double>& sent) {
    return static_cast<Event>(static_cast<int>(sent.event));
  }

  // A loop of its own where no log scale is wanted: what is inlined of it, the compiler leaves out.
  template <bool kWithLogScales>
  void send_rows(std::size_t edge, Rule rule, std::span<const Gaussian> incoming,
                 const Replies& replies) const {
    const std::size_t edges = info_.edges.size();
    LaneRow lane_row(edges);
    for (std::size_t row = 0; row < replies.messages.size(); ++row) {
      const lanes::Sent<double> out =
          factor_.send(edge, rule, lane_row.filled(incoming.data() + row * edges));
      replies.messages[row] = gaussian_of(out.message);
      if (!replies.events.empty()) replies.events[row] = event_of(out);
      if constexpr (kWithLogScales) replies.log_scales[row] = out.log_scale;
    }
  }

  F factor_;
  FactorInfo info_;
};

}  // namespace

std::vector<std::string> factor_names() {
  std::vector<std::string> names = batched_factor_names();
  for (std::string& name : likelihood_factor_names()) names.push_back(std::move(name));
  return names;
}

std::unique_ptr<Factor> make_factor(std::string_view name, std::vector<Parameter> parameters) {
  std::unique_ptr<Factor> made = make_likelihood_factor(name, parameters);
  if (made) return made;
  const bool found = lanes::with_factor(name, std::move(parameters), [&]<class F>(const F& factor) {
    made = std::make_unique<LibraryFactor<F>>(factor);
  });
  if (!found)
    throw InvalidArgument(
        fmt::format("no factor '{}'; there are: {}", name, fmt::join(factor_names(), ", ")));
  return made;
}

}  // namespace postrider::graph
