// Whether rows that look otherwise than those learned are warned of by the name of their column, and whether rows that
// look alike are not: random splits of sets, a year and the next one, columns in other units, columns exchanged.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <span>

#include "base/random.h"
#include "base/shuffle.h"
#include "bench/common/program.h"
#include "bench/common/table.h"
#include "postrider/error.h"
#include "postrider/monitor.h"

namespace postrider::bench {
using namespace internal;
namespace {

using experiments::Object;
using experiments::Part;

constexpr double kGoal = 0.95;  // of random splits: without a warning
constexpr std::size_t kSplits = 10;
constexpr double kTestShare = 0.1;

const std::vector<std::string> kUci{"bostonHousing",
                                    "concrete",
                                    "energy",
                                    "kin8nm",
                                    "naval-propulsion-plant",
                                    "power-plant",
                                    "protein-tertiary-structure",
                                    "wine-quality-red",
                                    "yacht"};
const std::vector<std::string> kTabular{"adult", "covertype-15k", "german-credit", "letter",
                                        "spambase"};

// --- tables ------------------------------------------------------------------------------------------

postrider::Table read_all(TableReader& reader) {
  std::vector<postrider::Table::Column> columns(reader.schema().columns.size());
  for (postrider::Table chunk; reader.next(chunk);)
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const postrider::Table::Column& from = chunk.column(c);
      columns[c].numbers.insert(columns[c].numbers.end(), from.numbers.begin(), from.numbers.end());
      columns[c].codes.insert(columns[c].codes.end(), from.codes.begin(), from.codes.end());
    }
  return {reader.schema(), std::move(columns)};
}

postrider::Table read_set(const std::string& folder, const std::string& target = "y") {
  for (const char* name : {"data.csv", "data.csv.zst", "hour.csv"}) {
    const std::string path = folder + "/" + name;
    if (!std::filesystem::exists(path)) continue;
    TableOptions options;
    options.target = target;
    TableReader reader(path, options);
    return read_all(reader);
  }
  throw CorruptFile("there is no table in " + folder);
}

struct Halves {
  postrider::Table learned, fresh;
};

Halves split(const postrider::Table& table, std::uint64_t seed, double share = kTestShare) {
  RandomStream random(seed, 0);
  std::vector<std::size_t> rows = random_order(table.rows(), random);
  const auto fresh = static_cast<std::size_t>(share * static_cast<double>(rows.size()));
  const std::span<const std::size_t> all(rows);
  return {table.selected(all.subspan(fresh)), table.selected(all.first(fresh))};
}

using Change = std::function<void(const Schema&, std::vector<postrider::Table::Column>&)>;

postrider::Table changed(const postrider::Table& table, const Change& change) {
  std::vector<postrider::Table::Column> columns;
  for (std::size_t c = 0; c < table.schema().columns.size(); ++c)
    columns.push_back(table.column(c));
  change(table.schema(), columns);
  return {table.schema(), std::move(columns)};
}

Change times(const std::string& column, double factor) {
  return [=](const Schema& schema, std::vector<postrider::Table::Column>& columns) {
    for (double& number : columns[schema.find(column)].numbers) number *= factor;
  };
}

Change exchanged(const std::string& a, const std::string& b) {
  return [=](const Schema& schema, std::vector<postrider::Table::Column>& columns) {
    std::swap(columns[schema.find(a)], columns[schema.find(b)]);
  };
}

// --- what is found -----------------------------------------------------------------------------------

struct Found {
  std::vector<DriftWatch::Warning> warnings;
  double far = 0;  // share of rows

