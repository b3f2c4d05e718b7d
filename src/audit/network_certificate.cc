#include <algorithm>
#include <cmath>
#include <numeric>
#include <variant>

#include "audit/comparison.h"
#include "audit/swept_row.h"
#include "base/random.h"
#include "base/workers.h"
#include "network/network_state.h"
#include "postrider/error.h"
#include "postrider/network/audit.h"
#include "sweep/workspace.h"
#include "train/targets.h"

namespace postrider::network {
using namespace internal;
namespace {

enum Stream : std::uint64_t { rows_stream, first_kind_stream };

// Below this a KL by quadrature is rounding, and a ratio of two says nothing.
constexpr double kRoundingKl = 1e-10;
constexpr double kHigh = 0.95;

// The first `count` of a random order of all.
std::vector<std::size_t> draw(std::vector<std::size_t> all, std::size_t count,
                              RandomStream& random) {
  const std::size_t drawn = std::min(count, all.size());
  for (std::size_t i = 0; i < drawn; ++i) std::swap(all[i], all[i + random.below(all.size() - i)]);
  all.resize(drawn);
  return all;
}

// For one kind: a uniform sample of the messages that are not exact, drawn while they pass by.
class Sample {
 public:
  Sample(std::size_t size, RandomStream random) : size_(size), random_(random) {}

  void offer(const SentMessage& message) {
    ++seen_;
    if (kept_.size() < size_) {
      kept_.push_back(message);
    } else if (const std::size_t at = random_.below(seen_); at < size_) {
      kept_[at] = message;
    }
  }
  const std::vector<SentMessage>& kept() const { return kept_; }

