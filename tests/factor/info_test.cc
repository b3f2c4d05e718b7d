#include <gtest/gtest.h>

#include "postrider/error.h"
#include "postrider/graph/factor.h"

namespace postrider::graph {
namespace {

TEST(Info, NamesAreDistinct) {
  EXPECT_EQ(to_string(Rule::exact), "exact");
  EXPECT_EQ(to_string(Rule::direct), "direct");
  EXPECT_EQ(to_string(Rule::conditioned), "conditioned");
  EXPECT_EQ(to_string(Claim::tilted_moments), "tilted moments");
  EXPECT_EQ(to_string(Claim::approximate), "approximate");
  EXPECT_EQ(to_string(Event::none), "none");
  EXPECT_EQ(to_string(Event::contradicted), "contradicted");
}

TEST(Info, WrongEdgeListsTheEdges) {
  try {
    make_factor("product")->info().find(3, Rule::direct);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "product: no edge 3; there are: z, x, y");
  }
}

TEST(Info, WrongRuleListsTheRules) {
  try {
    make_factor("product")->info().find(1, Rule::exact);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(),
                 "product: no rule 'exact' towards edge x, where the exact message may have "
                 "infinite mass; use conditioned or direct");
  }
}

TEST(Info, WantedRuleOrTheDefault) {
  const auto product = make_factor("product");
  EXPECT_EQ(product->info().rule_or_default(1, Rule::direct), Rule::direct);
  EXPECT_EQ(product->info().rule_or_default(1, Rule::exact), Rule::conditioned);
  EXPECT_EQ(product->info().rule_or_default(0, Rule::conditioned), Rule::direct);
}

TEST(Info, FirstRuleIsTheDefaultAndIsFound) {
  for (const std::string& name : factor_names()) {
    const auto factor = make_factor(name);
    EXPECT_FALSE(factor->info().formula.empty()) << name;
    for (std::size_t edge = 0; edge < factor->info().edges.size(); ++edge) {
      ASSERT_FALSE(factor->info().edges[edge].rules.empty()) << name;
      for (const RuleInfo& rule : factor->info().edges[edge].rules)
        EXPECT_EQ(factor->info().find(edge, rule.rule).claim, rule.claim) << name;
    }
  }
}

}  // namespace
}  // namespace postrider::graph
