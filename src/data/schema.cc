#include "data/schema.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <set>
#include <unordered_set>

#include "data/cell_columns.h"
#include "data/date.h"
#include "data/date_words.h"
#include "postrider/error.h"

namespace postrider::internal {
void WrittenCopies::add_hash(std::size_t row, std::uint64_t hash) {
  if (row >= hashes_.size()) hashes_.resize(row + 1, kTextHashStart);
  hashes_[row] = mixed_hash(hashes_[row] * 31 + hash);
}

void WrittenCopies::add(std::size_t row, std::string_view cell) {
  add_hash(row, std::hash<std::string_view>()(cell));
}

void WrittenCopies::add(std::size_t row, double number) {
  add_hash(row, std::bit_cast<std::uint64_t>(number));
}

std::vector<bool> WrittenCopies::found() const {
  std::unordered_set<std::uint64_t> seen;
  std::vector<bool> out;
  for (const std::uint64_t hash : hashes_) out.push_back(!seen.insert(hash).second);
  if (2 * seen.size() < hashes_.size()) out.assign(hashes_.size(), false);
  return out;
}

namespace {

constexpr std::size_t kMostNamed = 20;         // columns in a message
constexpr double kIdentifierShare = 0.9;       // of different texts among all
constexpr std::size_t kLeastIdentifiers = 20;  // in fewer rows, all different means little
// Where there are more texts than there may be categories, those have an input of their own that are in so many rows at
// least, and in so great a share of them; so there are 500 such inputs at most. The others share some.
constexpr std::size_t kLeastOwnRows = 10, kMostOwn = 500, kMostShared = 64;

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
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

namespace {

// Adds to what is said already.
void remark(ColumnSchema& column, const std::string& text) {
  column.note += (column.note.empty() ? "" : "; ") + text;
}

void ignore(ColumnSchema& column, const std::string& why) {
  column.kind = ColumnSchema::Kind::ignored;
  column.categories.clear();
  column.note = why;
}

// For messages that end reading, which may name a place.
std::string first_text(const ColumnSummary& seen) {
  return shown(seen.first_text) + (seen.place.empty() ? "" : " in " + seen.place);
}

std::string value_name(const ColumnSummary& seen) {
  if (is_date_form(seen.form)) return "dates";
  return seen.unit.empty() ? "numbers" : "numbers in " + seen.unit;
}

// Why a column is one of texts although some of its cells are numbers or dates; else empty.
std::string mixture(const ColumnSummary& seen) {
  if (seen.is_order_open)
    return std::string(kLookLikeDates) +
           ", and whether the day or the month is first cannot be told";
  if (look_like_dates(seen.categories))
    return std::string(kLookLikeDates) + ", such as " + shown(seen.categories.front()) +
           ", and are written in a way that is not read";
  if (seen.numbers == 0 || seen.texts == 0) return "";
  return count(seen.numbers, "of ") + count(seen.numbers + seen.texts, "cells are ") +
         value_name(seen) + ", and " + shown(seen.first_text) + " is not";
}

void remark_on_mixture(ColumnSchema& column, const ColumnSummary& seen, const std::string& mixed) {
  if (mixed.empty()) return;
  remark(column, mixed);
  if (!seen.is_order_open) column.place = seen.place;
}

void remark_on_odd_cells(ColumnSchema& column, const ColumnSummary& seen) {
  if (seen.texts == 0) return;
  std::string text = count(seen.texts, "of ") + count(seen.numbers + seen.texts, "cells ") +
                     (seen.texts == 1 ? "is" : "are") + " taken as missing, since " +
                     shown(seen.first_text) + " is none of the " + value_name(seen);
  if (seen.odd.size() > 1) text += ", and " + std::to_string(seen.odd.size() - 1) + " more";
  remark(column, text);
  column.place = seen.place;
}

void remark_on_numbers(ColumnSchema& column, const ColumnSummary& seen) {
  if (seen.form == ColumnSchema::Form::decimal_comma) remark(column, "with decimal commas");
  if (seen.has_thousands_comma) remark(column, "commas are between thousands");
  if (!seen.unit.empty())
    remark(column, "in " + seen.unit +
                       (seen.without_unit == 0
                            ? ""
                            : ", also the " + count(seen.without_unit, "cells without it")));
}

void remark_on_dates(ColumnSchema& column, const ColumnSummary& seen) {
  std::string parts;
  for (const ColumnSchema::DatePart part : column.parts)
    parts += (parts.empty() ? "" : ", ") + std::string(to_string(part));
  remark(column, "read as " + parts);
  if (seen.form == ColumnSchema::Form::day_first) remark(column, "the day is first");
  if (seen.form == ColumnSchema::Form::month_first) remark(column, "the month is first");
}

// That texts which differ in capitals alone are different ones.
void remark_on_capitals(ColumnSchema& column) {
  std::map<std::string, std::string> first;
  for (const std::string& category : column.categories) {
    std::string small = category;
    for (char& c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const auto [at, is_new] = first.emplace(small, category);
    if (is_new) continue;
    return remark(column, shown(at->second) + " and " + shown(category) +
                              " are two categories, since capitals count");
  }
}

// Keeps the categories that are frequent enough; the others share inputs.
void share_rare(ColumnSchema& column, const ColumnSummary& seen) {
  const std::size_t known = seen.rows - seen.missing;
  const std::size_t least = std::max(kLeastOwnRows, (known + kMostOwn - 1) / kMostOwn);
  column.categories.clear();
  for (std::size_t k = 0; k < seen.categories.size(); ++k)
    if (seen.category_rows[k] >= least) column.categories.push_back(seen.categories[k]);
  const std::size_t rare = seen.categories.size() - column.categories.size();
  column.hashed = std::min(rare, kMostShared);
  const std::string all = count(seen.categories.size(), "different texts");
  const std::string shared = "share " + count(column.hashed, "inputs");
  remark(column, column.categories.empty()
                     ? all + " " + shared
                     : all + ": " +
                           count(column.categories.size(), "have an input each, those in ") +
                           count(least, "rows or more; the others ") + shared);
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
  if (options.regress && options.classify)
    reject("regress", target_, "is also said to have classes; ask for one of both");
  if (options.regress && contains(options.categorical, target_))
    reject("regress", target_, "is also said to be categorical");
}

bool SchemaRules::ignores(std::string_view name) const { return contains(options_.ignored, name); }

bool SchemaRules::wants_categories(std::string_view name) const {
  return contains(options_.categorical, name) || (options_.classify && is_target(name));
}

ColumnQuestion SchemaRules::question(std::string_view name) const {
  return {wants_categories(name), is_target(name), Markers(options_.na)};
}

ColumnSchema SchemaRules::decide(const std::string& name, const ColumnSummary& seen) const {
  ColumnSchema out;
  out.name = name;
  out.target = is_target(name);
  out.has_missing = seen.missing > 0;
  decide_kind(out, seen);
  if (out.target) decide_target(out, seen);
  return out;
}

void SchemaRules::decide_kind(ColumnSchema& column, const ColumnSummary& seen) const {
  if (contains(options_.ignored, column.name))
    return ignore(column, column.name == options_.weights ? "how often rows count" : "asked for");
  if (contains(options_.numeric, column.name)) {  // a text is an error when it is read
    column.unit = seen.unit;
    if (seen.form == ColumnSchema::Form::decimal_comma) column.form = seen.form;
    return;
  }
  if (seen.numbers + seen.texts == 0) return ignore(column, "no cell has a value");
  if (wants_categories(column.name) || !seen.has_values() || are_classes(column, seen) ||
      (!column.target && seen.are_codes()))
    decide_texts(column, seen);
  else
    decide_values(column, seen);
}

void SchemaRules::decide_values(ColumnSchema& column, const ColumnSummary& seen) const {
  column.kind = seen.has_dates() ? ColumnSchema::Kind::date : ColumnSchema::Kind::numeric;
  column.has_missing = seen.missing + seen.marked + seen.texts > 0;
  if (!column.target && seen.least == seen.greatest && !column.has_missing &&
      !options_.keep_constants)
    return ignore(column, "constant");
  column.form = seen.form;
  column.odd = seen.odd;
  column.unit = seen.unit;
  if (seen.has_dates()) {
    column.parts = seen.parts.varying();
    // Where a column has one date and misses it in places, the absence may tell something.
    if (column.parts.empty()) column.parts = {ColumnSchema::DatePart::trend};
    remark_on_dates(column, seen);
  } else {
    remark_on_numbers(column, seen);
  }
  remark_on_odd_cells(column, seen);
}

void SchemaRules::decide_texts(ColumnSchema& column, const ColumnSummary& seen) const {
  column.kind = ColumnSchema::Kind::categorical;
  column.categories = seen.categories;
  const bool asked = wants_categories(column.name);
  const std::size_t known = seen.rows - seen.missing, different = seen.categories.size();
  if (column.target) return;
  const std::string mixed = asked ? "" : mixture(seen);
  if (!asked) {
    if (different == 1 && !column.has_missing && !options_.keep_constants)
      return ignore(column, "constant");
    // Rows that stand there twice have the name of one: it is a name all the same.
    const std::size_t once = known - seen.copied;
    if (once >= kLeastIdentifiers &&
        static_cast<double>(different) > kIdentifierShare * static_cast<double>(once)) {
      ignore(column,
             "an identifier: " + count(different, "different texts in ") + count(known, "cells") +
                 (seen.copied == 0 ? "" : ", " + count(seen.copied, "of them in copies of rows")));
      remark_on_mixture(column, seen, mixed);
      return;
    }
  }
  if (different > options_.most_categories) share_rare(column, seen);
  remark_on_mixture(column, seen, mixed);
  if (!asked && seen.has_values())
    remark(column,
           "numbers with leading zeros, taken as categories; they can be amounts: name the column "
           "as numeric");
  if (!asked) remark_on_capitals(column);
}

// Whether a numeric target is 0 and 1, or -1 and 1, each written in one way.
bool SchemaRules::are_classes(const ColumnSchema& column, const ColumnSummary& seen) const {
  return column.target && !options_.regress && seen.texts == 0 && seen.categories.size() == 2 &&
         seen.unit.empty() &&
         (seen.few == std::set<double>{0, 1} || seen.few == std::set<double>{-1, 1});
}

void SchemaRules::decide_target(ColumnSchema& column, const ColumnSummary& seen) const {
  if (column.kind == ColumnSchema::Kind::ignored)
    reject("target", column.name, "has no value in any row");
  if (column.kind == ColumnSchema::Kind::date)
    reject("target", column.name,
           "holds dates, which are no amounts; write how long something takes, or ask to classify");
  if (column.kind == ColumnSchema::Kind::categorical) {
    if (options_.regress)
      reject("regress", column.name, "must have numbers only, and has " + first_text(seen));
    if (seen.rows == 1)
      reject("target", column.name, "has one row only, and a model learns from many");
    if (seen.categories.size() < 2)
      reject("target", column.name, "must have at least two classes, and has one");
    if (seen.categories.size() > options_.most_categories)
      reject("target", column.name,
             "has " + count(seen.categories.size(), "different texts, more than ") +
                 count(options_.most_categories, "classes") +
                 (seen.numbers == 0 || seen.texts == 0
                      ? ""
                      : "; is " + first_text(seen) + " meant as a number?"));
    if (are_classes(column, seen))
      remark(column, "two numbers, taken as classes; they can be amounts: ask to regress");
    else if (!options_.classify)
      remark_on_mixture(column, seen, mixture(seen));
    remark_on_capitals(column);
    return;
  }
  if (seen.rows == 1)
    reject("target", column.name, "has one row only, and a model learns from many");
  if (seen.numbers > 0 && seen.texts == 0 && seen.least == seen.greatest)
    reject("target", column.name, "has the same value in all rows: there is nothing to learn");
  if (seen.whole && seen.few.size() <= ColumnSummary::kFew)
    remark(column, count(seen.few.size(),
                         "whole numbers, taken as amounts; they can be classes: ask to classify"));
}

}  // namespace postrider::internal