  bool names(const std::string& column) const {
    return std::ranges::any_of(
        warnings, [&](const DriftWatch::Warning& each) { return each.column == column; });
  }
  std::string text() const {
    std::string out;
    for (const DriftWatch::Warning& each : warnings)
      out +=
          (out.empty() ? "" : ", ") + each.column + " (" + std::string(to_string(each.kind)) + ")";
    return out;
  }
};

Found look(const postrider::Table& learned, const postrider::Table& fresh) {
  TableProfile profile;
  profile.add(learned);
  DriftWatch watch(profile);
  watch.add(fresh);
  const std::vector<bool> far = FarRowWatch(profile).are_far(fresh);
  return {watch.warnings(), static_cast<double>(std::ranges::count(far, true)) /
                                static_cast<double>(std::max<std::size_t>(1, far.size()))};
}

// --- the parts ---------------------------------------------------------------------------------------

struct Alarms {
  std::size_t splits = 0, false_alarms = 0;
  std::vector<Object> sets;
};

void add_splits(const std::string& name, const postrider::Table& table, Alarms& to,
                bench::Table& shown) {
  std::size_t alarms = 0;
  double far = 0;
  std::string texts;
  for (std::uint64_t seed = 1; seed <= kSplits; ++seed) {
    const Halves halves = split(table, seed);
    const Found found = look(halves.learned, halves.fresh);
    alarms += found.warnings.empty() ? 0 : 1;
    far += found.far / static_cast<double>(kSplits);
    if (!found.warnings.empty()) texts += (texts.empty() ? "" : "; ") + found.text();
  }
  to.splits += kSplits;
  to.false_alarms += alarms;
  shown.add({name, std::to_string(table.rows()), fmt::format("{} of {}", alarms, kSplits),
             fmt::format("{:.2f} %", 100 * far), texts});
  to.sets.push_back({{"name", {name}},
                     {"rows", {static_cast<std::int64_t>(table.rows())}},
                     {"splits", {static_cast<std::int64_t>(kSplits)}},
                     {"false_alarms", {static_cast<std::int64_t>(alarms)}},
                     {"share_far", {far}},
                     {"warnings", {texts}}});
}

struct Case {
  std::string what, column;  // that must be named
  postrider::Table learned, fresh;
};

struct Named {
  std::size_t cases = 0, named = 0;
  std::vector<Object> list;
};

void add_case(const Case& one, Named& to, bench::Table& shown) {
  const Found found = look(one.learned, one.fresh);
  const bool is_named = found.names(one.column);
  ++to.cases;
  to.named += is_named ? 1 : 0;
  shown.add({one.what, std::to_string(one.fresh.rows()), one.column, is_named ? "yes" : "NO",
             fmt::format("{:.0f} %", 100 * found.far), found.text()});
  to.list.push_back({{"case", {one.what}},
                     {"rows", {static_cast<std::int64_t>(one.fresh.rows())}},
                     {"column", {one.column}},
                     {"is_named", {is_named}},
                     {"share_far", {found.far}},
                     {"warnings", {found.text()}}});
}

void add_units(const std::string& set, const postrider::Table& table,
               const std::vector<std::pair<std::string, double>>& factors, Named& to,
               bench::Table& shown) {
  const Halves halves = split(table, 1);
  for (const auto& [column, factor] : factors)
    add_case({fmt::format("{}: {} times {:g}", set, column, factor), column, halves.learned,
              changed(halves.fresh, times(column, factor))},
             to, shown);
}

// Rows until a date that was the last of a year, and those after it.
Halves years_of(const postrider::Table& table, const std::string& column) {
  const std::vector<double>& dates = table.column(table.schema().find(column)).numbers;
  constexpr double kSecondYear = 1325376000;  // 2012-01-01
  std::vector<std::size_t> before, after;
  for (std::size_t row = 0; row < dates.size(); ++row)
    (dates[row] < kSecondYear ? before : after).push_back(row);
  return {table.selected(before), table.selected(after)};
}

// Numbers of several kinds and categories, where there are no data sets.
postrider::Table drawn(std::size_t rows, std::uint64_t seed) {
  Schema schema;
  schema.columns = {
      {.name = "length"},
      {.name = "income"},
      {.name = "rain"},
      {.name = "town", .kind = ColumnSchema::Kind::categorical, .categories = {"a", "b", "c"}},
      {.name = "y", .target = true}};
  std::vector<postrider::Table::Column> columns(schema.columns.size());
  RandomStream random(seed, 1);
  for (std::size_t row = 0; row < rows; ++row) {
    columns[0].numbers.push_back(170 + 10 * random.normal());
    columns[1].numbers.push_back(std::exp(10 + random.normal()));
    columns[2].numbers.push_back(random.uniform() < 0.7 ? 0 : random.uniform(0, 30));
    columns[3].codes.push_back(static_cast<std::uint32_t>(random.below(3)));
    columns[4].numbers.push_back(random.normal());
  }
  return {std::move(schema), std::move(columns)};
}

void add_sets(const std::string& data, bool quick, Alarms& alarms, bench::Table& shown) {
  add_splits("drawn", drawn(2000, 1), alarms, shown);
  if (data.empty()) return;
  for (const std::string& name : kUci) {
    if (quick && name == "protein-tertiary-structure") continue;
    add_splits(name, read_set(data + "/uci/" + name), alarms, shown);
  }
  if (quick) return;
  for (const std::string& name : kTabular)
    add_splits(name, read_set(data + "/tabular/" + name), alarms, shown);
}

void add_changes(const std::string& data, bool quick, Named& named, bench::Table& shown) {
  add_units("drawn", drawn(2000, 1), {{"length", 0.01}, {"income", 1000}, {"rain", 0.1}}, named,
            shown);
  if (data.empty()) return;
  const postrider::Table concrete = read_set(data + "/uci/concrete");
  std::vector<std::pair<std::string, double>> factors;
  for (const ColumnSchema& column : concrete.schema().columns)
    if (!column.target) factors.emplace_back(column.name, 1000);
  add_units("concrete", concrete, factors, named, shown);
  const Halves years = years_of(read_set(data + "/stream/bike-sharing-hourly", "cnt"), "dteday");
  // Later dates are no drift; the year as a number is.
  add_case({"bike-sharing: the next year", "yr", years.learned, years.fresh}, named, shown);
  if (quick) return;
  const postrider::Table adult = read_set(data + "/tabular/adult");
  add_units("adult", adult,
            {{"age", 12},
             {"fnlwgt", 0.001},
             {"education_num", 12},
             {"capital_gain", 100},
             {"capital_loss", 100},
             {"hours_per_week", 60}},
            named, shown);
  const Halves halves = split(adult, 1);
  const postrider::Table swapped = changed(halves.fresh, exchanged("age", "education_num"));
  for (const char* column : {"age", "education_num"})
    add_case({"adult: age and education_num exchanged", column, halves.learned, swapped}, named,
             shown);
  const postrider::Table hours = changed(halves.fresh, exchanged("age", "hours_per_week"));
  for (const char* column : {"age", "hours_per_week"})
    add_case({"adult: age and hours_per_week exchanged", column, halves.learned, hours}, named,
             shown);
}

Part run(const Settings& settings) {
  Alarms alarms;
  bench::Table splits({"set", "rows", "false alarms", "far", "warnings"}, 1);
  add_sets(settings.data, settings.quick, alarms, splits);
  Named named;
  bench::Table cases({"case", "rows", "column", "named", "far", "warnings"}, 1);
  add_changes(settings.data, settings.quick, named, cases);
  fmt::print(
      "\n  Random splits: no column should be named\n\n{}\n  Changes: the column should be "
      "named\n\n{}\n",
      splits.text(), cases.text());
  const double quiet =
      1 - static_cast<double>(alarms.false_alarms) / static_cast<double>(alarms.splits);
  Part out{"drift",
           {{"program", {std::string("bench/drift")}},
            {"splits", {static_cast<std::int64_t>(alarms.splits)}},
            {"false_alarms", {static_cast<std::int64_t>(alarms.false_alarms)}},
            {"share_without_alarm", {quiet}},
            {"changes", {static_cast<std::int64_t>(named.cases)}},
            {"changes_named", {static_cast<std::int64_t>(named.named)}},
            {"sets", {alarms.sets}},
            {"cases", {named.list}}},
           {}};
  out.claims = {
      {fmt::format("{:.1f} % of {} random splits without a warning", 100 * quiet, alarms.splits),
       quiet >= kGoal},
      {fmt::format("{} of {} changes named by column", named.named, named.cases),
       named.named == named.cases}};
  return out;
}

}  // namespace
}  // namespace postrider::bench

int main(int argc, char** argv) {
  return postrider::bench::run_program(
      argc, argv,
      {.what = "Are rows that look otherwise told from rows that look alike?",
       .full_folder = POSTRIDER_RESULTS,
       .quick_folder = POSTRIDER_QUICK_RESULTS,
       .cases = {},
       .takes_data = true,
       .run = postrider::bench::run});
}
