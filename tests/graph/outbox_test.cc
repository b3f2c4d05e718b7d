// Messages that are sent together, against the same messages sent one by one: equal to the bit.
#include "graph/outbox.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/random.h"
#include "postrider/error.h"
#include "postrider/graph/factor_graph.h"

namespace postrider::graph {
using namespace internal;
namespace {

constexpr std::size_t kRows = 700;       // more than wait together
constexpr std::size_t kManyRows = 9000;  // more than threads take at once

struct Plated {
  FactorGraph graph;
  std::vector<FactorNode> plates;
  std::vector<std::size_t> rows, arity;

  FactorNode add(std::shared_ptr<const Factor> factor, const std::vector<Variable>& variables) {
    arity.push_back(factor->info().edges.size());
    rows.push_back(variables.size() / arity.back());
    plates.push_back(graph.add_plate(std::move(factor), variables));
    return plates.back();
  }
};

Variable at(Variable first, std::size_t i) { return {first.index + static_cast<std::uint32_t>(i)}; }

// How rows of a plate z = x y, or of its like, hang together.
enum class Sharing { none, target, input, chain };

// A plate of products between variables of random priors, some of them observed, and a plate of
// noisy sightings on top.
Plated products(Sharing sharing, Rule rule, std::uint64_t seed, std::size_t count = kRows) {
  Plated out;
  RandomStream random(seed, 0);
  const Variable first = out.graph.add_variables(4 * count);
  for (std::size_t i = 0; i < 4 * count; ++i) {
    const double mean = 1 + random.normal();
    if (random.uniform() < 0.1)
      out.graph.observe(at(first, i), mean);
    else
      out.graph.set_prior(at(first, i), Gaussian::from_moments(mean, random.log_uniform(0.1, 10)));
  }
  std::vector<Variable> rows, sightings;
  for (std::size_t i = 0; i < count; ++i) {
    Variable z = at(first, i), x = at(first, count + i), y = at(first, 2 * count + i);
    if (sharing == Sharing::target) x = at(first, count + i % 20);
    if (sharing == Sharing::input) y = at(first, 2 * count + i % 20);
    if (sharing == Sharing::chain && i % 3 > 0) x = at(first, i - 1);
    rows.insert(rows.end(), {z, x, y});
    sightings.insert(sightings.end(), {at(first, 3 * count + i), z});
  }
  const FactorNode node = out.add(make_factor("product"), rows);
  for (const std::size_t edge : {1, 2}) out.graph.set_rule(node, edge, rule);
  out.graph.set_policy(node, ImproperPolicy::skip);  // observations may contradict each other
  out.add(make_factor("gaussian_likelihood"), sightings);
  return out;
}

void expect_equal(const Record& a, const Record& b) {
  EXPECT_EQ(a.messages, b.messages);
  EXPECT_EQ(a.converged, b.converged);
  EXPECT_EQ(a.change, b.change);
  EXPECT_EQ(a.events, b.events);
  EXPECT_EQ(a.improper, b.improper);
  EXPECT_EQ(a.skipped, b.skipped);
  EXPECT_EQ(a.damped, b.damped);
  EXPECT_EQ(a.improper_edges, b.improper_edges);
}

void expect_equal(const Plated& a, const Plated& b) {
  for (std::uint32_t v = 0; v < a.graph.variable_count(); ++v)
    ASSERT_EQ(a.graph.marginal({v}), b.graph.marginal({v})) << "variable " << v;
  for (std::size_t p = 0; p < a.plates.size(); ++p)
    for (std::uint32_t row = 0; row < a.rows[p]; ++row)
      for (std::size_t edge = 0; edge < a.arity[p]; ++edge) {
        const FactorNode node{a.plates[p].index + row};
        ASSERT_EQ(a.graph.message(node, edge), b.graph.message(node, edge))
            << "plate " << p << " row " << row << " edge " << edge;
      }
}

void send_singly(Plated& plated, std::size_t plate, std::size_t edge, Record& record) {
  for (std::uint32_t row = 0; row < plated.rows[plate]; ++row)
    plated.graph.send({plated.plates[plate].index + row}, edge, record);
}

TEST(Outbox, PlatesSendWhatTheirRowsSendOneByOne) {
  for (const Sharing sharing : {Sharing::none, Sharing::target, Sharing::input, Sharing::chain})
    for (const Rule rule : {Rule::direct, Rule::conditioned}) {
      SCOPED_TRACE(static_cast<int>(sharing));
      Plated together = products(sharing, rule, 1), singly = products(sharing, rule, 1);
      Record of_together, of_singly;
      for (int round = 0; round < 3; ++round)
        for (const auto& [plate, edge] : {std::pair{1, 1}, {0, 0}, {0, 1}, {0, 2}, {1, 0}}) {
          // Any row stands for its plate.
          const FactorNode node{together.plates[plate].index + static_cast<std::uint32_t>(round)};
          together.graph.send_plate(node, edge, of_together);
          send_singly(singly, plate, edge, of_singly);
          expect_equal(together, singly);
        }
      expect_equal(of_together, of_singly);
      EXPECT_EQ(of_together.messages, 15 * kRows);
    }
}

TEST(PlatePass, ThreadsChangeNoBit) {
  for (const Sharing sharing : {Sharing::none, Sharing::target, Sharing::chain}) {
    SCOPED_TRACE(static_cast<int>(sharing));
    Plated one = products(sharing, Rule::conditioned, 3, kManyRows),
           three = products(sharing, Rule::conditioned, 3, kManyRows);
    Schedule schedule = Schedule::sweeps(3);
    const Record of_one = one.graph.run(schedule);
    schedule.threads = 3;
    expect_equal(of_one, three.graph.run(schedule));
    expect_equal(one, three);
  }
}

// y ~ N(3, 1), x ~ N(0, 1), y = x + N(0, 1): undamped x hears N(3, 2). Half of what is new, twice, leaves 3/4 of its precision.
TEST(PlatePass, IsDamped) {
  FactorGraph graph;
  std::vector<Variable> rows;
  for (int row = 0; row < 2; ++row) {
    const Variable y = graph.add_variable(), x = graph.add_variable();
    graph.set_prior(y, Gaussian::from_moments(3, 1));
    graph.set_prior(x, Gaussian::from_moments(0, 1));
    rows.insert(rows.end(), {y, x});
  }
  const FactorNode node = graph.add_plate(make_factor("gaussian_likelihood"), rows);
  graph.run(Schedule::sweeps(1, 0, 0.5));
  EXPECT_DOUBLE_EQ(graph.message(node, 1).rho(), 0.375);
  EXPECT_DOUBLE_EQ(graph.message(node, 1).mean(), 3);
}

// Only the first of many rows has anything to say.
TEST(PlatePass, ChangesByTheRowThatChangesMost) {
  FactorGraph graph;
  const Variable first = graph.add_variables(2 * kManyRows);
  std::vector<Variable> rows;
  for (std::size_t i = 0; i < 2 * kManyRows; ++i) rows.push_back(at(first, i));
  graph.set_prior(rows[0], Gaussian::from_moments(3, 1));
  graph.add_plate(make_factor("gaussian_likelihood"), rows);
  const Record record = graph.run(Schedule::sweeps(5));
  EXPECT_GT(record.change.front(), 0);
  EXPECT_TRUE(record.converged);
}

// What run(Schedule::sweeps) says it does, by single messages.
void sweep_singly(Plated& plated, const std::function<bool(Variable)>& is_free, Record& record,
                  const std::vector<std::vector<Variable>>& variables) {
  struct Step {
    FactorNode node;
    std::size_t edge;
  };
  std::vector<Step> steps;
  for (std::size_t p = 0; p < plated.plates.size(); ++p)
    for (std::size_t i = 0; i < variables[p].size(); ++i)
      if (is_free(variables[p][i]))
        steps.push_back({{plated.plates[p].index + static_cast<std::uint32_t>(i / plated.arity[p])},
                         i % plated.arity[p]});
  for (std::size_t i = 0; i < steps.size(); ++i)
    plated.graph.send(steps[i].node, steps[i].edge, record);
  for (std::size_t i = steps.size(); i-- > 0;)
    plated.graph.send(steps[i].node, steps[i].edge, record);
}

// Rows that share nothing (the sightings), a variable that all rows send to, and rows that hear each
// other: the order of the sweeps is that of the edges.
TEST(Outbox, SweepsAreThoseOfSingleMessages) {
  for (const Rule rule : {Rule::direct, Rule::conditioned}) {
    std::vector<std::vector<Variable>> variables(3);
    const auto make = [&] {
      Plated out;
      RandomStream random(3, 0);
      for (auto& rows : variables) rows.clear();
      const Variable weight = out.graph.add_variables(3), value = out.graph.add_variables(kRows),
                     seen = out.graph.add_variables(kRows), input = out.graph.add_variables(kRows);
      for (std::size_t i = 0; i < 3; ++i)
        out.graph.set_prior(at(weight, i), Gaussian::from_moments(random.normal(), 1));
      for (std::size_t i = 0; i < kRows; ++i) {
        variables[0].insert(variables[0].end(), {at(value, i), at(weight, i % 3), at(input, i)});
        variables[1].insert(variables[1].end(), {at(seen, i), at(value, i)});
        variables[2].push_back(at(weight, i % 3));
        out.graph.observe(at(input, i), 1 + random.normal());
        if (i % 5 > 0) out.graph.observe(at(seen, i), random.normal());
      }
      const FactorNode node = out.add(make_factor("product"), variables[0]);
      out.graph.set_rule(node, 1, rule);
      out.add(make_factor("gaussian_likelihood"), variables[1]);
      out.add(make_factor("probit"), variables[2]);
      return out;
    };
    Plated swept = make(), singly = make();
    const std::uint32_t first_seen = 3 + kRows, first_input = first_seen + kRows;
    const auto is_free = [&](Variable v) {
      return v.index < first_seen || (v.index < first_input && (v.index - first_seen) % 5 == 0);
    };
    for (int sweep = 0; sweep < 3; ++sweep) {
      Record record;
      sweep_singly(singly, is_free, record, variables);
      EXPECT_EQ(swept.graph.run(Schedule::sweeps(1, 0)).messages, record.messages);
      expect_equal(swept, singly);
    }
  }
}

// A factor of a user's that has no message for a row whose x is 13, a negative precision where x is
// odd, and else tells y what x is.
class Moody final : public Factor {
 public:
  const FactorInfo& info() const override { return info_; }
  Reply send(std::size_t, Rule, std::span<const Gaussian> in) const override {
    const double x = in[1].mean();
    if (x == 13) throw Error("unlucky");
    const bool is_odd = std::fmod(x, 2) == 1;
    return {is_odd ? Gaussian::from_natural(x, -2) : Gaussian::from_moments(x, 1),
            {},
            is_odd ? Event::linearised : Event::none};
  }
  double evaluate(std::span<const double>) const override { return 0; }

