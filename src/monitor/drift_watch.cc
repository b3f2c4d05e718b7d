// Whether rows look as those that a profile was made of.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <optional>

#include "monitor/chance.h"
#include "monitor/profile_cells.h"
#include "postrider/monitor.h"

namespace postrider {
using namespace internal;

namespace internal {

namespace {

// Chance must do what is seen with less than this probability, divided among all columns and tests of each.
constexpr double kChance = 0.01, kTests = 6;
// And it must matter: shares of rows.
constexpr double kLeastBeyond = 0.02, kLeastUnknown = 0.02, kLeastMissing = 0.05,
                 kLeastMoved = 0.25;
// Between magnitudes.
constexpr double kUnitRatio = 5;
// Numbers that are kept for their magnitude: the first ones.
constexpr std::size_t kMostSizes = 1 << 16;

struct Seen {
  std::size_t rows = 0, missing = 0, below = 0, above = 0;
  std::size_t later = 0;                // dates that go on from those learned
  std::size_t nonzero = 0, larger = 0;  // than the magnitude
  std::vector<std::size_t> counts = {};
  std::vector<double> sizes = {};
};

std::string number_text(double number) {
  char text[32];
  constexpr double kLong = 1e4, kTooLong = 1e15;
  const bool is_long = std::abs(number) >= kLong && std::abs(number) < kTooLong;
  std::snprintf(text, sizeof text, is_long ? "%.0f" : "%.4g", number);
  return text;
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, share < 0.0995 && share > 0 ? "%.1f %%" : "%.0f %%",
                100 * share);
  return text;
}

// Compares one column.
class Comparison {
 public:
  Comparison(const TableProfile::Column& profile, const Seen& seen, double chance)
      : profile_(profile),
        seen_(seen),
        chance_(chance),
        known_(seen.rows - seen.missing),
        learned_(profile.rows - profile.missing) {}

  std::optional<DriftWatch::Warning> warning() const {
    if (known_ == 0 || learned_ == 0 || seen_.counts.empty()) return missing();
    if (profile_.kind == ColumnSchema::Kind::categorical)
      return first_of({levels(), missing(), shape()});
    return first_of({unit(), range(), missing(), shape()});
  }

 private:
  using Found = std::optional<DriftWatch::Warning>;

  static Found first_of(std::initializer_list<Found> found) {
    for (const Found& each : found)
      if (each) return each;
    return {};
  }

  Found warn(DriftWatch::Warning::Kind kind, double learned, double found, std::string text) const {
    return DriftWatch::Warning{profile_.name, kind, learned, found, std::move(text)};
  }

  static double share(std::size_t part, std::size_t of) {
    return static_cast<double>(part) / static_cast<double>(of);
  }

  bool is_beyond_chance() const {
    return chance_beyond(seen_.above, known_, learned_) < chance_ ||
           chance_beyond(seen_.below, known_, learned_) < chance_;
  }

  Found unit() const {
    if (profile_.kind != ColumnSchema::Kind::numeric || profile_.magnitude == 0 ||
        seen_.sizes.empty())
      return {};
    const double magnitude = median_of(seen_.sizes), ratio = magnitude / profile_.magnitude;
    if (ratio < kUnitRatio && ratio > 1 / kUnitRatio) return {};
    // Half of what was learned is larger than its magnitude.
    if (!is_beyond_chance() &&
        !(chance_of_shares(seen_.larger, seen_.nonzero, learned_ / 2, learned_) < chance_))
      return {};
    return warn(DriftWatch::Warning::Kind::unit, profile_.magnitude, magnitude,
                "values are about " + number_text(ratio) +
                    " times as large as those learned (a typical one is " + number_text(magnitude) +
                    ", and was " + number_text(profile_.magnitude) + "): is it another unit?");
  }

  Found range() const {
    const double beyond = share(seen_.below + seen_.above, known_);
    if (beyond < kLeastBeyond || !is_beyond_chance()) return {};
    const auto text = [&](double value) {
      return profile_.kind == ColumnSchema::Kind::date ? date_text(value) : number_text(value);
    };
    return warn(DriftWatch::Warning::Kind::range, 0, beyond,
                percent(beyond) + " of the values lie beyond those learned, which are from " +
                    text(profile_.least) + " to " + text(profile_.largest));
  }

  std::ptrdiff_t categories() const {
    return static_cast<std::ptrdiff_t>(profile_.counts.size() - profile_.shared - 1);
  }

  // Rows whose text was not learned; or that share an input with others, as rare texts do.
  std::size_t strange(const std::vector<std::size_t>& counts) const {
    return std::accumulate(counts.begin() + categories(), counts.end(), std::size_t{0});
  }

  // As many rows should have a new text as had one that no other row has.
  std::size_t alone() const {
    const auto end = profile_.counts.begin() + categories();
    return static_cast<std::size_t>(std::count(profile_.counts.begin(), end, std::size_t{1}));
  }

