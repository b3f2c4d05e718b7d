#include "bench/common/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace postrider::bench {

std::string Table::text() const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  std::string out;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (std::size_t c = 0; c < rows_[r].size(); ++c) {
      out += c == 0 ? "  " : "   ";
      out += c < word_columns_ ? fmt::format("{:<{}}", rows_[r][c], widths[c])
                               : fmt::format("{:>{}}", rows_[r][c], widths[c]);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    out += "\n";
    if (r > 0) continue;
    for (std::size_t c = 0; c < widths.size(); ++c)
      out += (c == 0 ? "  " : "   ") + std::string(widths[c], '-');
    out += "\n";
  }
  return out;
}

std::string short_number(double value) {
  if (!std::isfinite(value)) return "-";
  const double size = std::abs(value);
  if (size >= 100) return fmt::format("{:.0f}", value);
  if (size >= 10) return fmt::format("{:.1f}", value);
  if (size >= 1) return fmt::format("{:.2f}", value);
  return fmt::format("{:.3g}", value);
}

}  // namespace postrider::bench
