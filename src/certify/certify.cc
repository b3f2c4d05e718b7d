#include "postrider/graph/certify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.h"
#include "certify/exact_message.h"
#include "certify/random_messages.h"
#include "postrider/error.h"

namespace postrider::graph {
using namespace internal;
namespace {

constexpr std::size_t kMaxEdges = 3;
constexpr std::size_t kConsistencySteps = 9;
constexpr std::size_t kConsistencyTries = 100;
constexpr double kFallsTo = 0.05;      // a consistent error falls at least to this share
constexpr double kRoundingKl = 1e-11;  // below this a KL by quadrature is rounding
constexpr double kRoundingDistance = 1e-14;
constexpr double kMisplaced = 0.5;  // the incoming message of the edge itself is off by this
constexpr double kStep = 1e-2;      // of a difference quotient
// A relation that depends less on a variable leaves it free.
constexpr double kLeastSensitivity = 1e-2;

// One rule of one edge, under examination.
struct Subject {
  const Factor& factor;
  std::size_t edge;
  RuleInfo rule;

  bool is_output() const { return edge == 0 && factor.info().kind == FactorKind::deterministic; }
  bool is_normalisable() const { return !factor.info().edges[edge].exact_may_be_improper; }
  Reply send(const Incoming& incoming) const { return factor.send(edge, rule.rule, incoming); }
};

Incoming messages(const Subject& subject, RandomStream& random, Gaussian (*draw)(RandomStream&)) {
  std::vector<Gaussian> out;
  for (std::size_t k = 0; k < subject.factor.info().edges.size(); ++k) out.push_back(draw(random));
  return out;
}

// Unlike std::max, does not lose a NaN: as an error it is the worst there is.
double worse(double worst, double error) {
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(worst, error);
}

double moment_error(double mean, double variance, const Gaussian& found) {
  const double scale = std::max(std::abs(mean), std::sqrt(variance));
  return worse(std::abs(found.mean() - mean) / scale,
               std::abs(found.variance() - variance) / variance);
}

// Keeps the worst error and the messages that led to it.
void note_worst(double error, const Incoming& incoming, double& worst, Incoming& worst_case) {
  const double now = worse(worst, error);
  if (now > worst || worst_case.empty()) worst_case = incoming;
  worst = now;
}

void compare(const Subject& subject, const Incoming& incoming, const Reply& reply, Exactness& out) {
  const auto note = [&](double mean, double variance, const Gaussian& found) {
    note_worst(moment_error(mean, variance, found), incoming, out.worst_moment_error,
               out.worst_moment_case);
  };
  const auto note_log_mass = [&](double exact, double rest) {
    if (!subject.rule.has_log_scale) return;
    const double sent = reply.log_scale.value_or(std::numeric_limits<double>::quiet_NaN());
    note_worst(std::abs(sent + rest - exact), incoming, out.worst_log_scale_error,
               out.worst_log_scale_case);
  };
  ++out.compared;
  if (subject.is_output()) {
    const OutputMoments exact = output_moments(subject.factor, incoming);
    note_log_mass(0, 0);  // proper messages came in: a density goes out
    return note(exact.mean, exact.variance, reply.message);
  }
  const ExactMessage exact(subject.factor, subject.edge, incoming);
  const bool tilted = subject.rule.claim == Claim::tilted_moments;
  const Tabulated density = tilted ? exact.marginal() : exact.density(reply.message);
  const Gaussian& own = incoming[subject.edge];
  note(density.mean(), density.variance(), tilted ? reply.message * own : reply.message);
  note_log_mass(density.log_mass(), tilted ? log_overlap(own, reply.message) : 0);
}

std::optional<Exactness> exactness(const Subject& subject, const CertifyOptions& options) {
  if (subject.rule.claim == Claim::approximate) return {};
  RandomStream random(options.seed, 1);
  Exactness out;
  for (std::size_t i = 0; i < options.configurations; ++i) {
    const Incoming incoming = messages(subject, random, moderate_message);
    const Reply reply = subject.send(incoming);
    if (reply.event != Event::none) {
      ++out.guarded;
      continue;
    }
    compare(subject, incoming, reply, out);
  }
  return out;
}

// Where the other messages concentrate, and how fast a relation changes there with the variable of
// the edge (at most 1): a flat relation hands on an uncertainty of e as one of e/sensitivity.
struct Place {
  std::vector<double> point;
  double sensitivity = 1;
};

// Points x_0 = g(x_1, ...) at which the relation does depend on the variable of the edge.
std::optional<Place> sensitive_place(const Subject& subject, RandomStream& random) {
  const std::size_t edges = subject.factor.info().edges.size();
  for (std::size_t attempt = 0; attempt < kConsistencyTries; ++attempt) {
    std::vector<double> point(edges);
    for (double& x : point) x = random.uniform(-2, 2);
    if (subject.factor.info().kind == FactorKind::density) return Place{point};
    const std::span<double> inputs = std::span(point).subspan(1);
    point[0] = subject.factor.evaluate(inputs);
    if (subject.is_output()) return Place{point};
    std::vector<double> moved(inputs.begin(), inputs.end());
    moved[subject.edge - 1] += kStep;
    const double change = std::abs(subject.factor.evaluate(moved) - point[0]) / kStep;
    if (change > kLeastSensitivity) return Place{point, std::min(1.0, change)};
  }
  return {};
}

struct Target {
  double mean, deviation;
};

// f(., point) as a distribution of the edge's variable: a point where the factor is a relation.
Target limit_of(const Subject& subject, const std::vector<double>& point) {
  if (subject.factor.info().kind == FactorKind::deterministic) return {point[subject.edge], 0};
  std::vector<double> values = point;
  const Tabulated density(
      [&](double x) {
        values[subject.edge] = x;
        return subject.factor.evaluate(values);
      },
      gaussian_range(point[subject.edge], 1, subject.factor.kinks(subject.edge, point)));
  return {density.mean(), std::sqrt(density.variance())};
}

// Over the smaller half of the deviations, as far as the errors are above rounding.
std::optional<double> observed_rate(const std::vector<double>& deviation,
                                    const std::vector<double>& error, double rounding) {
  std::vector<double> x, y;
  for (std::size_t i = error.size() / 2; i < error.size(); ++i) {
    if (!(error[i] > rounding)) continue;
    x.push_back(deviation[i]);
    y.push_back(error[i]);
  }
  return power_law_exponent(x, y);
}

// Where f(., x) has infinite mass at points x the condition asks for nothing: densities such as a
// step. Deterministic relations are looked at where they determine the variable.
std::optional<Consistency> consistency(const Subject& subject, const CertifyOptions& options) {
  const FactorInfo& info = subject.factor.info();
  const bool density = info.kind == FactorKind::density;
  if (info.edges.size() < 2 || (density && !subject.is_normalisable())) return {};
  RandomStream random(options.seed, 2);
  const std::optional<Place> place = sensitive_place(subject, random);
  if (!place) return {};
  const Target target = limit_of(subject, place->point);
  const Gaussian own = Gaussian::from_moments(place->point[subject.edge] + kMisplaced, 1);
  Consistency out;
  for (std::size_t i = 0; i < kConsistencySteps; ++i) {
    const double deviation = place->sensitivity * std::pow(0.5, static_cast<double>(i + 1));
    std::vector<Gaussian> incoming;
    for (const double x : place->point)
      incoming.push_back(Gaussian::from_moments(x, deviation * deviation));
    incoming[subject.edge] = own;
    const Gaussian sent = subject.send(incoming).message;
    out.last_case = incoming;
    out.std.push_back(deviation);
    out.distance.error.push_back(
        std::hypot(sent.mean() - target.mean, sent.std() - target.deviation));
    if (subject.is_output()) continue;
    const ExactMessage exact(subject.factor, subject.edge, incoming);
    out.marginal_kl.error.push_back(kl_divergence(exact.marginal(), sent * own));
  }
  out.distance.rate = observed_rate(out.std, out.distance.error, kRoundingDistance);
  if (!subject.is_output())
    out.marginal_kl.rate = observed_rate(out.std, out.marginal_kl.error, kRoundingKl);
  return out;
}

Properness properness(const Subject& subject, const CertifyOptions& options) {
  RandomStream random(options.seed, 3);
  Properness out;
  out.evaluations = options.evaluations;
  for (std::size_t i = 0; i < options.evaluations; ++i) {
    const Incoming incoming = messages(subject, random, extreme_message);
    const Reply reply = subject.send(incoming);
    ++out.events[static_cast<std::size_t>(reply.event)];
    const bool is_nan = std::isnan(reply.message.tau()) || std::isnan(reply.message.rho());
    if (is_nan && ++out.nans == 1) out.first_nan = incoming;
    if (reply.message.rho() < 0 && ++out.negative_precisions == 1) out.first_negative = incoming;
  }
  return out;
}

std::optional<MasterTheorem> master_theorem(const Subject& subject, const CertifyOptions& options) {
  // Exact messages have nothing to bound; an improper exact message is outside the theorem.
  if (subject.is_output() || !subject.is_normalisable() || subject.rule.claim == Claim::exact)
    return {};
  RandomStream random(options.seed, 4);
  MasterTheorem out;
  for (std::size_t i = 0; i < options.configurations; ++i) {
    const Incoming incoming = messages(subject, random, moderate_message);
    const Gaussian sent = subject.send(incoming).message;
    if (!sent.is_proper()) continue;
    const ExactMessage exact(subject.factor, subject.edge, incoming);
    const MasterInstance instance =
        master_instance(exact.density(sent), exact.marginal(), incoming[subject.edge], sent);
    if (instance.message_kl < kRoundingKl) continue;
    ++out.configurations;
    if (!(instance.ratio() <= 1) && ++out.violations == 1) out.first_violation = incoming;
    out.max_ratio = std::max(out.max_ratio, instance.ratio());
  }
  return out;
}

// " with y N(0.5, 2), x N(1, 0.1) coming in"
std::string came_in(const FactorInfo& info, const Incoming& incoming) {
  std::vector<std::string> parts;
  for (std::size_t k = 0; k < incoming.size(); ++k)
    parts.push_back(fmt::format("{} {}", info.edges[k].name, to_string(incoming[k])));
  return fmt::format(" with {} coming in", fmt::join(parts, ", "));
}

std::vector<std::string> failures(const FactorInfo& info, const EdgeCertificate& edge,
                                  const CertifyOptions& options) {
  std::vector<std::string> out;
  const auto fail = [&](const std::string& what, const Incoming& incoming) {
    out.push_back(what + came_in(info, incoming));
  };
  if (edge.exactness) {
    const Exactness& e = *edge.exactness;
    if (e.compared == 0)
      out.push_back("a guard fired in every configuration: nothing was compared");
    if (!(e.worst_moment_error <= options.exactness_tolerance))
      fail(fmt::format("moments are off by {:.2g}", e.worst_moment_error), e.worst_moment_case);
    if (!(e.worst_log_scale_error <= options.exactness_tolerance))
      fail(fmt::format("the log scale is off by {:.2g}", e.worst_log_scale_error),
           e.worst_log_scale_case);
  }
  if (edge.consistency) {
    const std::vector<double>& error = edge.consistency->distance.error;
    const bool falls = error.back() <= kFallsTo * error.front();
    if (!std::isfinite(error.back()) || !(falls || error.back() <= kRoundingDistance))
      fail(fmt::format("inconsistent: the distance only falls from {:.2g} to {:.2g}", error.front(),
                       error.back()),
           edge.consistency->last_case);
  }
  const Properness& proper = edge.properness;
  if (proper.negative_precisions > 0)
    fail(fmt::format("{} negative precisions, the first", proper.negative_precisions),
         proper.first_negative);
  if (proper.nans > 0) fail(fmt::format("{} NaN, the first", proper.nans), proper.first_nan);
  if (edge.master_theorem && edge.master_theorem->violations > 0)
    fail(fmt::format("{} violations of the master theorem, the first",
                     edge.master_theorem->violations),
         edge.master_theorem->first_violation);
  return out;
}

}  // namespace

void CertifyOptions::validate() const {
  if (configurations == 0) reject("configurations", configurations, "must be at least 1");
  if (evaluations == 0) reject("evaluations", evaluations, "must be at least 1");
  if (!(exactness_tolerance > 0))
    reject("exactness_tolerance", exactness_tolerance, "must be positive");
}

std::size_t Certificate::messages() const {
  std::size_t out = 0;
  for (const EdgeCertificate& edge : edges) {
    out += edge.properness.evaluations;
    if (edge.exactness) out += edge.exactness->compared;
    if (edge.consistency) out += edge.consistency->std.size();
    if (edge.master_theorem) out += edge.master_theorem->configurations;
  }
  return out;
}

bool Certificate::passed() const {
  return std::all_of(edges.begin(), edges.end(),
                     [](const EdgeCertificate& edge) { return edge.failures.empty(); });
}

Certificate certify(const Factor& factor, const CertifyOptions& options) {
  options.validate();
  const FactorInfo& info = factor.info();
  if (info.edges.size() > kMaxEdges)
    reject(info.name + ".edges", info.edges.size(), "a certificate needs at most 3 edges");
  Certificate out{info.name, info.formula, {}};
  for (std::size_t k = 0; k < info.edges.size(); ++k)
    for (const RuleInfo& rule : info.edges[k].rules) {
      const Subject subject{factor, k, rule};
      EdgeCertificate edge{info.edges[k].name,
                           rule,
                           exactness(subject, options),
                           consistency(subject, options),
                           properness(subject, options),
                           master_theorem(subject, options),
                           {}};
      edge.failures = failures(info, edge, options);
      out.edges.push_back(std::move(edge));
    }
  return out;
}

}  // namespace postrider::graph
