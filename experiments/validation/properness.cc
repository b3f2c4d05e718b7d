// Random messages of every size and state through every factor, edge, rule and precision: how many
// come out with a negative precision or as NaN, and how often each guard fires.
#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "base/random.h"
#include "base/workers.h"
#include "certify/random_messages.h"
#include "factor/batch.h"
#include "parts.h"
#include "postrider/graph/factor.h"

namespace postrider::experiments {
using namespace internal;
namespace {

double evaluation_count(const Settings& settings) { return settings.quick ? 1e7 : 1e9; }

constexpr std::size_t kRows = 4096;  // messages drawn at a time
// Messages by quadrature take a thousand times longer: they get this share of the evaluations.
constexpr double kQuadratureShare = 2e-5;

struct Counts {
  std::int64_t evaluations = 0, negative = 0, nans = 0;
  std::int64_t malformed = 0;  // an infinite tau, or one beside a precision of zero
  std::array<std::int64_t, graph::kEventCount> events{};

  void add(const Counts& other) {
    evaluations += other.evaluations, negative += other.negative, nans += other.nans;
    malformed += other.malformed;
    for (std::size_t i = 0; i < graph::kEventCount; ++i) events[i] += other.events[i];
  }
  void count(double tau, double rho, graph::Event event) {
    ++evaluations;
    negative += rho < 0;
    nans += std::isnan(tau) || std::isnan(rho);
    malformed += std::isinf(tau) || (rho == 0 && tau != 0);
    ++events[static_cast<std::size_t>(event)];
  }
};

double signed_size(RandomStream& random) {
  const double size = random.log_uniform(ExtremeMessages::kSmallest, ExtremeMessages::kLargest);
  return random.uniform() < 0.5 ? -size : size;
}
double positive_size(RandomStream& random) { return std::abs(signed_size(random)); }

// Random parameters for the factors that have them; a factor not named here keeps its defaults.
std::vector<graph::Parameter> random_parameters(const std::string& name, RandomStream& random) {
  if (name == "gaussian_prior")
    return {{"mean", {signed_size(random)}}, {"variance", {positive_size(random)}}};
  if (name == "gaussian_likelihood") return {{"variance", {positive_size(random)}}};
  if (name == "linear") return {{"weights", {signed_size(random), signed_size(random)}}};
  if (name == "leaky_relu") {
    const std::vector<double> slopes{0, 1e-6, 0.01, 0.1, 0.5, 0.9, 1};
    return {{"slope", {slopes[random.below(slopes.size())]}}};
  }
  if (name == "probit")
    return {{"sign", {random.uniform() < 0.5 ? -1.0 : 1.0}}, {"scale", {positive_size(random)}}};
  if (name == "greater_than") return {{"margin", {signed_size(random)}}};
  return {};
}

template <class T>
struct Columns {
  std::vector<std::vector<T>> tau, rho;

