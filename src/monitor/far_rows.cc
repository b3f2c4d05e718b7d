// Which rows are far from all that were learned: the nearest of the rows that a profile keeps.
#include <algorithm>
#include <cmath>
#include <limits>

#include "monitor/profile_cells.h"
#include "postrider/monitor.h"

namespace postrider {
using namespace internal;
namespace {

constexpr double kTypicalShare = 0.99, kMargin = 1.5, kLeastLimit = 0.25;
constexpr double kThousandths = 1000;
// Squared distances: of two categories; of one that was not learned; and where the new row's cell or a category is missing, the mean
// squared distance of two positions that are drawn evenly.
constexpr double kOtherCategory = 0.5, kUnknownCategory = 1, kOneMissing = 1.0 / 6;

struct Input {
  bool is_categorical = false;
  std::int32_t unknown = 0;  // of categories, the code of those that were not learned
};

// Where a kept row's number is missing: the mean squared distance of the position to one that is drawn evenly. It grows beyond the
// learned range, so that rows without a number do not make every number a near one.
double distance_to_missing(std::int32_t cell) {
  const double from_middle = static_cast<double>(cell) / kThousandths - 0.5;
  return from_middle * from_middle + 1.0 / 12;
}

double squared_distance(const std::vector<Input>& inputs, const std::vector<std::int32_t>& a,
                        const std::vector<std::int32_t>& b, double most) {
  double out = 0;
  for (std::size_t k = 0; k < inputs.size() && out < most; ++k) {
    if (a[k] == b[k]) continue;
    const bool is_unknown = inputs[k].is_categorical && a[k] == inputs[k].unknown;
    if (is_unknown) {
      out += kUnknownCategory;
    } else if (b[k] == TableProfile::kNoPosition && !inputs[k].is_categorical) {
      out += distance_to_missing(a[k]);
    } else if (a[k] == TableProfile::kNoPosition || b[k] == TableProfile::kNoPosition) {
      out += kOneMissing;
    } else if (inputs[k].is_categorical) {
      out += kOtherCategory;
    } else {
      const double apart = (static_cast<double>(a[k]) - static_cast<double>(b[k])) / kThousandths;
      out += apart * apart;
    }
  }
  return out;
}

}  // namespace

namespace internal {

class FarRowWatchState {
 public:
  TableProfile profile;
  std::vector<Input> inputs = {};
  double limit = 0;

  // But for the row with this number.
  double nearest(const std::vector<std::int32_t>& cells, std::size_t but) const {
    double out = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < profile.kept.size(); ++k)
      if (k != but) out = std::min(out, squared_distance(inputs, cells, profile.kept[k], out));
    return std::sqrt(out);
  }
};

}  // namespace internal

FarRowWatch::FarRowWatch(const TableProfile& profile)
    : state_(std::make_unique<FarRowWatchState>(FarRowWatchState{profile})) {
  for (const TableProfile::Column& column : profile.columns)
    if (!column.target)
      state_->inputs.push_back({column.kind == ColumnSchema::Kind::categorical,
                                static_cast<std::int32_t>(column.counts.size()) - 1});
  if (!is_able()) return;
  std::vector<double> apart;
  for (std::size_t k = 0; k < profile.kept.size(); ++k)
    apart.push_back(state_->nearest(profile.kept[k], k));
  const auto place = apart.begin() + static_cast<std::ptrdiff_t>(
                                         kTypicalShare * static_cast<double>(apart.size() - 1));
  std::nth_element(apart.begin(), place, apart.end());
  state_->limit = std::max(kLeastLimit, kMargin * *place);
}
FarRowWatch::~FarRowWatch() = default;
FarRowWatch::FarRowWatch(FarRowWatch&&) noexcept = default;
FarRowWatch& FarRowWatch::operator=(FarRowWatch&&) noexcept = default;

bool FarRowWatch::is_able() const { return state_->profile.kept.size() >= kLeastRows; }
double FarRowWatch::limit() const { return state_->limit; }

std::vector<double> FarRowWatch::distances(const Table& table) const {
  std::vector<double> out;
  for (std::size_t row = 0; row < table.rows() && is_able(); ++row)
    out.push_back(
        state_->nearest(kept_cells(state_->profile, table, row), state_->profile.kept.size()));
  return out;
}

std::vector<bool> FarRowWatch::are_far(const Table& table) const {
  std::vector<bool> out(table.rows());
  const std::vector<double> apart = distances(table);
  for (std::size_t row = 0; row < apart.size(); ++row) out[row] = apart[row] > state_->limit;
  return out;
}

}  // namespace postrider
