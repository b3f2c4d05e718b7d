#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/commands/train.h"
#include "text/text_table.h"

namespace postrider::cli {

std::string EpochLine::after(const EpochReport& report, double most_seconds) {
  ++epochs_;
  seconds_ += report.seconds;
  begun_ = std::max(begun_, report.member + 1);
  std::string out;
  if (report.members > 1) out += fmt::format("member {}/{}  ", report.member + 1, report.members);
  out += fmt::format("epoch {}/{}  score {:.3f}", report.epoch, report.max_epochs,
                     report.score - std::log(unit_.deviation));
  if (unit_.has_noise)
    out += fmt::format("  noise {}",
                       short_number(unit_.deviation * std::sqrt(report.typical_noise_variance)));
  return out + "  at most " + seconds_text(std::min(most_seconds, seconds_left(report))) + " left";
}

double EpochLine::seconds_left(const EpochReport& report) const {
  // Members that have begun run side by side; others wait for them.
  const std::size_t most = report.max_epochs;
  const std::size_t running = begun_;
  const std::size_t waiting = report.members - std::min(report.members, begun_);
  const std::size_t left = waiting * most + running * (most - std::min(most, report.epoch));
  return seconds_ / static_cast<double>(epochs_) * static_cast<double>(left);
}

// By the epochs after the first, which began before anybody was told.
std::string ChoosingLine::after(const TrainingCallbacks::Choosing& report) {
  std::string out = fmt::format(
      "choosing how columns and target are learned: {} in the race, epoch {} of at most {}",
      report.ways, report.epochs, report.most_epochs);
  if (!first_) first_ = Clock::now();
  if (report.epochs < 2) return out;
  const std::chrono::duration<double> since = Clock::now() - *first_;
  const double each = since.count() / static_cast<double>(report.epochs - 1);
  const auto left = static_cast<double>(report.most_epochs - report.epochs);
  return out + fmt::format(", at most {} left of it", seconds_text(each * left));
}

std::string stream_line(const TableModel::StreamProgress& progress) {
  std::string out = fmt::format("{} rows  {:.0f} rows/s", progress.rows,
                                static_cast<double>(progress.rows) / progress.seconds);
  if (progress.file_bytes == 0 || progress.bytes_read == 0) return out;
  const double done =
      static_cast<double>(progress.bytes_read) / static_cast<double>(progress.file_bytes);
  return out + fmt::format("  {:.0f} %  about {} left", 100 * done,
                           seconds_text(progress.seconds * (1 / done - 1)));
}

}  // namespace postrider::cli
