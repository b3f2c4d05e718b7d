#include "data/schema.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_set>

#include "data/cell.h"
#include "postrider/error.h"

namespace postrider {
namespace {

constexpr std::size_t kFew = 20;               // whole numbers so few that they may be classes
constexpr std::size_t kMostNamed = 20;         // columns in a message
constexpr double kIdentifierShare = 0.9;       // of different texts among all
constexpr std::size_t kLeastIdentifiers = 20;  // in fewer rows, all different means little

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

void sort_categories(std::vector<std::string>& categories) {
  const bool numbers = std::ranges::all_of(categories, [](const std::string& category) {
    return read_cell(category).kind == CellKind::number;
  });
  std::ranges::sort(categories, [&](const std::string& a, const std::string& b) {
    if (!numbers) return a < b;
    const double x = read_cell(a).number, y = read_cell(b).number;
    return x != y ? x < y : a < b;
  });
}

std::string count(std::size_t number, const char* what) {
  return std::to_string(number) + " " + what;
}

}  // namespace

std::string listed(std::span<const std::string> names) {
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNamed); ++i)
    out += (i == 0 ? "" : ", ") + shown(names[i]);
  if (names.size() > kMostNamed)
    out += " and " + std::to_string(names.size() - kMostNamed) + " more";
  return out;
}

void ColumnSummary::add_number(double number) {
  least = numbers == 0 ? number : std::min(least, number);
  greatest = numbers == 0 ? number : std::max(greatest, number);
  whole = whole && std::floor(number) == number;
  if (few.size() <= kFew) few.insert(number);
  ++numbers;
}

ColumnSummary summary_of(const Texts& cells, bool with_categories) {
  ColumnSummary out;
  out.rows = cells.size();
  for (std::size_t row = 0; row < cells.size(); ++row) {
    const std::string_view cell = cells[row];
    const Cell read = read_cell(trimmed(cell));
    if (read.kind == CellKind::missing) {
      ++out.missing;
    } else if (read.kind == CellKind::text) {
      if (out.texts++ == 0) out.first_text = cell;
    } else {
      // An infinite one is meant as a number, too: reading it as one says what is wrong.
      out.add_number(read.kind == CellKind::number ? read.number : 0);
    }
  }
  if (out.texts == 0 && !with_categories) return out;
  std::unordered_set<std::string_view> different;
  for (std::size_t row = 0; row < cells.size(); ++row)
    if (!is_missing(cells[row])) different.insert(cells[row]);
  out.categories.assign(different.begin(), different.end());
  sort_categories(out.categories);
  return out;
}

namespace {

// A number once its comma is a point: 12,5 and not 1,234,567.
bool has_decimal_comma(std::string_view cell) {
  if (std::ranges::count(cell, ',') != 1) return false;
  std::string changed(cell);
  std::ranges::replace(changed, ',', '.');
  return read_cell(trimmed(changed)).kind == CellKind::number;
}

// One of them, if all cells are such numbers or others; else empty.
std::string decimal_comma_in(const ColumnSummary& seen) {
  std::string out;
  for (const std::string& cell : seen.categories) {
    if (has_decimal_comma(cell))
      out = cell;
    else if (read_cell(trimmed(cell)).kind != CellKind::number)
      return {};
  }
  return out;
}

}  // namespace

SchemaRules::SchemaRules(const TableOptions& options, std::span<const std::string> names)
    : options_(options), target_(options.target) {
  const auto expect_known = [&](const char* field, const std::string& name) {
    if (std::ranges::find(names, name) == names.end())
      reject(field, name, "must be one of the columns: " + listed(names));
  };
  if (!target_.empty()) expect_known("target", target_);
  std::map<std::string, const char*> said;
  const auto expect_once = [&](const char* field, const std::vector<std::string>& list) {
    for (const std::string& name : list) {
      expect_known(field, name);
      const auto [at, is_new] = said.emplace(name, field);
      if (!is_new && at->second != field)
        reject(field, name, std::string("is also said to be ") + at->second);
    }
  };
  expect_once("categorical", options.categorical);
  expect_once("numeric", options.numeric);
  expect_once("ignored", options.ignored);
  if (!target_.empty() && contains(options.ignored, target_))
    reject("ignored", target_, "is the target, which cannot be ignored");
  if (options.classify && contains(options.numeric, target_))
    reject("numeric", target_, "is the target, whose values were asked for as classes");
}

