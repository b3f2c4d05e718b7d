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

// Below so many rows vectors do not pay for the way in and out.
constexpr std::size_t kFewRows = 8;

template <class F>
class LibraryFactor final : public Factor {
 public:
  LibraryFactor(F factor, std::vector<Parameter> parameters)
      : factor_(std::move(factor)), info_(describe(factor_)), parameters_(std::move(parameters)) {}

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

  // Several rows go into the lanes of vectors that round as one value does: a message does not depend on how many were asked for.
  void send_many(std::size_t edge, Rule rule, std::span<const Gaussian> incoming,
                 const Replies& replies) const override {
    const RuleInfo& chosen = info_.find(edge, rule);
    expect_rows(info_, incoming, replies);
    if (replies.messages.size() >= kFewRows && info_.edges.size() <= kMostEdgesOfBatch)
      send_lanes(edge, rule, incoming, replies);
    else
      send_singly(edge, rule, incoming, replies);
    if (!chosen.has_log_scale)
      std::fill(replies.log_scales.begin(), replies.log_scales.end(),
                std::numeric_limits<double>::quiet_NaN());
  }

  // The way into vectors is paid for once a call.
  std::size_t messages_per_call() const override { return 2048; }
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

  void send_singly(std::size_t edge, Rule rule, std::span<const Gaussian> incoming,
                   const Replies& replies) const {
    const std::size_t edges = info_.edges.size();
    LaneRow lane_row(edges);
    for (std::size_t row = 0; row < replies.messages.size(); ++row) {
      const lanes::Sent<double> out =
          factor_.send(edge, rule, lane_row.filled(incoming.data() + row * edges));
      replies.messages[row] = gaussian_of(out.message);
      if (!replies.events.empty()) replies.events[row] = event_of(out);
      if (!replies.log_scales.empty()) replies.log_scales[row] = out.log_scale;
    }
  }

  // Row by row in, edge by edge through the lanes, and out again.
  void send_lanes(std::size_t edge, Rule rule, std::span<const Gaussian> incoming,
                  const Replies& replies) const {
    const std::size_t rows = replies.messages.size(), edges = info_.edges.size();
    const auto room = std::make_unique_for_overwrite<double[]>((2 * edges + 3) * rows);
    const auto column = [&](std::size_t k) { return std::span(room.get() + k * rows, rows); };
    Batch<double> batch;
    batch.incoming.reserve(edges);
    for (std::size_t k = 0; k < edges; ++k) {
      const std::span<double> tau = column(2 * k), rho = column(2 * k + 1);
      for (std::size_t row = 0; row < rows; ++row) {
        const Gaussian& message = incoming[row * edges + k];
        tau[row] = message.tau(), rho[row] = message.rho();
      }
      batch.incoming.push_back({tau, rho});
    }
    batch.outgoing = {column(2 * edges), column(2 * edges + 1)};
    batch.event = column(2 * edges + 2);
    batch.log_scale = replies.log_scales;
    send_rows_together(F::kName, parameters_, edge, rule, batch);
    for (std::size_t row = 0; row < rows; ++row) {
      replies.messages[row] = gaussian_of({batch.outgoing.tau[row], batch.outgoing.rho[row]});
      if (!replies.events.empty())
        replies.events[row] = static_cast<Event>(static_cast<int>(batch.event[row]));
    }
  }

  F factor_;
  FactorInfo info_;
  std::vector<Parameter> parameters_;
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
  const bool found = lanes::with_factor(name, parameters, [&]<class F>(const F& factor) {
    made = std::make_unique<LibraryFactor<F>>(factor, parameters);
  });
  if (!found)
    throw InvalidArgument(
        fmt::format("no factor '{}'; there are: {}", name, fmt::join(factor_names(), ", ")));
  return made;
}

}  // namespace postrider::graph