 private:
  FactorInfo info_{"moody",
                   "1",
                   FactorKind::density,
                   {{"y", {{Rule::direct, Claim::approximate, false}}, true},
                    {"x", {{Rule::direct, Claim::approximate, false}}, true}}};
};

Plated moody(std::size_t rows, double first, ImproperPolicy policy) {
  Plated out;
  const Variable y = out.graph.add_variables(rows), x = out.graph.add_variables(rows);
  std::vector<Variable> variables;
  for (std::size_t i = 0; i < rows; ++i) {
    variables.insert(variables.end(), {at(y, i), at(x, i)});
    out.graph.observe(at(x, i), first + static_cast<double>(i));
  }
  out.graph.set_policy(out.add(std::make_shared<Moody>(), variables), policy);
  return out;
}

TEST(Outbox, PoliciesDoWhatTheyDoForSingleMessages) {
  for (const ImproperPolicy policy : {ImproperPolicy::skip, ImproperPolicy::damp}) {
    Plated together = moody(kRows, 14, policy), singly = moody(kRows, 14, policy);
    Record of_together, of_singly;
    const auto send_both = [&] {
      together.graph.send_plate(together.plates[0], 0, of_together);
      send_singly(singly, 0, 0, of_singly);
    };
    send_both();
    EXPECT_EQ(of_together.improper, kRows / 2);
    EXPECT_EQ(of_together.skipped, kRows / 2);
    EXPECT_EQ(of_together.improper_edges.size(), 10U);
    EXPECT_EQ(of_together.improper_edges[0], "moody[1] -> x1");
    EXPECT_EQ(of_together.events[static_cast<std::size_t>(Event::linearised)], kRows / 2);
    // Now the odd ones are even and have said something to go half the way from.
    for (Plated* plated : {&together, &singly})
      for (std::size_t i = 0; i < kRows; ++i)
        plated->graph.observe(at({kRows}, i), static_cast<double>(15 + i));
    send_both();
    EXPECT_EQ(of_together.damped, policy == ImproperPolicy::damp ? kRows / 2 : 0);
    expect_equal(of_together, of_singly);
    expect_equal(together, singly);
  }
}

// Counts its calls, and may end one with what is not an error of the library.
class Counting final : public Factor {
 public:
  explicit Counting(std::size_t messages_per_call) : messages_per_call_(messages_per_call) {}
  const FactorInfo& info() const override { return moody_.info(); }
  Reply send(std::size_t, Rule, std::span<const Gaussian>) const override {
    ++single_calls;
    return {};
  }
  void send_many(std::size_t, Rule, std::span<const Gaussian>, const Replies&) const override {
    ++calls;
    if (interrupted) throw 13;
  }
  std::size_t messages_per_call() const override { return messages_per_call_; }
  double evaluate(std::span<const double>) const override { return 0; }