  Found levels() const {
    const std::size_t found = strange(seen_.counts);
    const std::size_t expected = std::max(strange(profile_.counts), alone());
    const double unknown = share(found, known_), learned = share(expected, learned_);
    if (unknown - learned < kLeastUnknown ||
        !(chance_of_shares(found, known_, expected, learned_) < chance_))
      return {};
    return warn(DriftWatch::Warning::Kind::levels, learned, unknown,
                profile_.shared > 0
                    ? percent(unknown) + " of the texts are rare or new; of those learned, " +
                          percent(learned) + " were"
                    : percent(unknown) + " of the texts were never learned");
  }

  Found missing() const {
    if (profile_.target) return {};  // rows without one are those to be predicted
    const double learned = share(profile_.missing, std::max<std::size_t>(1, profile_.rows));
    const double found = share(seen_.missing, seen_.rows);
    if (std::abs(found - learned) < kLeastMissing ||
        !(chance_of_shares(seen_.missing, seen_.rows, profile_.missing, profile_.rows) < chance_))
      return {};
    return warn(DriftWatch::Warning::Kind::missing, learned, found,
                percent(found) + " of the cells are missing; of those learned, " +
                    percent(learned) + " were");
  }

  Found shape() const {
    // Where time goes on the last dates are the common ones.
    if (seen_.later > 0) return {};
    const double moved = moved_share(seen_.counts, profile_.counts);
    if (moved < kLeastMoved || !(chance_of_counts(seen_.counts, profile_.counts) < chance_))
      return {};
    return warn(DriftWatch::Warning::Kind::shape, 0, moved,
                "other values are common than among those learned: " + percent(moved) +
                    " of the rows would have to change");
  }

  const TableProfile::Column& profile_;
  const Seen& seen_;
  double chance_;
  std::size_t known_, learned_;
};

// Time goes on: dates behind those that were learned are no drift, up to twice their span and a year, beyond which they are more likely mistaken.
bool is_later_date(const TableProfile::Column& known, double date) {
  constexpr double kSpans = 2, kYear = 366 * 86'400.0;
  return known.kind == ColumnSchema::Kind::date && date > known.largest &&
         date <= known.largest + kSpans * (known.largest - known.least) + kYear;
}

void add_numbers(const TableProfile::Column& known, const std::vector<double>& numbers, Seen& to) {
  for (const double number : numbers) {
    if (std::isnan(number)) {
      ++to.missing;
      continue;
    }
    if (known.counts.empty()) continue;
    if (is_later_date(known, number)) {
      ++to.later;
      continue;
    }
    to.below += number < known.least ? 1 : 0;
    to.above += number > known.largest ? 1 : 0;
    ++to.counts[bin_of(known.knots, number)];
    if (number == 0) continue;
    ++to.nonzero;
    to.larger += std::abs(number) > known.magnitude ? 1 : 0;
    if (to.sizes.size() < kMostSizes) to.sizes.push_back(std::abs(number));
  }
}

void add_codes(const std::vector<std::uint32_t>& codes, Seen& to) {
  for (const std::uint32_t code : codes)
    ++(code == Table::Column::kMissing ? to.missing
                                       : to.counts[level_place(code, to.counts.size())]);
}

}  // namespace

}  // namespace internal

std::string_view to_string(DriftWatch::Warning::Kind kind) {
  switch (kind) {
    case DriftWatch::Warning::Kind::range:
      return "range";
    case DriftWatch::Warning::Kind::shape:
      return "shape";
    case DriftWatch::Warning::Kind::levels:
      return "levels";
    case DriftWatch::Warning::Kind::missing:
      return "missing";
    case DriftWatch::Warning::Kind::unit:
      break;
  }
  return "unit";
}

namespace internal {

class DriftWatchState {
 public:
  TableProfile profile;
  std::vector<Seen> seen = std::vector<Seen>(profile.columns.size());
  std::size_t rows = 0;
};

}  // namespace internal

DriftWatch::DriftWatch(const TableProfile& profile)
    : state_(std::make_unique<DriftWatchState>(DriftWatchState{profile})) {
  for (std::size_t k = 0; k < profile.columns.size(); ++k)
    state_->seen[k].counts.resize(profile.columns[k].counts.size());
}
DriftWatch::~DriftWatch() = default;
DriftWatch::DriftWatch(DriftWatch&&) noexcept = default;
DriftWatch& DriftWatch::operator=(DriftWatch&&) noexcept = default;

void DriftWatch::add(const Table& table) {
  for_profiled(
      state_->profile, table, [&](const TableProfile::Column& known, const Table::Column& cells) {
        Seen& to = state_->seen[static_cast<std::size_t>(&known - state_->profile.columns.data())];
        to.rows += cells.numbers.size() + cells.codes.size();
        add_numbers(known, cells.numbers, to);
        add_codes(cells.codes, to);
      });
  state_->rows += table.rows();
}

std::size_t DriftWatch::rows() const { return state_->rows; }

std::vector<DriftWatch::Warning> DriftWatch::warnings() const {
  std::vector<DriftWatch::Warning> out;
  const TableProfile& profile = state_->profile;
  const double chance = kChance / (kTests * static_cast<double>(profile.columns.size()));
  for (std::size_t k = 0; k < profile.columns.size(); ++k) {
    if (state_->seen[k].rows == 0) continue;
    if (auto found = Comparison(profile.columns[k], state_->seen[k], chance).warning())
      out.push_back(std::move(*found));
  }
  return out;
}

}  // namespace postrider
