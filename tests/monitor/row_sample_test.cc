#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "monitor/profiled.h"
#include "postrider/monitor.h"

namespace postrider {
using namespace internal;
namespace {

TEST(RowDigest, TellsRowsApartWhateverTheirOrder) {
  const Table table = drawn_table(200, 1);
  RowMonitor::Digest whole, turned, other, fewer;
  whole.add(table);
  std::vector<std::size_t> order = rows_from(0, 200);
  std::reverse(order.begin(), order.end());
  const std::span<const std::size_t> all(order);
  turned.add(table.selected(all.first(70)));
  turned.add(table.selected(all.subspan(70)));
  EXPECT_EQ(whole, turned);
  EXPECT_EQ(whole.rows, 200u);
  fewer.add(table.selected(all.first(199)));
  EXPECT_NE(whole, fewer);
  other.add(changed_table(200, 1, [](auto& columns) {
    columns[kTown].codes[17] = (columns[kTown].codes[17] + 1) % 3;
  }));
  EXPECT_NE(whole, other);
  // Cells that are exchanged between rows make other rows.
  RowMonitor::Digest exchanged;
  exchanged.add(changed_table(200, 1, [](auto& columns) {
    std::swap(columns[kDay].numbers[3], columns[kDay].numbers[4]);
  }));
  EXPECT_NE(whole, exchanged);
}

TEST(RowDigest, BothZerosAreOne) {
  RowMonitor::Digest plus, minus;
  plus.add(changed_table(1, 1, [](auto& columns) { columns[kDay].numbers[0] = 0.0; }));
  minus.add(changed_table(1, 1, [](auto& columns) { columns[kDay].numbers[0] = -0.0; }));
  EXPECT_EQ(plus, minus);
}

// Rows of one table behind those of another.
Table both(const Table& first, const Table& second) {
  Table out = first;
  out.append(second);
  return out;
}

RepeatWatch::Found repeated(const Table& learned, const Table& rows) {
  RepeatWatch watch(profile_of(learned).sample);
  watch.add(rows);
  return watch.found();
}

TEST(RepeatWatch, CountsRowsThatWereLearned) {
  const Table learned = drawn_table(300, 1), fresh = drawn_table(100, 2);
  EXPECT_EQ(repeated(learned, fresh).repeated, 0u);
  EXPECT_EQ(repeated(learned, fresh).rows, 100u);
  EXPECT_EQ(repeated(learned, learned).text(), "all 300 rows were learned before");
  const RepeatWatch::Found found = repeated(learned, both(learned, fresh));
  EXPECT_EQ(found.text(), "300 of 400 rows were learned before");
  EXPECT_TRUE(found.is_exact);
  EXPECT_EQ(repeated(both(learned, fresh), fresh).repeated, 100u);
}

TEST(RepeatWatch, SaysWhatFiguresOfLearnedRowsAreWorth) {
  const std::string remembers = " how well it remembers, not how well it predicts";
  EXPECT_EQ((RepeatWatch::Found{700, 552}).warning(),
            "552 of 700 rows were learned by this model: these figures say" + remembers);
  EXPECT_EQ((RepeatWatch::Found{700, 30}).warning(),
            "30 of 700 rows were learned by this model: figures of these say" + remembers);
  EXPECT_EQ((RepeatWatch::Found{700, 350, false}).warning(),
            "about 350 of 700 rows were learned by this model: these figures say" + remembers);
  EXPECT_EQ((RepeatWatch::Found{1, 1}).warning(),
            "the 1 row was learned by this model: these figures say" + remembers);
  EXPECT_EQ((RepeatWatch::Found{700, 700}).warning(),
            "all 700 rows were learned by this model: these figures say" + remembers);
  EXPECT_EQ((RepeatWatch::Found{700, 0}).warning(), "");
}

CopyWatch::Found copied(const std::vector<Table>& chunks) {
  CopyWatch watch;
  for (const Table& chunk : chunks) watch.add(chunk);
  return watch.found();
}

TEST(CopyWatch, CountsRowsThatStandThereAgain) {
  const Table rows = drawn_table(300, 1);
  EXPECT_EQ(copied({rows}).copies, 0u);
  EXPECT_EQ(copied({rows}).rows, 300u);
  const std::vector<std::size_t> some{7, 7, 20};  // the second copy of one row counts, too
  EXPECT_EQ(copied({rows, rows.selected(some)}).text(), "3 of 303 rows are exact copies of others");
  EXPECT_EQ(copied({both(rows, rows.selected(some))}).copies, 3u);
  EXPECT_EQ(copied({rows, rows.selected(std::vector<std::size_t>{3})}).text(),
            "1 of 301 rows is an exact copy of another");
}

TEST(CopyWatch, RowsWithAnotherTargetAreNoCopies) {
  const Table rows = drawn_table(100, 1);
  EXPECT_EQ(copied({rows, changed_table(100, 1,
                                        [](auto& columns) {
                                          for (double& target : columns[kTarget].numbers)
                                            target += 1;
                                        })})
                .copies,
            0u);
}

TEST(CopyWatch, RowsWithoutATargetDoNotCount) {
  const auto without = [](auto& columns) { columns[kTarget].numbers[4] = std::nan(""); };
  const Table rows = changed_table(100, 1, without);
  EXPECT_EQ(copied({rows, rows}).rows, 198u);
  EXPECT_EQ(copied({rows, rows}).copies, 99u);
}

TEST(CopyWatch, NamesTheRowsThatAreNone) {
  const Table rows = drawn_table(5, 1).selected(std::vector<std::size_t>{0, 1, 0, 2, 1, 3});
  EXPECT_EQ(distinct_rows(rows), (std::vector<std::size_t>{0, 1, 3, 5}));
}

TEST(RepeatWatch, EstimatesWhereRowsAreMany) {
  constexpr std::size_t kLearned = 20'000, kNew = 5'000;
  const Table learned = drawn_table(kLearned, 1), fresh = drawn_table(kNew, 2);
  EXPECT_EQ(repeated(learned, fresh).repeated, 0u);
  const RepeatWatch::Found found = repeated(learned, both(learned, fresh));
  EXPECT_FALSE(found.is_exact);
  EXPECT_TRUE(found.text().starts_with("about "));
  // About 512 / 0.8 rows are looked at: a standard error of 0.016 of the share.
  EXPECT_NEAR(static_cast<double>(found.repeated) / (kLearned + kNew), 0.8, 4.5 * 0.016);
}

TEST(RepeatWatch, CutsDoNotMatter) {
  const Table rows = drawn_table(3000, 1);
  std::vector<std::size_t> first(1234), second(3000 - 1234);
  std::iota(first.begin(), first.end(), std::size_t{0});
  std::iota(second.begin(), second.end(), std::size_t{1234});
  TableProfile::Sample whole, parts;
  whole.add(rows);
  parts.add(rows.selected(second));
  parts.add(rows.selected(first));
  EXPECT_EQ(whole, parts);
  EXPECT_EQ(whole.rows.size(), TableProfile::Sample::kMost);
}

// Where a table has few different rows, new ones are like old ones.
TEST(RepeatWatch, RowsThatAreAlikeByThemselvesAreNotTold) {
  const auto few = [](auto& columns) {
    for (std::size_t row = 0; row < columns[kSize].numbers.size(); ++row) {
      columns[kSize].numbers[row] = static_cast<double>(row % 3);
      columns[kDay].numbers[row] = 0;
      columns[kTarget].numbers[row] = static_cast<double>(row % 2);
    }
  };
  EXPECT_EQ(repeated(changed_table(300, 1, few), changed_table(100, 2, few)).repeated, 0u);
}

TEST(RepeatWatch, OneRowAmongManyIsChance) {
  const Table learned = drawn_table(300, 1);
  const Table one = learned.selected(std::vector<std::size_t>{7});
  EXPECT_EQ(repeated(learned, both(drawn_table(100, 2), one)).repeated, 0u);
}

TEST(RepeatWatch, RowsWithoutATargetDoNotCount) {
  const auto without = [](auto& columns) {
    for (std::size_t row = 0; row < columns[kTarget].numbers.size(); row += 2)
      columns[kTarget].numbers[row] = std::nan("");
  };
  const Table rows = changed_table(200, 1, without);
  EXPECT_EQ(repeated(rows, rows).rows, 100u);
  EXPECT_EQ(repeated(rows, rows).repeated, 100u);
  EXPECT_EQ(profile_of(rows).sample.rows.size(), 100u);
}

}  // namespace
}  // namespace postrider