  explicit Columns(std::size_t edges)
      : tau(edges, std::vector<T>(kRows)), rho(edges, std::vector<T>(kRows)) {}
};

// All edges and rules of one factor, in one precision, on the rows drawn.
template <class T>
void evaluate(const graph::Factor& factor, const std::vector<graph::Parameter>& parameters,
              const Columns<T>& in, Counts& counts) {
  std::vector<T> tau(kRows), rho(kRows), event(kRows);
  Batch<T> batch{{}, {tau, rho}, {}, event};
  const graph::FactorInfo& info = factor.info();
  for (std::size_t k = 0; k < info.edges.size(); ++k)
    batch.incoming.push_back({in.tau[k], in.rho[k]});
  for (std::size_t k = 0; k < info.edges.size(); ++k)
    for (const graph::RuleInfo& rule : info.edges[k].rules) {
      send_many(info.name, parameters, k, rule.rule, batch, SimdLevel::best());
      for (std::size_t row = 0; row < kRows; ++row)
        counts.count(static_cast<double>(tau[row]), static_cast<double>(rho[row]),
                     static_cast<graph::Event>(static_cast<int>(event[row])));
    }
}

Counts run_task(const std::string& name, RandomStream random) {
  const std::vector<graph::Parameter> parameters = random_parameters(name, random);
  const auto factor = graph::make_factor(name, parameters);
  const std::size_t edges = factor->info().edges.size();
  Columns<double> in(edges);
  Columns<float> single(edges);
  for (std::size_t k = 0; k < edges; ++k)
    for (std::size_t row = 0; row < kRows; ++row) {
      const Gaussian message = extreme_message(random);
      in.tau[k][row] = message.tau(), in.rho[k][row] = message.rho();
      single.tau[k][row] = static_cast<float>(message.tau());
      single.rho[k][row] = static_cast<float>(message.rho());
    }
  Counts counts;
  evaluate(*factor, parameters, in, counts);
  evaluate(*factor, parameters, single, counts);
  return counts;
}

Counts run_deterministic(double evaluations, RandomStream random) {
  const auto factor = graph::make_deterministic("tanh", [](double x) { return std::tanh(x); });
  Counts counts;
  while (static_cast<double>(counts.evaluations) < evaluations)
    for (const std::size_t edge : {0u, 1u}) {
      const std::vector<Gaussian> in{extreme_message(random), extreme_message(random)};
      const graph::Reply reply =
          factor->send(edge, factor->info().edges[edge].rules.front().rule, in);
      counts.count(reply.message.tau(), reply.message.rho(), reply.event);
    }
  return counts;
}

Object describe(const Counts& counts) {
  Object out{{"evaluations", {counts.evaluations}},
             {"negative_precisions", {counts.negative}},
             {"nans", {counts.nans}}};
  for (std::size_t i = 1; i < graph::kEventCount; ++i)
    out.push_back({std::string(to_string(static_cast<graph::Event>(i))), {counts.events[i]}});
  return out;
}

// Each factor gets the same share of the evaluations; tasks are numbered, and the number is the
// random stream, so that the counts do not depend on the threads.
Counts run_factor(const std::string& name, std::uint64_t first_stream, double share,
                  const Settings& settings, Workers& workers) {
  Counts total = run_task(name, RandomStream(settings.seed, first_stream));
  std::uint64_t stream = first_stream + 1;
  std::mutex mutex;
  // A task's size varies with its random parameters: blocks of tasks until the share is reached.
  while (static_cast<double>(total.evaluations) < share) {
    const double done = static_cast<double>(stream - first_stream);
    const double each = static_cast<double>(total.evaluations) / done;
    const double missing = share - static_cast<double>(total.evaluations);
    const auto tasks = static_cast<std::size_t>(std::ceil(missing / each));
    workers.run(tasks, [&](std::size_t task) {
      const Counts counts = run_task(name, RandomStream(settings.seed, stream + task));
      const std::lock_guard lock(mutex);
      total.add(counts);
    });
    stream += tasks;
  }
  return total;
}

}  // namespace

Part properness(const Settings& settings) {
  const std::vector<std::string> names = graph::factor_names();
  const double share = evaluation_count(settings) / static_cast<double>(names.size());
  Workers workers(settings.threads);
  Counts total;
  Object guards;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Counts counts = run_factor(names[i], i << 40, share, settings, workers);
    total.add(counts);
    guards.push_back({names[i], {describe(counts)}});
  }
  const Counts slow = run_deterministic(evaluation_count(settings) * kQuadratureShare,
                                        RandomStream(settings.seed, names.size() << 40));
  total.add(slow);
  guards.push_back({"deterministic", {describe(slow)}});
  return {"properness",
          {{"evaluations", {total.evaluations}},
           {"negative_precisions", {total.negative}},
           {"nans", {total.nans}},
           {"malformed", {total.malformed}},
           {"simd_level", {SimdLevel::best().name()}},
           {"guards", {guards}}},
          {{"no negative precision in " + std::to_string(total.evaluations) + " messages",
            total.negative == 0},
           {"no NaN", total.nans == 0},
           {"no tau that is infinite or stands beside no precision", total.malformed == 0}}};
}

}  // namespace postrider::experiments
