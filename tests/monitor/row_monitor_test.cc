#include <gtest/gtest.h>

#include <algorithm>

#include "complaint.h"
#include "postrider/monitor.h"

namespace postrider {
namespace {

// Rows of one number and a target.
Table rows_of(std::size_t rows, double first, double step) {
  Schema schema;
  schema.columns = {{.name = "x"}, {.name = "y", .target = true}};
  Table::Column x, y;
  for (std::size_t row = 0; row < rows; ++row) {
    x.numbers.push_back(first + step * static_cast<double>(row));
    y.numbers.push_back(static_cast<double>(row % 7));
  }
  return {std::move(schema), {std::move(x), std::move(y)}};
}

TableProfile learned() {
  TableProfile out;
  out.add(rows_of(400, 0, 0.01));
  return out;
}

TEST(RowMonitor, SaysAllOfRowsAtOnce) {
  RowMonitor monitor(learned());
  monitor.add(rows_of(400, 0, 0.01));
  EXPECT_EQ(monitor.repeated().repeated, 400u);
  EXPECT_EQ(monitor.digest().rows, 400u);
  EXPECT_TRUE(monitor.warnings().empty());
  RowMonitor other(learned());
  other.add(rows_of(400, 100, 0.01));
  EXPECT_EQ(other.repeated().repeated, 0u);
  ASSERT_EQ(other.warnings().size(), 1u);
  EXPECT_EQ(other.warnings()[0].column, "x");
}

TEST(DriftWindow, AChangeIsSeenInItsWindowAndGoesWithIt) {
  DriftWindow window(learned(), 200);
  window.add(rows_of(150, 0, 0.026));
  EXPECT_TRUE(window.warnings().empty());
  window.add(rows_of(50, 0, 0.08));
  window.add(rows_of(200, 100, 0.01));
  EXPECT_EQ(window.warnings().size(), 1u) << "of the last window, while there are few rows";
  for (int k = 0; k < 2; ++k) window.add(rows_of(200, 0, 0.02));
  EXPECT_TRUE(window.warnings().empty());
  EXPECT_EQ(complaint([] { DriftWindow(learned(), 0); }), "rows = 0: must be at least 1");
}

}  // namespace
}  // namespace postrider
