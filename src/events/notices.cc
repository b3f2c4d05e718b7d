#include "events/notices.h"

#include <algorithm>

#include "text/model_facts.h"
#include "text/terminal.h"

namespace postrider::cli {
namespace {

constexpr std::size_t kLatestRows = 256;
constexpr std::size_t kLeastRows = 20;  // to end a stream: a few outliers are no other unit

// The changes in all steps that followed a stream.
std::vector<StreamReport::Change> changes_of(const TableModel& model) {
  std::vector<StreamReport::Change> out;
  for (const TableModel::Step& step : model.history())
    if (step.kind == TableModel::Step::Kind::follow)
      out.insert(out.end(), step.stream.changes.begin(), step.stream.changes.end());
  return out;
}

StreamNotice notice_of(const DriftWatch::Warning& drift) {
  return {drift.column + ": " + drift.text,
          {{"kind", json_text("drift")},
           {"column", json_text(drift.column)},
           {"drift", json_text(to_string(drift.kind))},
           {"learned", json_number(drift.learned)},
           {"found", json_number(drift.found)}}};
}

// Rows are counted as in the text.
StreamNotice notice_of(const StreamReport::Change& change) {
  return {"change " + change_text(change),
          {{"kind", json_text("change")},
           {"began_after_row", std::to_string(change.began)},
           {"told_after_row", std::to_string(change.found + 1)},
           {"nats_per_row_lost", json_number(change.strength)}}};
}

}  // namespace

StreamNotices::StreamNotices(const TableModel& model)
    : drift_(model.profile()),
      latest_(model.profile()),
      profile_(model.profile()),
      repeats_(model.profile().sample),
      changes_(changes_of(model).size()) {}

void StreamNotices::add(const Table& rows) {
  drift_.add(rows);
  repeats_.add(rows);
  if (latest_.rows() >= kLatestRows) latest_ = DriftWatch(profile_);
  latest_.add(rows);
}

std::string StreamNotices::other_unit() const {
  if (latest_.rows() < kLeastRows) return {};
  for (const DriftWatch::Warning& each : latest_.warnings())
    if (each.kind == DriftWatch::Warning::Kind::unit) return each.column + ": " + each.text;
  return {};
}

std::vector<StreamNotice> StreamNotices::fresh(const TableModel& model) {
  std::vector<StreamNotice> out;
  for (const DriftWatch::Warning& each : drift_.warnings())
    if (columns_.insert(each.column).second) out.push_back(notice_of(each));
  if (const RepeatWatch::Found found = repeated(); found.repeated > 0 && !is_repeated_) {
    is_repeated_ = true;
    out.push_back(
        {found.text() + ", and a row that is learned twice counts twice",
         {{"kind", json_text("repeated_rows")}, {"rows", std::to_string(found.repeated)}}});
  }
  const std::vector<StreamReport::Change> changes = changes_of(model);
  for (; changes_ < changes.size(); ++changes_) out.push_back(notice_of(changes[changes_]));
  return out;
}

}  // namespace postrider::cli