  mutable std::size_t calls = 0, single_calls = 0;
  bool interrupted = false;

 private:
  Moody moody_;
  std::size_t messages_per_call_;
};

Plated counted(std::shared_ptr<const Factor> factor) {
  Plated out;
  const Variable y = out.graph.add_variables(kRows), x = out.graph.add_variables(kRows);
  std::vector<Variable> variables;
  for (std::size_t i = 0; i < kRows; ++i) variables.insert(variables.end(), {at(y, i), at(x, i)});
  out.add(std::move(factor), variables);
  return out;
}

TEST(Outbox, AFactorSaysHowManyMessagesACallTakes) {
  const auto calls_of = [](std::size_t messages_per_call) {
    const auto factor = std::make_shared<Counting>(messages_per_call);
    Plated plated = counted(factor);
    plated.graph.send_plate(plated.plates[0], 0);
    return factor->calls;
  };
  EXPECT_EQ(calls_of(2 * kRows), 1U);
  EXPECT_EQ(calls_of(kRows), 2U);
  const auto singly = std::make_shared<Counting>(1);
  Plated plated = counted(singly);
  plated.graph.send_plate(plated.plates[0], 0);
  EXPECT_EQ(singly->single_calls, kRows);
}

TEST(Outbox, WhatIsNotOursIsNotTriedAgain) {
  const auto factor = std::make_shared<Counting>(2 * kRows);
  factor->interrupted = true;
  Plated plated = counted(factor);
  EXPECT_THROW(plated.graph.send_plate(plated.plates[0], 0), int);
  EXPECT_EQ(factor->calls, 1U);
  EXPECT_EQ(factor->single_calls, 0U);
}

// Rows before the one that fails are sent, those behind it are not.
TEST(Outbox, FailuresAreThoseOfSingleMessages) {
  for (const double first : {14.0, 12.0}) {  // refused by the policy; thrown by the factor
    Plated together = moody(20, first, ImproperPolicy::refuse),
           singly = moody(20, first, ImproperPolicy::refuse);
    Record of_together, of_singly;
    const auto failure = [](const std::function<void()>& send) {
      try {
        send();
      } catch (const Error& error) {
        return std::string(error.what());
      }
      return std::string("none");
    };
    const std::string expected = failure([&] { send_singly(singly, 0, 0, of_singly); });
    EXPECT_NE(expected, "none");
    EXPECT_EQ(failure([&] { together.graph.send_plate(together.plates[0], 0, of_together); }),
              expected);
    expect_equal(of_together, of_singly);
    expect_equal(together, singly);
    EXPECT_FALSE(together.graph.message(together.plates[0], 0).is_uniform());
    // Nothing of it is left waiting.
    together.graph.set_policy(together.plates[0], ImproperPolicy::skip);
    together.graph.observe(at({20}, 1), 2);
    Record after;
    together.graph.send_plate(together.plates[0], 0, after);
    EXPECT_EQ(after.messages, 20U);
  }
}

TEST(Outbox, SaysWhatChangedMost) {
  GraphState state;
  const Index first = state.add_variables(3);
  const std::vector<Variable> variables{{first}, {first + 1}, {first + 2}};
  state.add_plate(make_factor("gaussian_prior"), variables);
  Record record;
  Outbox outbox(state, 0, record);
  for (const Index edge : {0U, 1U, 2U}) outbox.send(edge);
  EXPECT_EQ(outbox.finish(), 1);
  EXPECT_EQ(outbox.finish(), 0);
  for (const Index edge : {0U, 1U, 2U}) outbox.send(edge);
  EXPECT_EQ(outbox.finish(), 0);
  EXPECT_EQ(record.messages, 6U);
}

}  // namespace
}  // namespace postrider::graph
