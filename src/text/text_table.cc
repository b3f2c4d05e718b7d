#include "text/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string_view>
#include <utility>

#include "text/terminal.h"

namespace postrider::cli {
namespace {

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80; }

// Letters to put in, take out or exchange to get from one to the other.
std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] == b[j] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

std::size_t shown_width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

std::string shortened(std::string text, std::size_t most) {
  if (shown_width(text) <= most) return text;
  std::size_t seen = 0, end = 0;
  for (; end < text.size(); ++end)
    if (begins_character(text[end]) && ++seen > most - 3) break;
  return text.substr(0, end) + "...";
}

void TextTable::add(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::string TextTable::text() const {
  std::vector<std::size_t> widths(columns_.size());
  for (const auto& row : rows_)
    for (std::size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], shown_width(row[c]));
  std::string out;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string space(widths[c] - shown_width(row[c]), ' ');
      line += "  " + (columns_[c] == Align::left ? row[c] + space : space + row[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string short_number(double value) { return fmt::format("{:.4g}", value); }

std::string exact_number(double value) { return fmt::format("{}", value); }

std::string listed(const std::vector<std::string>& names, std::string_view between) {
  return fmt::format("{}", fmt::join(names, between));
}

std::string counted(std::size_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string seconds_text(double seconds) {
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string nearest(std::string_view wrong, const std::vector<std::string>& names) {
  std::string best;
  std::size_t fewest = std::max<std::size_t>(2, wrong.size() / 3) + 1;
  for (const std::string& name : names) {
    const std::size_t edits = edits_between(wrong, name);
    // As many edits as there are letters would be another word.
    if (edits >= fewest || edits >= std::max(wrong.size(), name.size())) continue;
    fewest = edits;
    best = name;
  }
  return best;
}

std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& names) {
  const std::string best = nearest(wrong, names);
  return best.empty() ? "" : "; did you mean " + best + "?";
}

namespace {

bool is_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double ignored = 0;
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), ignored);
  return trouble == std::errc() && end == text.data() + text.size();
}

bool would_run(std::string_view text) {
  constexpr std::string_view kBeginnings = "=+-@\t\r";
  return text.size() > 1 && kBeginnings.find(text.front()) != std::string_view::npos &&
         !is_number(text);
}

}  // namespace

std::string csv_cell(const std::string& text) {
  const std::string safe = would_run(text) ? "'" + text : text;
  if (safe.find_first_of(",\"\r\n\t") == std::string::npos) return safe;
  std::string out = "\"";
  for (const char c : safe) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace postrider::cli
