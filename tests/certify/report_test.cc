// How a certificate looks, to people and to programs.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "postrider/graph/certify.h"

namespace postrider::graph {
namespace {

using nlohmann::json;

// Numbers with all their digits, so that a round trip has something to lose.
const std::vector<double> kDeviation{0.5, 0.25, 1.0 / 3};
const std::vector<double> kDistance{1.0 / 7, 1e-5 / 3, 1e-300};
const std::vector<double> kKl{2.0 / 3, 0.5, 0.4};
constexpr double kMomentError = 1.2345678901234567e-15;
constexpr double kLogScaleError = 1.0 / 11;
constexpr double kMaxRatio = 0.97654321098765432;

// One edge with everything, one with as little as there can be.
Certificate certificate() {
  EdgeCertificate full{"y",
                       {Rule::conditioned, Claim::tilted_moments, true},
                       Exactness{39, 1, kMomentError, kLogScaleError},
                       Consistency{kDeviation, {kDistance, 2.0004}, {kKl, 0.1}},
                       Properness{1000, 3, 2, {}},
                       MasterTheorem{40, 0, kMaxRatio},
                       {}};
  full.properness.events[static_cast<std::size_t>(Event::linearised)] = 17;
  full.properness.events[static_cast<std::size_t>(Event::contradicted)] = 4;
  EdgeCertificate bare{"x", {Rule::exact, Claim::exact, false}, {}, {}, {}, {}, {}};
  return {"thing", "y = g(x)", {full, bare}};
}

Certificate failed() {
  Certificate out = certificate();
  out.edges[0].failures = {"3 negative precisions", "2 NaN"};
  return out;
}

std::string line_with(const std::string& text, const std::string& part) {
  const std::size_t at = text.find(part);
  if (at == std::string::npos) return "no line with " + part;
  const std::size_t begin = text.rfind('\n', at) + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

TEST(Text, IsATable) {
  EXPECT_EQ(
      to_text(certificate()),
      "thing: y = g(x)\n"
      "\n"
      "  to  rule         claim              error  distance         KL     properness  master  "
      "events\n"
      "  y   conditioned  tilted moments   1.2e-15    e^2.00 -> 4.0e-01   3 neg, 2 NaN   0.977  "
      "17 linearised, 4 contradicted\n"
      "  x   exact        exact                  -         -          -   0 neg, 0 NaN       -  "
      "none\n"
      "\n"
      "  no inconsistency found in 1082 messages\n");  // 1000 + 39 + 3 + 40
}

TEST(Text, ListsFailuresUnderTheirEdge) {
  const std::string text = to_text(failed());
  const std::size_t edge = text.find("  y   conditioned"), next = text.find("  x   exact");
  const std::size_t first = text.find("      FAILED: 3 negative precisions\n");
  const std::size_t second = text.find("      FAILED: 2 NaN\n");
  ASSERT_NE(second, std::string::npos) << text;
  EXPECT_LT(edge, first);
  EXPECT_LT(first, second);
  EXPECT_LT(second, next);
  EXPECT_TRUE(text.ends_with("\n  INCONSISTENT: 2 of the checks failed, in 1082 messages\n"))
      << text;
}

TEST(Text, SaysWhyThereIsNoNumber) {
  Certificate special = certificate();
  special.edges[0].exactness->compared = 0;
  special.edges[0].consistency->distance.rate.reset();
  special.edges[0].consistency->marginal_kl = {};
  special.edges[0].master_theorem->configurations = 0;
  EXPECT_EQ(
      line_with(to_text(special), "conditioned").substr(0, 93),
      "  y   conditioned  tilted moments   guarded     exact          -   3 neg, 2 NaN   exact"
      "  17 l");
}

TEST(Json, KeepsEveryDigit) {
  const json all = json::parse(to_json(certificate()));
  EXPECT_EQ(all["factor"], "thing");
  EXPECT_EQ(all["formula"], "y = g(x)");
  EXPECT_EQ(all["passed"], true);
  EXPECT_EQ(all["messages"], 1082);
  ASSERT_EQ(all["edges"].size(), 2U);
  const json& edge = all["edges"][0];
  EXPECT_EQ(edge["edge"], "y");
  EXPECT_EQ(edge["rule"], "conditioned");
  EXPECT_EQ(edge["claim"], "tilted moments");
  EXPECT_EQ(edge["exactness"], (json{{"compared", 39},
                                     {"guarded", 1},
                                     {"worst_moment_error", kMomentError},
                                     {"worst_log_scale_error", kLogScaleError}}));
  EXPECT_EQ(edge["consistency"]["std"].get<std::vector<double>>(), kDeviation);
  EXPECT_EQ(edge["consistency"]["distance"]["error"].get<std::vector<double>>(), kDistance);
  EXPECT_EQ(edge["consistency"]["distance"]["rate"].get<double>(), 2.0004);
  EXPECT_EQ(edge["consistency"]["marginal_kl"]["error"].get<std::vector<double>>(), kKl);
  EXPECT_EQ(edge["properness"], (json{{"evaluations", 1000},
                                      {"negative_precisions", 3},
                                      {"nans", 2},
                                      {"events",
                                       {{"linearised", 17},
                                        {"vanished", 0},
                                        {"overflowed", 0},
                                        {"contradicted", 4},
                                        {"held", 0}}}}));
  EXPECT_EQ(edge["master_theorem"],
            (json{{"configurations", 40}, {"violations", 0}, {"max_ratio", kMaxRatio}}));
  EXPECT_TRUE(edge["failures"].empty());
}

TEST(Json, WhatIsAbsentIsNull) {
  Certificate rateless = certificate();
  rateless.edges[0].consistency->distance.rate.reset();
  const json all = json::parse(to_json(rateless));
  EXPECT_TRUE(all["edges"][0]["consistency"]["distance"]["rate"].is_null());
  for (const char* part : {"exactness", "consistency", "master_theorem"})
    EXPECT_TRUE(all["edges"][1][part].is_null()) << part;
}

TEST(Json, CarriesFailures) {
  const json all = json::parse(to_json(failed()));
  EXPECT_EQ(all["passed"], false);
  EXPECT_EQ(all["edges"][0]["failures"], (json{"3 negative precisions", "2 NaN"}));
}

}  // namespace
}  // namespace postrider::graph
