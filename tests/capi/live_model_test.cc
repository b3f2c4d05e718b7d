#include "postrider/live_model.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "files.h"
#include "postrider/error.h"
#include "table/people.h"

namespace postrider {
namespace {

constexpr std::size_t kRows = 120;

TableModel trained() {
  TableReader reader = people_reader(people(kRows, 1), income_options());
  return TableModel::train(reader, small_model(4, 3));
}

TEST(LiveModel, LearnsAsTheModelInItWould) {
  TableModel alone = trained();
  LiveModel live(alone.copy());
  const Table table = people_table(people(20, 5), alone.schema());
  for (std::uint64_t seed = 2; seed < 5; ++seed) {  // both of the copies learn
    const Table more = people_table(people(30, seed), alone.schema());
    alone.update(more);
    live.update(more);
    EXPECT_EQ(live.predict(table).mean, alone.predict(table).mean);
    EXPECT_EQ(live.rows_learned(), alone.estimator().rows_learned());
  }
  EXPECT_EQ(live.evaluate(table).log_likelihood.value, alone.evaluate(table).log_likelihood.value);
  EXPECT_EQ(live.schema(), alone.schema());
  EXPECT_TRUE(live.classes().empty());
  const TemporaryFolder folder;
  live.save(folder.file("live"));
  alone.save(folder.file("alone"));
  EXPECT_EQ(bytes_of(folder.file("live")), bytes_of(folder.file("alone")));
}

TEST(LiveModel, NothingOfARefusedTableIsLearned) {
  const TableModel alone = trained();
  LiveModel live(alone.copy());
  const Table table = people_table(people(20, 5), alone.schema());
  Schema other = alone.schema();
  other.columns[1].name = "years";
  EXPECT_THROW(live.update(people_table("years,town,income\n1,a,2\n", other)), InvalidArgument);
  EXPECT_EQ(live.predict(table).mean, alone.predict(table).mean);
  EXPECT_EQ(live.rows_learned(), kRows);
}

// Each prediction is that of some whole number of calls of update().
TEST(LiveModel, PredictsWhileItLearns) {
  TableModel alone = trained();
  LiveModel live(alone.copy());
  const Table table = people_table(people(4, 5), alone.schema());
  std::vector<std::vector<double>> means{alone.predict(table).mean};
  std::vector<Table> parts;
  for (std::uint64_t seed = 2; seed < 12; ++seed) {
    parts.push_back(people_table(people(10, seed), alone.schema()));
    alone.update(parts.back());
    means.push_back(alone.predict(table).mean);
  }
  std::atomic<bool> is_over = false, has_begun = false;
  std::size_t strange = 0;
  std::thread reader([&] {
    for (std::size_t at = 0; !is_over;) {
      const std::vector<double> seen = live.predict(table).mean;
      has_begun = true;
      while (at < means.size() && means[at] != seen) ++at;
      if (at == means.size()) {
        ++strange;
        break;
      }
    }
    has_begun = true;
  });
  while (!has_begun) std::this_thread::yield();
  for (const Table& part : parts) live.update(part);
  is_over = true;
  reader.join();
  EXPECT_EQ(strange, 0u);
  EXPECT_EQ(live.predict(table).mean, means.back());
}

}  // namespace
}  // namespace postrider
