#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <limits>

#include "warnings/checked.h"

namespace postrider {
namespace {

using Kind = TableWarning::Kind;

TEST(TableCheck, SaysNothingOfCleanTables) {
  EXPECT_EQ(texts(warnings_of(MadeTable(200))), "");
  EXPECT_EQ(texts(warnings_of(MadeTable(200, true))), "");
}

TEST(TableCheck, NamesAColumnThatIsTheTargetButForScaleAndNoise) {
  const MadeTable made(200);
  const auto found = with(made, "bill", [&](std::size_t row) {
    return std::to_string(100 - 1.19 * made.y[row] + 0.001 * std::sin(static_cast<double>(row)));
  });
  ASSERT_EQ(found.size(), 1u) << texts(found);
  EXPECT_EQ(found[0].kind, Kind::leak);
  EXPECT_EQ(found[0].text,
            "bill all but is the target y: in 200 rows one rises or falls with the other (rank "
            "correlation -0.9999). Is it known before y is?");
  EXPECT_EQ(found[0].remedy(OptionInfo::Spelling::command_line), "--ignore bill leaves it out.");
}

TEST(TableCheck, NamesCellsThatAreThereForOneClassAlone) {
  const MadeTable made(300, true);
  const auto found = with(made, "ended", [&](std::size_t row) {
    return made.y[row] > 0 ? std::to_string(made.x[row]) : std::string();
  });
  EXPECT_TRUE(has(found, Kind::leak, "ended")) << texts(found);
}

// Rows that stand class after class, as many files have them: equal numbers have no order of their own.
TEST(TableCheck, TheOrderOfTheFileIsNoLeak) {
  MadeTable made(300, true);
  std::ranges::sort(made.y);
  const auto rare = [](std::size_t row) {
    return row % 10 == 0 ? std::to_string(static_cast<double>(row * 7 % 31) / 8) : std::string("0");
  };
  EXPECT_FALSE(has(with(made, "words", rare), Kind::leak, "words"));
  // The numbers of the rows themselves do tell it.
  EXPECT_TRUE(has(with(made, "place", [](std::size_t row) { return std::to_string(row) + ".5"; }),
                  Kind::leak, "place"));
}

TEST(TableCheck, CallsAColumnThatTellsMuchNoLeak) {
  const MadeTable made(400);
  EXPECT_EQ(texts(with(made, "near",
                       [&](std::size_t row) {
                         return std::to_string(
                             made.y[row] + 0.2 * std::cos(1.7 * static_cast<double>(row * row)));
                       })),
            "");
}

TEST(TableCheck, NamesNumbersOfRowsThatTellTheTarget) {
  MadeTable made(300);
  std::ranges::sort(made.y);
  const auto found = with(made, "id", [](std::size_t row) { return std::to_string(row + 1000); });
  EXPECT_TRUE(has(found, Kind::identifier, "id")) << texts(found);
  EXPECT_FALSE(has(found, Kind::leak, "id"));
  // In an order that tells nothing they are no matter.
  EXPECT_EQ(texts(with(MadeTable(300), "id", [](std::size_t row) { return std::to_string(row); })),
            "");
}

TEST(TableCheck, NamesPersonsThatAreKnownAgain) {
  MadeTable made(400);
  RandomStream random(3, 0);
  std::vector<double> own;
  for (std::size_t k = 0; k < 101; ++k) own.push_back(3 * random.normal());
  const auto person = [](std::size_t row) { return (row * 57) % 101; };
  for (std::size_t row = 0; row < made.rows; ++row) made.y[row] += own[person(row)];
  const auto found =
      with(made, "person", [&](std::size_t row) { return std::to_string(person(row)); });
  ASSERT_TRUE(has(found, Kind::identifier, "person")) << texts(found);
  EXPECT_EQ(found.back().remedy(OptionInfo::Spelling::python).substr(0, 16), "groups=\"person\" ");
}

TEST(TableCheck, NamesCopiesThatChanceDoesNotMake) {
  MadeTable made(200);
  std::string text = made.text();
  const std::size_t begin = text.find('\n') + 1, end = text.find('\n', begin + 400) + 1;
  EXPECT_TRUE(
      has(warnings_of(read_table(text + text.substr(begin, end - begin))), Kind::copies, ""));
  // Rows of few categories repeat each other by themselves.
  std::string few = "a,b,c,y\n";
  RandomStream random(5, 0);
  for (int row = 0; row < 400; ++row)
    few += std::string(1, static_cast<char>('p' + random.below(4))) + "," +
           std::string(1, static_cast<char>('p' + random.below(3))) + "," +
           std::string(1, static_cast<char>('p' + random.below(5))) + "," +
           std::to_string(random.below(6)) + "\n";
  EXPECT_EQ(texts(warnings_of(read_table(few))), "");
}

TEST(TableCheck, NamesRowsWithTheInputsOfOthers) {
  MadeTable made(200);
  std::string text = made.text();
  for (int row = 0; row < 20; ++row)
    text += std::to_string(made.x[static_cast<std::size_t>(row)]) + "," +
            std::to_string((row * 37) % 101) + ".5," + std::to_string(row) + ".25\n";
  const auto found = warnings_of(read_table(text));
  ASSERT_TRUE(has(found, Kind::copies, "")) << texts(found);
  EXPECT_NE(found[0].text.find("20 of 220 rows have the inputs of another row"), std::string::npos);
}

TEST(TableCheck, NamesSentinelsAtBothEnds) {
  const MadeTable made(300);
  const auto found = with(made, "age", [](std::size_t row) {
    if (row % 20 == 3) return std::string("-999");
    if (row % 20 == 7) return std::string("999");
    return std::to_string(20 + (row * 13) % 60);
  });
  ASSERT_EQ(found.size(), 2u) << texts(found);
  EXPECT_EQ(
      found[0].text,
      "age is -999 in 15 of 300 rows, and from 20 to 78 in all others: -999 seems to stand for a "
      "missing value.");
  EXPECT_EQ(found[1].values, std::vector<std::string>{"999"});
  EXPECT_EQ(found[0].remedy(OptionInfo::Spelling::python),
            "na=[\"-999\"] reads it as missing, in every column.");
}

TEST(TableCheck, NamesMinusOneAmongAmountsAndNotAmongNumbersOfBothSigns) {
  const auto cells = [](double least) {
    return [least](std::size_t row) {
      return row % 25 == 4 ? std::string("-1")
                           : std::to_string(least + static_cast<double>((row * 13) % 97));
    };
  };
  EXPECT_TRUE(has(with(MadeTable(300), "size", cells(0.5)), Kind::sentinel, "size"));
  EXPECT_EQ(texts(with(MadeTable(300), "size", cells(-40.5))), "");
}

TEST(TableCheck, NamesTargetsOfFewNumbersAndOfOneAgainAndAgain) {
  MadeTable made(300);
  for (double& each : made.y) each = each < -1 ? 1 : each < 0.5 ? 2 : 3;
  EXPECT_TRUE(has(warnings_of(made), Kind::target, "y"));
  made = MadeTable(300);
  for (double& each : made.y) each = each < -0.2 ? 0 : each;
  const auto found = warnings_of(made);
  ASSERT_TRUE(has(found, Kind::target, "y"));
  EXPECT_NE(found[0].text.find("y is 0 in "), std::string::npos) << found[0].text;
  made = MadeTable(300);
  for (double& each : made.y) each = 25 * std::round(3 * each);
  EXPECT_NE(texts(warnings_of(made)).find("a multiple of 25"), std::string::npos);
  // Counts are what they are.
  made = MadeTable(300);
  for (double& each : made.y) each = std::round(std::exp(each));
  EXPECT_EQ(texts(warnings_of(made)), "");
}

TEST(TableCheck, NamesRareClassesAndFewRows) {
  MadeTable made(400, true);
  for (double& each : made.y) each -= 3.2;
  EXPECT_TRUE(has(warnings_of(made), Kind::imbalance, "y"));
  const auto few = warnings_of(MadeTable(40));
  ASSERT_EQ(few.size(), 1u);
  EXPECT_EQ(
      few[0].text,
      "Only 40 rows tell where intervals of 90 % end: they may hold between 81 and 99 % of new "
      "rows.");
  EXPECT_EQ(few[0].values, std::vector<std::string>{"50"});
  EXPECT_TRUE(are_few_rows(499, 0.99));
  EXPECT_FALSE(are_few_rows(500, 0.99));
}

TEST(TableCheck, NamesCategoriesThatAreOneButForCapitalsAndBlanks) {
  const auto found = with(MadeTable(200), "plan", [](std::size_t row) {
    return std::string(row % 20 == 0   ? "BASIC"
                       : row % 20 == 1 ? "\"basic \""
                       : row % 2       ? "basic"
                                       : "plus");
  });
  ASSERT_EQ(found.size(), 1u) << texts(found);
  EXPECT_EQ(
      found[0].text,
      "plan has \"BASIC\" (10 rows), \"basic\" (90 rows) and \"basic \" (10 rows), which differ in "
      "capitals or blanks alone and count as different categories.");
}

TEST(TableCheck, NamesDatesThatAreNotRead) {
  for (const char* const form : {"Oct %d, 2024", "%d. Dezember 2023", "%d/10/24", "202410%d"}) {
    const auto cells = [&](std::size_t row) {
      std::string out = form;
      out.replace(out.find("%d"), 2, std::to_string(10 + row % 19));
      return out.find(',') == std::string::npos ? out : "\"" + out + "\"";
    };
    const auto found = with(MadeTable(200), "when", cells);
    EXPECT_TRUE(has(found, Kind::dates, "when")) << form << texts(found);
  }
}

TEST(TableCheck, DoesNotDependOnHowRowsAreCut) {
  const MadeTable made(900);
  const Table whole = read_table(made.text());
  TableCheck cut;
  for (std::size_t begin = 0; begin < whole.rows(); begin += 70) {
    std::vector<std::size_t> rows;
    for (std::size_t row = begin; row < std::min(begin + 70, whole.rows()); ++row)
      rows.push_back(row);
    cut.add(whole.selected(rows));
  }
  EXPECT_EQ(cut.warnings(), warnings_of(whole));
}

// --- What files may hold ---------------------------------------------------------------------------------

Table table_of(std::size_t columns, std::size_t rows, double value) {
  Schema schema;
  std::vector<Table::Column> cells;
  for (std::size_t c = 0; c <= columns; ++c) {
    schema.columns.push_back({.name = "c" + std::to_string(c), .target = c == columns});
    cells.push_back({.numbers = std::vector<double>(rows, value)});
    for (std::size_t row = 0; row < rows && c == columns; ++row)
      cells.back().numbers[row] = static_cast<double>((row * 7919) % 1009) * 1.25;
  }
  return {std::move(schema), std::move(cells)};
}

TEST(TableCheck, TakesRowsOfNothingAndOfHugeNumbers) {
  constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
  for (const double value : {kMissing, 0.0, 1e300, -1e300})
    for (const std::size_t rows : {0u, 1u, 2u, 30u})
      EXPECT_NO_THROW(warnings_of(table_of(3, rows, value)));
  EXPECT_TRUE(TableCheck().warnings().empty());
}

TEST(TableCheck, FoldsLettersOfTwoBytesAndLeavesOthersAlone) {
  const auto found = [](const char* a, const char* b) {
    return with(MadeTable(200), "fruit",
                [=](std::size_t row) { return std::string(row % 3 ? a : b); });
  };
  EXPECT_TRUE(has(found("ÄPFEL", "äpfel"), Kind::spelling, "fruit"));
  EXPECT_TRUE(has(found("red\u00a0plum", "red plum"), Kind::spelling, "fruit"));
  EXPECT_EQ(texts(found("Ö×", "ö÷")), "");
  EXPECT_EQ(texts(found("梨子", "梨")), "");
}

TEST(TableCheck, TakesLittleTimeForTenThousandColumnsAndAMillionRows) {
  for (const auto& [columns, rows] : {std::pair{10'000, 300}, std::pair{8, 400'000}}) {
    const Table table =
        table_of(static_cast<std::size_t>(columns), static_cast<std::size_t>(rows), 0.5);
    const std::clock_t begin = std::clock();
    warnings_of(table);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    RecordProperty("seconds_of_" + std::to_string(columns) + "_columns", std::to_string(seconds));
    EXPECT_LT(seconds, 20);  // of the processor; far more than it takes, for checks of memory
  }
}

}  // namespace
}  // namespace postrider
