// Every factor of the list on every instruction set: vectors against one lane, against the scalar
// interface, and float against double. A new factor is covered as soon as it is in the list.
#include "factor/batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>

#include "base/workers.h"
#include "factor/cases.h"
#include "factor/reference.h"
#include "postrider/error.h"

namespace postrider::graph {
using namespace internal;
namespace {

using namespace reference;

constexpr std::size_t kRows = 1037;  // odd: every level has a remainder

// Settings beside the defaults; a factor that is not named here is tested with its defaults.
std::vector<std::vector<Parameter>> settings(const std::string& factor) {
  if (factor == "linear") return {{}, {{"weights", {0.5}}}, {{"weights", {1, -2, 0, 3, 0.25}}}};
  if (factor == "leaky_relu") return {{}, {{"slope", {0}}}, {{"slope", {0.5}}}, {{"slope", {1}}}};
  if (factor == "probit") return {{}, {{"sign", {-1}}, {"scale", {0}}}, {{"scale", {0.25}}}};
  if (factor == "greater_than") return {{}, {{"margin", {0.5}}}};
  if (factor == "gaussian_likelihood") return {{}, {{"variance", {0}}}};
  return {{}};
}

// One message of one factor, as the loops below name it.
struct Direction {
  std::string factor;
  std::vector<Parameter> parameters;
  std::size_t edge;
  RuleInfo rule;
  std::size_t edges;

  std::string name() const {
    std::string out = factor;
    for (const Parameter& p : parameters) {
      out += ' ' + p.name;
      for (const double v : p.values) out += ' ' + std::to_string(v);
    }
    return out + " edge " + std::to_string(edge) + ' ' + std::string(to_string(rule.rule));
  }
};

std::vector<Direction> all_directions() {
  std::vector<Direction> out;
  for (const std::string& factor : batched_factor_names())
    for (const std::vector<Parameter>& parameters : settings(factor)) {
      const FactorInfo info = make_factor(factor, parameters)->info();
      for (std::size_t edge = 0; edge < info.edges.size(); ++edge)
        for (const RuleInfo& rule : info.edges[edge].rules)
          out.push_back({factor, parameters, edge, rule, info.edges.size()});
    }
  return out;
}

template <class T>
struct Rows {
  std::vector<std::vector<T>> tau, rho;  // per edge
  std::vector<T> out_tau, out_rho, log_scale, event;