bool SchemaRules::ignores(std::string_view name) const { return contains(options_.ignored, name); }

bool SchemaRules::wants_categories(std::string_view name) const {
  return contains(options_.categorical, name) || (options_.classify && is_target(name));
}

ColumnSchema SchemaRules::decide(const std::string& name, const ColumnSummary& seen) const {
  ColumnSchema out;
  out.name = name;
  out.target = is_target(name);
  out.has_missing = seen.missing > 0;
  decide_kind(out, seen);
  if (out.target) decide_target(out, seen);
  if (out.kind == ColumnKind::categorical) out.categories = seen.categories;
  return out;
}

void SchemaRules::decide_kind(ColumnSchema& column, const ColumnSummary& seen) const {
  const auto ignore = [&](const std::string& why) {
    column.kind = ColumnKind::ignored;
    column.note = why;
  };
  const std::size_t known = seen.rows - seen.missing, different = seen.categories.size();
  const bool asked = wants_categories(column.name);
  if (contains(options_.ignored, column.name)) return ignore("asked for");
  if (contains(options_.numeric, column.name)) return;  // a text is an error when it is read
  if (known == 0) return ignore("no cell has a value");
  column.kind = asked || seen.texts > 0 ? ColumnKind::categorical : ColumnKind::numeric;
  if (const std::string comma = decimal_comma_in(seen); !asked && !comma.empty())
    reject("column", column.name,
           "must have decimal points: " + shown(comma) +
               " looks like a number with a decimal comma. If it is none, say that the column is "
               "categorical");
  if (asked || column.target) return;
  if (column.kind == ColumnKind::numeric) {
    if (seen.least == seen.greatest && !column.has_missing) ignore("constant");
    return;
  }
  const std::string mixed = seen.numbers == 0 ? ""
                                              : "; " + count(seen.numbers, "of ") +
                                                    count(known, "cells are numbers, and ") +
                                                    shown(seen.first_text) + " is not";
  if (different == 1 && !column.has_missing) return ignore("constant");
  if (known >= kLeastIdentifiers &&
      static_cast<double>(different) > kIdentifierShare * static_cast<double>(known))
    return ignore("an identifier: " + count(different, "different texts in ") +
                  count(known, "cells") + mixed);
  if (different > options_.most_categories)
    return ignore(count(different, "different texts, more than ") +
                  count(options_.most_categories, "categories") + mixed);
  if (!mixed.empty()) column.note = mixed.substr(2);
}

void SchemaRules::decide_target(ColumnSchema& column, const ColumnSummary& seen) const {
  if (column.kind == ColumnKind::ignored) reject("target", column.name, "has no value in any row");
  if (column.kind == ColumnKind::categorical) {
    if (seen.categories.size() < 2)
      reject("target", column.name, "must have at least two classes, and has one");
    if (seen.categories.size() > options_.most_categories)
      reject(
          "target", column.name,
          "has " + count(seen.categories.size(), "different texts, more than ") +
              count(options_.most_categories, "classes") +
              (seen.numbers == 0 ? "" : "; is " + shown(seen.first_text) + " meant as a number?"));
    return;
  }
  if (seen.numbers > 0 && seen.texts == 0 && seen.least == seen.greatest)
    reject("target", column.name, "has the same value in all rows: there is nothing to learn");
  if (seen.whole && seen.few.size() <= kFew)
    column.note = count(seen.few.size(),
                        "whole numbers, taken as amounts; they can be classes: ask to classify");
}

}  // namespace postrider