 private:
  std::size_t size_, seen_ = 0;
  RandomStream random_;
  std::vector<SentMessage> kept_;
};

NetworkCertificate::Spread spread_of(std::vector<double> values) {
  NetworkCertificate::Spread out;
  out.count = values.size();
  if (values.empty()) return out;
  std::sort(values.begin(), values.end());
  // The smallest value that at least this share does not exceed.
  const auto quantile = [&](double share) {
    const auto rank =
        static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
    return values[std::max<std::size_t>(rank, 1) - 1];
  };
  out.median = quantile(0.5);
  out.high = quantile(kHigh);
  out.largest = values.back();
  return out;
}

void count_outside(const Comparison& found, NetworkCertificate::Messages& out) {
  out.infinite_mass += found.outside == Outside::infinite_mass;
  out.infinite_kl += found.outside == Outside::infinite_kl;
  out.nothing_came_in += found.outside == Outside::nothing_came_in;
  out.concentrated += found.concentrated;
}

void summarise(const std::vector<Comparison>& found, double kl_limit,
               NetworkCertificate::Messages& out) {
  std::vector<double> message_kl, bound, marginal_kl;
  for (const Comparison& one : found) {
    count_outside(one, out);
    if (one.message_kl) message_kl.push_back(*one.message_kl);
    if (one.bound) bound.push_back(*one.bound);
    if (one.marginal_kl) {
      marginal_kl.push_back(*one.marginal_kl);
      // Written so that a KL that is not a number counts.
      out.inconsistent += out.direction == NetworkCertificate::Direction::backward &&
                          !(*one.marginal_kl <= kl_limit);
    }
    if (!one.bound || *one.message_kl < kRoundingKl) continue;
    const double ratio = *one.marginal_kl / *one.bound;
    out.violations += !(ratio <= 1);
    out.largest_ratio = std::max(out.largest_ratio, ratio);
  }
  out.compared = found.size();
  out.message_kl = spread_of(std::move(message_kl));
  out.bound = spread_of(std::move(bound));
  out.marginal_kl = spread_of(std::move(marginal_kl));
}

NetworkCertificate::Messages audit_of(const MessageKind& kind) {
  NetworkCertificate::Messages out;
  out.layer = kind.layer + 1;
  out.factor = kind.factor_name;
  out.to = kind.to;
  out.direction = kind.direction;
  out.rule = kind.rule;
  return out;
}

void look_at(const SentMessage& message, graph::Event event, const MessageKind& kind,
             NetworkCertificate::Messages& out, Sample& sample) {
  ++out.sent;
  ++out.events[static_cast<std::size_t>(event)];
  out.silent += message.sent.is_uniform();
  const bool is_nan = std::isnan(message.sent.tau()) || std::isnan(message.sent.rho());
  if (is_nan || message.sent.rho() < 0) {
    ++out.improper;
  } else if (is_exact(*kind.factor, kind.edge, message)) {
    ++out.exact;
  } else {
    sample.offer(message);
  }
}

std::vector<std::size_t> draw_rows(const RowSweeper& sweeper, std::size_t rows,
                                   const NetworkCertificate::Options& options) {
  std::vector<std::size_t> usable;
  for (std::size_t r = 0; r < rows; ++r)
    if (sweeper.has_target(r)) usable.push_back(r);
  if (usable.empty()) reject("targets", rows, "must have at least one row with a target");
  RandomStream random(options.seed, rows_stream);
  return draw(std::move(usable), options.rows, random);
}

// All rows, learned by a copy of the network as a stream.
NetworkCertificate::Guards sweep_guards(const Network& network, const Examples& rows,
                                        Likelihood likelihood,
                                        std::span<const double> noise_variance) {
  NetworkCertificate::Guards out;
  std::visit(
      [&]<class T>(const NetworkArrays<T>& arrays) {
        const NetworkOptions& options = network.options();
        const StoredInputs<T> prepared = prepared_rows<T>(rows.inputs, options.inputs);
        const std::size_t count = prepared.size();
        const auto targets = make_targets<T>(likelihood, options.outputs());
        targets->load(rows.targets, count);
        const std::vector<double> given =
            targets->first_noise({noise_variance.begin(), noise_variance.end()});
        const std::vector<T> noise(given.begin(), given.end());
        const std::unique_ptr<Observation<T>> observation = targets->observation();
        const ExamplesView<T> examples{prepared.view(), targets->values(), options.outputs()};
        std::vector<T> mean(count * options.outputs()), variance(mean);
        std::vector<Observed> observed(count);
        std::vector<std::uint32_t> order(count);
        std::iota(order.begin(), order.end(), 0u);
        WeightMessages<T> belief = arrays.belief;
        Workspace<T> workspace(arrays.engine.layers());
        SweepRecord record;
        SweepOptions<T> learning;
        learning.noise_variance = noise;
        learning.observation = observation.get();
        arrays.engine.learn(belief, examples, order, learning, {mean, variance, observed},
                            workspace, record);
        out = {count, 0, record.linearised, record.silent, record.guarded};
        for (const SweepLayer& layer : arrays.engine.layers())
          if (layer.slope != 1) out.activations += count * layer.units;
      },
      inside_of(network).arrays);
  return out;
}

}  // namespace

void NetworkCertificate::Options::validate() const {
  if (rows == 0) reject("rows", rows, "must be at least 1");
  if (messages == 0) reject("messages", messages, "must be at least 1");
  if (!(kl_limit > 0)) reject("kl_limit", kl_limit, "must be a number of nats above 0");
  if (threads == 0) reject("threads", threads, "must be at least 1");
}

std::size_t NetworkCertificate::compared() const {
  std::size_t out = 0;
  for (const NetworkCertificate::Messages& kind : messages) out += kind.compared;
  return out;
}

std::size_t NetworkCertificate::inconsistent() const {
  std::size_t out = 0;
  for (const NetworkCertificate::Messages& kind : messages)
    out += kind.inconsistent + kind.violations + kind.improper;
  return out;
}

double NetworkCertificate::largest_belief_kl() const {
  double out = 0;
  for (const NetworkCertificate::Messages& kind : messages)
    if (kind.direction == NetworkCertificate::Direction::backward)
      out = std::max(out, kind.marginal_kl.largest);
  return out;
}

std::string_view to_string(NetworkCertificate::Direction direction) {
  return direction == NetworkCertificate::Direction::forward ? "forward" : "backward";
}

NetworkCertificate certify_network(const Network& network, const Examples& rows,
                                   Likelihood likelihood, std::span<const double> noise_variance,
                                   const NetworkCertificate::Options& options) {
  options.validate();
  RowSweeper sweeper(network, rows, likelihood, noise_variance);
  const std::vector<std::size_t> drawn = draw_rows(sweeper, sweeper.rows(), options);
  NetworkCertificate out;
  out.rows = drawn.size();
  out.weights = network.weight_count();
  out.rule = network.options().rule;
  out.kl_limit = options.kl_limit;
  std::vector<Sample> samples;
  for (std::size_t k = 0; k < sweeper.kinds().size(); ++k) {
    out.messages.push_back(audit_of(sweeper.kinds()[k]));
    samples.emplace_back(options.messages, RandomStream(options.seed, first_kind_stream + k));
  }
  for (const std::size_t row : drawn) {
    sweeper.sweep(row);
    for (std::size_t k = 0; k < samples.size(); ++k) {
      const MessageKind& kind = sweeper.kinds()[k];
      sweeper.visit(kind, [&](const SentMessage& message, graph::Event event) {
        look_at(message, event, kind, out.messages[k], samples[k]);
      });
    }
  }
  Workers workers(options.threads);
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const MessageKind& kind = sweeper.kinds()[k];
    std::vector<Comparison> found(samples[k].kept().size());
    workers.run(found.size(), [&](std::size_t i) {
      found[i] = compare_with_exact(*kind.factor, kind.edge, samples[k].kept()[i]);
    });
    summarise(found, options.kl_limit, out.messages[k]);
  }
  out.guards = sweep_guards(network, rows, likelihood, noise_variance);
  return out;
}

}  // namespace postrider::network