  std::vector<Gaussian> incoming(std::size_t row) const {
    std::vector<Gaussian> messages;
    for (std::size_t k = 0; k < tau.size(); ++k)
      messages.push_back(std::isinf(rho[k][row])
                             ? Gaussian::point_mass(tau[k][row])
                             : Gaussian::from_natural(tau[k][row], rho[k][row]));
    return messages;
  }
};

// Rounded to float, so that both types see the same numbers.
template <class T>
Rows<T> random_rows(std::size_t edges, std::size_t rows, std::uint64_t stream) {
  RandomStream random(kSeed, stream);
  Rows<T> out;
  out.tau.resize(edges);
  out.rho.resize(edges);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t k = 0; k < edges; ++k) {
      const Gaussian message = any_state(random);
      out.tau[k].push_back(static_cast<T>(static_cast<float>(message.tau())));
      out.rho[k].push_back(static_cast<T>(static_cast<float>(message.rho())));
    }
  return out;
}

template <class T>
void send(const Direction& to, Rows<T>& rows, SimdLevel level, Width width) {
  const std::size_t n = rows.tau[0].size();
  const T poison = std::numeric_limits<T>::quiet_NaN();
  for (std::vector<T>* out : {&rows.out_tau, &rows.out_rho, &rows.log_scale, &rows.event})
    out->assign(n, poison);
  Batch<T> batch;
  for (std::size_t k = 0; k < to.edges; ++k) batch.incoming.push_back({rows.tau[k], rows.rho[k]});
  batch.outgoing = {rows.out_tau, rows.out_rho};
  batch.log_scale = rows.log_scale;
  batch.event = rows.event;
  send_many<T>(to.factor, to.parameters, to.edge, to.rule.rule, batch, level, width);
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

template <class T>
void expect_same_bits(const Direction& to, SimdLevel level) {
  for (const std::size_t rows : {std::size_t{1}, std::size_t{7}, std::size_t{16}, kRows}) {
    Rows<T> vector = random_rows<T>(to.edges, rows, rows), one = vector;
    send(to, vector, level, Width::vector);
    send(to, one, level, Width::one_lane);
    const std::string where = to.name() + " on " + level.name() + ", " + std::to_string(rows);
    EXPECT_TRUE(same_bits(vector.out_tau, one.out_tau)) << where << ": tau";
    EXPECT_TRUE(same_bits(vector.out_rho, one.out_rho)) << where << ": rho";
    EXPECT_TRUE(same_bits(vector.log_scale, one.log_scale)) << where << ": log scale";
    EXPECT_TRUE(same_bits(vector.event, one.event)) << where << ": event";
    for (std::size_t row = 0; row < rows; ++row) {
      ASSERT_TRUE(std::isfinite(vector.out_tau[row]) && vector.out_rho[row] >= 0)
          << where << ": " << text(vector.incoming(row)) << "-> " << vector.out_tau[row] << ' '
          << vector.out_rho[row];
      ASSERT_TRUE(!to.rule.has_log_scale || !std::isnan(vector.log_scale[row]))
          << where << ": " << text(vector.incoming(row));
    }
  }
}

TEST(Batch, VectorsAreOneLaneToTheBit) {
  std::set<std::string> ran;
  for (const SimdLevel level : SimdLevel::available()) {
    for (const Direction& to : all_directions()) {
      expect_same_bits<float>(to, level);
      expect_same_bits<double>(to, level);
    }
    ran.insert(level.name());
  }
  EXPECT_EQ(ran.size(), SimdLevel::available().size());
  EXPECT_TRUE(ran.contains(SimdLevel::best().name()));
}

// What a claim is about: the belief (incoming times message) or the message itself. A known
// variable is moved by no message, so that its tilted claim says nothing.
Gaussian claimed(const Direction& to, const Gaussian& incoming, const Gaussian& message) {
  if (to.rule.claim != Claim::tilted_moments) return message;
  return incoming.is_point_mass() ? incoming : incoming * message;
}

double distance(const Gaussian& expected, const Gaussian& actual) {
  if (expected.state() != actual.state()) return kInfinity;
  if (expected.is_uniform()) return 0;
  const double scale = std::max(std::abs(expected.mean()), expected.std());
  const double means = scale > 0 ? std::abs(expected.mean() - actual.mean()) / scale : 0;
  return expected.is_point_mass() ? means
                                  : std::max(means, std::abs(actual.rho() / expected.rho() - 1));
}

// --- where no precision is enough --------------------------------------------------------------
//
// Regions in which the answer depends so strongly on the inputs that rounding them, or a first
// intermediate result, already changes it. Each has a name; outside of them nothing is excused.
template <class T>
struct IllConditioned {
  static constexpr double kEpsilon = std::numeric_limits<T>::epsilon();

  // Messages t deviations apart meet in the tail of both, where a relative rounding of epsilon
  // moves the logarithm of a probability by t^2 epsilon: that must stay below the tolerance.
  static bool messages_apart(const std::vector<Gaussian>& messages, double tolerance) {
    const double farthest = std::sqrt(tolerance / kEpsilon);
    for (const Gaussian& a : messages)
      for (const Gaussian& b : messages) {
        if (a.is_uniform() || b.is_uniform()) continue;
        const double spread = std::sqrt(a.variance() + b.variance());
        if (std::abs(a.mean() - b.mean()) > farthest * spread) return true;
      }
    return false;
  }

  // A sum of means that cancels is as exact as its largest term.
  static bool sum_cancels(const Direction& to, const std::vector<Gaussian>& in,
                          const Gaussian& out) {
    constexpr double kDigitsLost = 10;
    return to.rule.claim == Claim::exact && !out.is_uniform() &&
           kDigitsLost * std::max(std::abs(out.mean()), out.std()) < largest(in);
  }

  // A deviation below the rounding of the means it stands beside, as a known maximum leaves it.
  static bool sharper_than_rounding(const std::vector<Gaussian>& in, const Gaussian& out,
                                    double tolerance) {
    return out.is_proper() && out.std() * tolerance < kEpsilon * largest(in);
  }

  // exp(l) turns an absolute rounding of l into a relative one, and its variance doubles it.
  static bool exponent_rounds(const Direction& to, const std::vector<Gaussian>& in,
                              double tolerance) {
    if (to.factor != "log_normal_copy" || to.edge != 0 || in[1].is_uniform()) return false;
    return 2 * (std::abs(in[1].mean()) + in[1].variance()) * kEpsilon > tolerance;
  }

  // What a kink lets through of an input on its other side: the output's variance is a probability
  // in the tail, and as uncertain as in messages_apart.
  static bool output_is_a_tail(const Direction& to, const std::vector<Gaussian>& in,
                               const Gaussian& out) {
    constexpr double kTail = 5e-5;  // below the square of the smallest slope tested here, 0.1
    if (to.edge != 0 || (to.factor != "leaky_relu" && to.factor != "maximum")) return false;
    for (std::size_t k = 1; k < in.size(); ++k)
      if (in[k].is_proper() && out.variance() < kTail * in[k].variance()) return true;
    return false;
  }

  // Neither tau, rho nor the variance may leave the normal numbers of the type.
  static bool beyond_the_type(const Gaussian& out) {
    constexpr double kLargest = std::numeric_limits<T>::max() / 16;
    constexpr double kSmallest = std::numeric_limits<T>::min() * 16;
    const double size = std::abs(out.mean());
    if (!out.is_proper()) return size > kLargest || (size > 0 && size < kSmallest);
    return out.rho() < kSmallest || out.variance() < kSmallest || std::abs(out.tau()) > kLargest ||
           out.rho() > kLargest || out.variance() > kLargest || size > kLargest;
  }

  static double largest(const std::vector<Gaussian>& in) {
    double out = 0;
    for (const Gaussian& m : in)
      if (!m.is_uniform()) out = std::max(out, std::abs(m.mean()));
    return out;
  }

  static bool any(const Direction& to, const std::vector<Gaussian>& in, const Gaussian& message,
                  const Gaussian& belief, double tolerance) {
    const bool tilted = to.rule.claim == Claim::tilted_moments;
    return (tilted &&
            (messages_apart(in, tolerance) || sharper_than_rounding(in, belief, tolerance))) ||
           sum_cancels(to, in, message) || exponent_rounds(to, in, tolerance) ||
           output_is_a_tail(to, in, message) || beyond_the_type(message);
  }
};

template <class T>
Gaussian message_of(const Rows<T>& rows, std::size_t row) {
  return std::isinf(rows.out_rho[row])
             ? Gaussian::point_mass(rows.out_tau[row])
             : Gaussian::from_natural(rows.out_tau[row], rows.out_rho[row]);
}

template <class T>
void expect_close_to_scalar(const Direction& to, SimdLevel level, double tolerance) {
  const auto factor = make_factor(to.factor, to.parameters);
  Rows<T> rows = random_rows<T>(to.edges, kRows, 1);
  send(to, rows, level, Width::vector);
  double worst = 0;
  std::string worst_where;
  std::size_t compared = 0;
  for (std::size_t row = 0; row < kRows; ++row) {
    const std::vector<Gaussian> incoming = rows.incoming(row);
    const Reply expected = factor->send(to.edge, to.rule.rule, incoming);
    const Gaussian belief = claimed(to, incoming[to.edge], expected.message);
    if (IllConditioned<T>::any(to, incoming, expected.message, belief, tolerance)) continue;
    ++compared;
    const double error = distance(belief, claimed(to, incoming[to.edge], message_of(rows, row)));
    if (error > worst) {
      worst = error;
      worst_where = text(incoming) + "-> " + text({expected.message, message_of(rows, row)}) +
                    std::string(to_string(expected.event));
    }
  }
  EXPECT_GT(compared, kRows / 4) << to.name();
  if (level == SimdLevel::best())
    std::printf("[  worst   ] %s, %s: %.1e (%zu rows)\n", to.name().c_str(),
                sizeof(T) == 4 ? "float" : "double", worst, compared);
  EXPECT_LE(worst, tolerance) << to.name() << " on " << level.name() << ": " << worst_where;
}

// Fused and separate multiply-adds differ by rounding, which the formulas magnify a little.
constexpr double kFewRoundings = 1e-11;
constexpr double kFloat = 2e-6;

// The level is an argument: tasks on different levels do not disturb each other.
TEST(Batch, ThreadsOnDifferentLevelsGetTheBitsOfTheirLevel) {
  const std::vector<SimdLevel> levels = SimdLevel::available();
  const Direction to = all_directions().back();
  std::vector<Rows<double>> alone, together;
  for (const SimdLevel level : levels) {
    together.push_back(random_rows<double>(to.edges, kRows, 1));
    alone.push_back(random_rows<double>(to.edges, kRows, 1));
    send(to, alone.back(), level, Width::vector);
  }
  Workers(4).run(levels.size(),
                 [&](std::size_t i) { send(to, together[i], levels[i], Width::vector); });
  for (std::size_t i = 0; i < levels.size(); ++i) {
    EXPECT_EQ(alone[i].out_tau, together[i].out_tau) << levels[i].name();
    EXPECT_EQ(alone[i].out_rho, together[i].out_rho) << levels[i].name();
  }
}

TEST(Batch, DoublesAreTheScalarInterface) {
  for (const SimdLevel level : SimdLevel::available())
    for (const Direction& to : all_directions())
      expect_close_to_scalar<double>(to, level, kFewRoundings);
}

TEST(Batch, FloatsAreDoublesRounded) {
  for (const SimdLevel level : SimdLevel::available())
    for (const Direction& to : all_directions()) expect_close_to_scalar<float>(to, level, kFloat);
}

// x > y: holds for known numbers, is contradicted by others, and is beyond a message where nothing is
// known of y. More rows than a vector has, and some that fill none.
TEST(Batch, EveryRowHasItsOwnEvent) {
  constexpr std::size_t kCount = 19;
  constexpr Event kEvents[] = {Event::none, Event::contradicted, Event::vanished};
  std::vector<double> x_tau(kCount, 0), y_tau(kCount), y_rho(kCount);
  const std::vector<double> x_rho(kCount, kInfinity);
  for (std::size_t row = 0; row < kCount; ++row) {
    y_tau[row] = kEvents[row % 3] == Event::none ? -1 : kEvents[row % 3] == Event::contradicted;
    y_rho[row] = kEvents[row % 3] == Event::vanished ? 0 : kInfinity;
  }
  std::vector<double> tau(kCount), rho(kCount), events(kCount, -1);
  const Batch<double> batch{{{x_tau, x_rho}, {y_tau, y_rho}}, {tau, rho}, {}, events};
  for (const Width width : {Width::vector, Width::one_lane}) {
    std::ranges::fill(events, -1);
    send_many<double>("greater_than", {}, 0, Rule::conditioned, batch, SimdLevel::best(), width);
    for (std::size_t row = 0; row < kCount; ++row)
      EXPECT_EQ(events[row], static_cast<double>(kEvents[row % 3])) << row;
  }
}

TEST(Batch, RefusesArraysOfOtherLengths) {
  std::vector<double> three(3, 1.0), two(2, 1.0);
  const auto attempt = [&](std::vector<MessageArray<const double>> incoming,
                           MessageArray<double> outgoing, std::span<double> log_scale) {
    const Batch<double> batch{std::move(incoming), outgoing, log_scale, {}};
    send_many<double>("gaussian_likelihood", {}, 0, Rule::exact, batch, SimdLevel::best());
  };
  const MessageArray<const double> good{three, three}, bad{three, two};
  EXPECT_NO_THROW(attempt({good, good}, {three, three}, {}));
  EXPECT_THROW(attempt({good}, {three, three}, {}), InvalidArgument);
  EXPECT_THROW(attempt({good, bad}, {three, three}, {}), InvalidArgument);
  EXPECT_THROW(attempt({good, good}, {three, two}, {}), InvalidArgument);
  EXPECT_THROW(attempt({good, good}, {three, three}, two), InvalidArgument);
}

}  // namespace
}  // namespace postrider::graph
