#include "text/warning_lines.h"

#include <fmt/format.h>

#include <algorithm>

namespace postrider::cli {
namespace {

constexpr std::size_t kMostTold = 20;

}  // namespace

std::vector<TableWarning> without(const std::vector<TableWarning>& all,
                                  const std::vector<TableWarning>& others) {
  std::vector<TableWarning> out;
  std::ranges::copy_if(all, std::back_inserter(out), [&](const TableWarning& each) {
    return std::ranges::find(others, each) == others.end();
  });
  return out;
}

std::vector<TableWarning> without(std::vector<TableWarning> all, TableWarning::Kind kind) {
  std::erase_if(all, [&](const TableWarning& each) { return each.kind == kind; });
  return all;
}

std::string warnings_text(const std::vector<TableWarning>& warnings) {
  if (warnings.empty()) return "";
  std::string out = "what to worry about:\n";
  for (std::size_t k = 0; k < std::min(warnings.size(), kMostTold); ++k)
    out += fmt::format("  {}\n    {}\n", warnings[k].text,
                       warnings[k].remedy(OptionInfo::Spelling::command_line));
  if (warnings.size() > kMostTold)
    out += fmt::format("  and {} more; --json lists all\n", warnings.size() - kMostTold);
  return out;
}

}  // namespace postrider::cli
