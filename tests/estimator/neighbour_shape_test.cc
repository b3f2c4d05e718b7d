// Regressors whose residuals are alike among neighbours.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "base/random.h"
#include "postrider/error.h"
#include "postrider/regressor.h"

namespace postrider {
using namespace internal;
namespace {

struct Rows {
  std::vector<double> x, y;
  std::size_t count() const { return y.size(); }
  operator Inputs() const { return Inputs(x, count(), 2); }
};

constexpr double kNoise = 0.3;

// A line, and an effect of each of 60 codes in no order, which few units cannot learn: y = x + b_code + noise.
Rows with_codes(std::size_t count, std::uint64_t seed) {
  RandomStream effects(1, 1), random(seed, 0);
  std::vector<double> effect;
  for (int code = 0; code < 60; ++code) effect.push_back(effects.normal());
  Rows out;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = random.uniform(-2, 2);
    const auto code = static_cast<std::size_t>(random.uniform() * 60);
    out.x.push_back(x);
    out.x.push_back(static_cast<double>(code));
    out.y.push_back(x + effect[code] + kNoise * random.normal());
  }
  return out;
}

EstimatorOptions options_of(bool learned_shape) {
  EstimatorOptions out;
  out.hidden = {10};
  out.ensemble_size = 8;
  out.encoding = Encoding::standard;
  out.target_scale = EstimatorOptions::TargetScale::plain;
  out.learned_shape = learned_shape;
  out.training.max_epochs = 10;
  return out;
}

class NeighbourShapes : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const Rows training = with_codes(900, 1);
    shaped_ = new Regressor(options_of(true));
    plain_ = new Regressor(options_of(false));
    shaped_->fit(training, training.y);
    plain_->fit(training, training.y);
  }
  static void TearDownTestSuite() {
    delete shaped_;
    delete plain_;
  }
  static inline Regressor *shaped_ = nullptr, *plain_ = nullptr;
  const Rows held_out = with_codes(1000, 2);
};

double error_of(const Regressor& model, const Rows& rows) {
  const Forecast found = model.predict(rows);
  double out = 0;
  for (std::size_t i = 0; i < rows.count(); ++i)
    out += std::pow(found.mean[i] - rows.y[i], 2) / static_cast<double>(rows.count());
  return std::sqrt(out);
}

// Without codes the error is about sqrt(1 + 0.3^2) = 1.04 and with all effects known 0.3.
TEST_F(NeighbourShapes, PredictNewRowsBetter) {
  EXPECT_LT(error_of(*shaped_, held_out), 0.7 * error_of(*plain_, held_out));
  const double shaped = shaped_->log_likelihood(held_out, held_out.y);
  EXPECT_GT(shaped, plain_->log_likelihood(held_out, held_out.y) + 0.3);
  ASSERT_TRUE(shaped_->out_of_fold_score());
  EXPECT_NEAR(shaped_->out_of_fold_score()->log_likelihood, shaped, 0.1);
}

TEST_F(NeighbourShapes, IntervalsHoldTheirShare) {
  const std::vector<double> found = shaped_->intervals(held_out, 0.9);
  double held = 0;
  for (std::size_t i = 0; i < held_out.count(); ++i)
    if (found[2 * i] <= held_out.y[i] && held_out.y[i] <= found[2 * i + 1]) ++held;
  EXPECT_NEAR(held / 1000, 0.9, 0.04);
}

TEST_F(NeighbourShapes, DensitiesGiveTheMoments) {
  const Rows few = with_codes(6, 3);
  const Distributions at = shaped_->distributions(few);
  const Forecast forecast = at.moments();
  constexpr double kStep = 0.004;
  for (std::size_t i = 0; i < few.count(); ++i) {
    double mass = 0, mean = 0, square = 0;
    for (double y = -9; y < 9; y += kStep) {
      const double density =
          std::exp(at.log_densities(std::vector<double>(few.count(), y))[i]) * kStep;
      mass += density;
      mean += y * density;
      square += y * y * density;
    }
    EXPECT_NEAR(mass, 1, 1e-3);
    EXPECT_NEAR(forecast.mean[i], mean / mass, 2e-3);
    EXPECT_NEAR(forecast.variance[i], square / mass - mean * mean, 4e-3);
  }
}

TEST_F(NeighbourShapes, AFileBringsThemBack) {
  std::stringstream file;
  shaped_->save(file);
  const Regressor again = Regressor::load(file);
  EXPECT_EQ(again.log_likelihood(held_out, held_out.y),
            shaped_->log_likelihood(held_out, held_out.y));
}

// In one piece or row by row: the same model, and the same rows after which the neighbours go.
TEST_F(NeighbourShapes, AreUpdatedInAnyPieces) {
  const Rows more = with_codes(120, 8);
  std::stringstream once, stepwise;
  for (std::stringstream* to : {&once, &stepwise}) {
    std::stringstream file;
    shaped_->save(file);
    Regressor model = Regressor::load(file);
    const std::size_t piece = to == &once ? more.count() : 1;
    for (std::size_t row = 0; row < more.count(); row += piece) {
      EXPECT_EQ(model.neighbour_rows() > 0, row <= 90);
      model.partial_fit(Inputs(more).part(row, piece), std::span(more.y).subspan(row, piece));
    }
    EXPECT_EQ(model.neighbour_rows(), 0);
    model.save(*to);
  }
  EXPECT_EQ(once.str(), stepwise.str());
}

// Far from all rows neighbours say nothing.
TEST_F(NeighbourShapes, LeaveFarRowsAlone) {
  const std::vector<double> far{0.5, 5000};
  const Forecast shaped = shaped_->predict(Inputs(far, 1, 2)),
                 plain = plain_->predict(Inputs(far, 1, 2));
  EXPECT_NEAR(shaped.mean[0], plain.mean[0], 1e-9 * std::abs(plain.mean[0]));
  EXPECT_NEAR(shaped.variance[0], plain.variance[0], 1e-9 * plain.variance[0]);
}

TEST_F(NeighbourShapes, TakeMissingNumbers) {
  const std::vector<double> row{std::numeric_limits<double>::quiet_NaN(), 3};
  EXPECT_TRUE(std::isfinite(shaped_->predict(Inputs(row, 1, 2)).mean[0]));
}

// Rows that hold what is not zero are the same rows.
TEST(NeighbourShape, IsTheSameForSparseRows) {
  const Rows training = with_codes(400, 5), test = with_codes(50, 6);
  const auto sparse = [](const Rows& rows) {
    SparseInputs out;
    out.columns = 2;
    out.keeps_zeros = false;
    for (std::size_t i = 0; i < rows.count(); ++i) {
      for (std::size_t c = 0; c < 2; ++c)
        if (rows.x[2 * i + c] != 0) out.add(c, rows.x[2 * i + c]);
      out.end_row();
    }
    return out;
  };
  Regressor dense(options_of(true)), other(options_of(true));
  dense.fit(training, training.y);
  other.fit(sparse(training), training.y);
  EXPECT_NEAR(dense.log_likelihood(test, test.y), other.log_likelihood(sparse(test), test.y), 1e-6);
}

}  // namespace
}  // namespace postrider
