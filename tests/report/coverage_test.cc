#include <gtest/gtest.h>

#include <limits>

#include "report/page/page.h"

namespace postrider::internal {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

TEST(Coverage, CountsRowsInsideTheirInterval) {
  ReportContent content;
  EXPECT_EQ(coverage_text(content), "");
  // Inside, at the border, above, below, not observed.
  content.predictions = ReportPredictions{
      "y", 0.9, {1, 2, 9, -9, kNone}, {1, 1, 1, 1, 1}, {0, 0, 0, 0, 0}, {2, 2, 2, 2, 2}};
  EXPECT_EQ(share_inside(*content.predictions), 0.5);
  EXPECT_EQ(coverage_text(content), "50 % of the rows lie inside their 90 % interval");
}

TEST(Coverage, ClassesByWhatWasSaid) {
  ReportContent content;
  content.reliability = {{0.6, 0.5, 10}, {kNone, kNone, 0}, {0.9, 1, 30}};
  // (10 * 0.5 + 30) / 40 and (10 * 0.6 + 30 * 0.9) / 40
  EXPECT_EQ(coverage_text(content),
            "predicted classes were right in 88 % of the rows, and said to be in 82 %");
}

}  // namespace
}  // namespace postrider::internal
