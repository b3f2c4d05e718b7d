#include "factor/likelihoods.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "complaint.h"
#include "factor/density_site.h"
#include "postrider/error.h"

namespace postrider::internal {
namespace {

const std::vector<double> kCuts{-1, 0.3, 2};

// The density of one observation at one point.
double density(std::string_view name, Observations data, std::vector<double> z) {
  const auto rule = likelihood(name, std::move(data));
  const std::vector<std::uint32_t> rows{0};
  std::vector<double> out(1);
  rule->log_density(rows, z, out);
  return std::exp(out[0]);
}

struct Counts {
  const char* name;
  std::vector<double> parameters;
  int levels;
};

class Discrete : public testing::TestWithParam<Counts> {};

TEST_P(Discrete, ProbabilitiesSumToOneWhateverZ) {
  const Counts& of = GetParam();
  for (const double z : {-30.0, -3.0, -0.4, 0.0, 1.1, 3.0, 4.0}) {
    double sum = 0;
    for (int y = 0; y < of.levels; ++y)
      sum += density(of.name, {{static_cast<double>(y)}, of.parameters, {}, {}}, {z});
    EXPECT_NEAR(sum, 1, 1e-9) << z;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Likelihood, Discrete,
    testing::Values(Counts{"bernoulli_logit", {}, 2}, Counts{"bernoulli_probit", {}, 2},
                    Counts{"binomial_logit", {7}, 8}, Counts{"poisson", {}, 400},
                    Counts{"negative_binomial", {2.5}, 6000}, Counts{"ordinal_probit", kCuts, 4},
                    Counts{"ordinal_logit", kCuts, 4}),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST(Likelihood, AreWhatTheirFormulasSay) {
  EXPECT_NEAR(density("bernoulli_logit", {{1}, {}, {}, {}}, {0.5}), 1 / (1 + std::exp(-0.5)),
              1e-14);
  EXPECT_NEAR(density("bernoulli_probit", {{0}, {}, {}, {}}, {0.5}),
              0.5 * std::erfc(0.5 / std::sqrt(2.0)), 1e-12);
  EXPECT_NEAR(density("poisson", {{3}, {}, {}, {}}, {std::log(2.0)}), 8.0 / 6 * std::exp(-2.0),
              1e-14);
  EXPECT_NEAR(density("binomial_logit", {{2}, {5}, {}, {}}, {0}), 10.0 / 32, 1e-13);
  // With mean 4 and dispersion 2 at 0: (r/(r + mean))^r.
  EXPECT_NEAR(density("negative_binomial", {{0}, {2}, {}, {}}, {std::log(4.0)}), 1.0 / 9, 1e-14);
  // Cauchy of width 2, at its width.
  EXPECT_NEAR(density("student_t", {{3}, {2}, {1}, {}}, {1}), 1 / (4 * std::numbers::pi), 1e-14);
  EXPECT_NEAR(density("ordinal_logit", {{1}, kCuts, {}, {}}, {0}),
              1 / (1 + std::exp(-0.3)) - 1 / (1 + std::exp(1.0)), 1e-13);
  EXPECT_NEAR(density("log_variance", {{1}, {}, {}, {}}, {std::log(4.0)}),
              std::exp(-0.125) / std::sqrt(8 * std::numbers::pi), 1e-14);
  EXPECT_NEAR(density("normal_log_variance", {{1}, {}, {}, {}}, {std::log(4.0), 0}),
              std::exp(-0.125) / std::sqrt(8 * std::numbers::pi), 1e-14);
  EXPECT_NEAR(density("normal_product", {{1}, {2}, {}, {}}, {3, 1}),
              std::exp(-0.5) / std::sqrt(8 * std::numbers::pi), 1e-14);
  EXPECT_NEAR(density("item_probit", {{1}, {}, {}, {}}, {2, -0.25}),
              0.5 * std::erfc(0.5 / std::sqrt(2.0)), 1e-12);
}

TEST(Likelihood, OffsetsAreAddedToTheLastEdgeOrToBoth) {
  EXPECT_EQ(density("poisson", {{3}, {}, {}, {0.7}}, {0.3}),
            density("poisson", {{3}, {}, {}, {}}, {1.0}));
  EXPECT_EQ(density("normal_product", {{3}, {1}, {}, {0.5}}, {2, 0.25}),
            density("normal_product", {{3}, {1}, {}, {}}, {2, 0.75}));
  EXPECT_EQ(density("item_probit", {{1}, {}, {}, {0.5}}, {2, 0.25}),
            density("item_probit", {{1}, {}, {}, {}}, {2, 0.75}));
}

TEST(Likelihood, OffsetsOfBothEdgesMoveTheTiltedBelief) {
  const std::vector<std::uint32_t> rows{0};
  std::vector<SiteMoments> cavity(1), moved(1);
  for (std::size_t i = 0; i < 2; ++i) cavity[0].covariance(i, i) = moved[0].covariance(i, i) = 1;
  moved[0].mean = {0.5, -0.25};
  for (const char* name : {"normal_product", "normal_log_variance", "item_probit"}) {
    const std::vector<double> deviation(name == std::string("normal_product") ? 1 : 0, 0.7);
    std::vector<Tilted> with(1), without(1);
    likelihood(name, {{1}, deviation, {}, {0.5, -0.25}})->tilt(rows, cavity, with);
    likelihood(name, {{1}, deviation, {}, {}})->tilt(rows, moved, without);
    ASSERT_TRUE(with[0].is_found && without[0].is_found) << name;
    EXPECT_NEAR(with[0].moments.mean[0] + 0.5, without[0].moments.mean[0], 1e-9) << name;
    EXPECT_NEAR(with[0].moments.mean[1] - 0.25, without[0].moments.mean[1], 1e-9) << name;
    EXPECT_NEAR(with[0].log_mass, without[0].log_mass, 1e-9) << name;
  }
}

// Integrals over one edge in closed form are those of a lattice over both.
class Nested : public testing::TestWithParam<const char*> {};

TEST_P(Nested, TiltsAsALatticeOverBothEdgesDoes) {
  const std::string name = GetParam();
  const Observations data{
      {1, 0, 1},
      name == "normal_product" ? std::vector<double>{0.6} : std::vector<double>{},
      {},
      {0.2, 0, -0.4}};
  const std::shared_ptr<const SiteRule> nested = likelihood(name, data);
  const auto lattice = density_site(
      [&](std::span<const std::uint32_t> rows, std::size_t nodes, std::span<const double> z,
          std::span<double> out) {
        for (std::size_t k = 0; k < out.size(); ++k)
          nested->log_density(rows.subspan(k / nodes, 1), z.subspan(2 * k, 2), out.subspan(k, 1));
      },
      2);
  std::vector<SiteMoments> cavities(3);
  for (std::size_t row = 0; row < 3; ++row) {
    cavities[row].mean = {0.8 - 0.5 * static_cast<double>(row), 0.4};
    cavities[row].covariance(0, 0) = 0.5, cavities[row].covariance(1, 1) = 1.2;
    cavities[row].covariance(0, 1) = cavities[row].covariance(1, 0) = 0.3;
  }
  const std::vector<std::uint32_t> rows{0, 1, 2};
  std::vector<Tilted> found(3), expected(3);
  nested->tilt(rows, cavities, found);
  lattice->tilt(rows, cavities, expected);
  for (std::size_t row = 0; row < 3; ++row) {
    ASSERT_TRUE(found[row].is_found && expected[row].is_found);
    EXPECT_NEAR(found[row].log_mass, expected[row].log_mass, 1e-5);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(found[row].moments.mean[i], expected[row].moments.mean[i], 1e-5);
      for (std::size_t j = 0; j < 2; ++j)
        EXPECT_NEAR(found[row].moments.covariance(i, j), expected[row].moments.covariance(i, j),
                    1e-4);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Likelihood, Nested,
                         testing::Values("normal_log_variance", "normal_product", "item_probit"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST(Likelihood, SaysWhatItDoesNotTake) {
  const auto refused = [](std::string_view name, Observations data) {
    return complaint([&] { likelihood(name, std::move(data)); });
  };
  EXPECT_EQ(refused("bernoulli_logit", {{0, 0.5}, {}, {}, {}}),
            "observed[1] = 0.5: must be 0 or 1");
  EXPECT_EQ(refused("poisson", {{-1}, {}, {}, {}}),
            "observed[0] = -1: must be a whole number of at least 0");
  EXPECT_EQ(refused("binomial_logit", {{6}, {5}, {}, {}}),
            "observed[0] = 6: must be a whole number from 0 to 5");
  EXPECT_EQ(refused("ordinal_probit", {{3}, {0, 1}, {}, {}}),
            "observed[0] = 3: must be a level from 0 to 2");
  EXPECT_EQ(refused("ordinal_probit", {{0}, {1, 1}, {}, {}}),
            "cuts = 1: must be finite and above the one before");
  EXPECT_EQ(refused("student_t", {{0}, {0}, {3}, {}}), "scale = 0: must be above 0");
  EXPECT_EQ(refused("student_t", {{std::nan("")}, {1}, {3}, {}}),
            "observed[0] = nan: must be finite");
  EXPECT_NE(refused("gauss", {}).find("must be one of bernoulli_logit, "), std::string::npos);
}

}  // namespace
}  // namespace postrider::internal
