// The list of factors as a user sees it: names, mistakes, and every state in every slot.
#include <gtest/gtest.h>

#include "complaint.h"
#include "factor/cases.h"
#include "factor/reference.h"
#include "postrider/error.h"
#include "postrider/graph/factor.h"

namespace postrider::graph {
using namespace internal;
namespace {

using namespace reference;

TEST(Library, UnknownFactorListsThoseThatExist) {
  const std::string message = complaint([] { make_factor("softmax"); });
  EXPECT_NE(message.find("no factor 'softmax'"), std::string::npos) << message;
  for (const std::string& name : factor_names())
    EXPECT_NE(message.find(name), std::string::npos) << message;
}

TEST(Library, NamesAreThoseOfTheFactors) {
  EXPECT_GE(factor_names().size(), 9U);
  for (const std::string& name : factor_names()) EXPECT_EQ(make_factor(name)->info().name, name);
}

TEST(Library, WrongNumberOfMessagesIsRefused) {
  for (const std::string& name : factor_names()) {
    const auto factor = make_factor(name);
    const std::vector<Gaussian> incoming(factor->info().edges.size() + 1);
    const std::string message =
        complaint([&] { factor->send(0, factor->info().edges[0].rules[0].rule, incoming); });
    EXPECT_NE(message.find("one message per edge"), std::string::npos) << message;
  }
}

// z = 1 x_1 + ... + 12 x_12 with x_k ~ N(k, 1): mean and variance are both the sum of the squares.
TEST(Library, AFactorMayHaveManyEdges) {
  constexpr double kSquares = 650;  // 12 * 13 * 25 / 6
  std::vector<double> weights;
  std::vector<Gaussian> incoming(1);
  for (int k = 1; k <= 12; ++k) {
    weights.push_back(k);
    incoming.push_back(Gaussian::from_moments(k, 1));
  }
  const Reply reply = make_factor("linear", {{"weights", weights}})->send(0, Rule::exact, incoming);
  EXPECT_DOUBLE_EQ(reply.message.mean(), kSquares);
  EXPECT_DOUBLE_EQ(reply.message.variance(), kSquares);
}

// All combinations of uniform, point masses, ordinary and extreme messages.
TEST(Library, EveryStateInEverySlotGivesAValidMessage) {
  const std::vector<Gaussian> corners = corner_messages();
  for (const std::string& name : factor_names()) {
    const auto factor = make_factor(name);
    const std::size_t edges = factor->info().edges.size();
    std::size_t combinations = 1;
    for (std::size_t k = 0; k < edges; ++k) combinations *= corners.size();
    for (std::size_t index = 0; index < combinations; ++index) {
      std::vector<Gaussian> incoming;
      for (std::size_t k = 0, rest = index; k < edges; ++k, rest /= corners.size())
        incoming.push_back(corners[rest % corners.size()]);
      for (std::size_t edge = 0; edge < edges; ++edge)
        for (const RuleInfo& rule : factor->info().edges[edge].rules) {
          const std::string where = name + " edge " + std::to_string(edge) + ' ' +
                                    std::string(to_string(rule.rule)) + ": " + text(incoming);
          try {
            const Reply reply = factor->send(edge, rule.rule, incoming);
            expect_valid(reply, where);
            EXPECT_EQ(reply.log_scale.has_value(), rule.has_log_scale) << where;
          } catch (const Error& error) {
            ADD_FAILURE() << where << ": " << error.what();
          }
        }
    }
  }
}

}  // namespace
}  // namespace postrider::graph
