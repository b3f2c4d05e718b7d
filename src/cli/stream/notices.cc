#include "cli/stream/notices.h"

#include <algorithm>

#include "cli/facts.h"
#include "cli/stream/address.h"
#include "cli/terminal.h"

namespace postrider::cli {
namespace {

// The changes in all steps that followed a stream.
std::vector<StreamChange> changes_of(const TableModel& model) {
  std::vector<StreamChange> out;
  for (const TrainingStep& step : model.history())
    if (step.kind == TrainingKind::follow)
      out.insert(out.end(), step.stream.changes.begin(), step.stream.changes.end());
  return out;
}

}  // namespace

std::string other_address(const TableModel& model, const std::string& address) {
  const StreamAddress wanted = parse_address(address);
  if (wanted.kind == StreamKind::file || !model.position(address).partitions.empty()) return {};
  for (const TrainingStep& step : model.history()) {
    if (step.kind != TrainingKind::follow) continue;
    const StreamAddress known = parse_address(step.position.source);
    if (known.kind == wanted.kind && known.names == wanted.names)
      return "the model has followed " + known.text + " and not " + address +
             ": this is another source, whose events are learned from the first one on";
  }
  return {};
}

StreamNotices::StreamNotices(const TableModel& model)
    : drift_(model.profile()),
      repeats_(model.profile().sample),
      changes_(changes_of(model).size()) {}

std::vector<std::string> StreamNotices::fresh(const TableModel& model) {
  std::vector<std::string> out;
  for (const DriftWarning& each : drift_.warnings())
    if (columns_.insert(each.column).second) out.push_back(each.column + ": " + each.text);
  if (const RepeatedRows found = repeated(); found.repeated > 0 && !is_repeated_) {
    is_repeated_ = true;
    out.push_back(found.text() + ", and a row that is learned twice counts twice");
  }
  const std::vector<StreamChange> changes = changes_of(model);
  for (; changes_ < changes.size(); ++changes_)
    out.push_back("change " + change_text(changes[changes_]));
  return out;
}

}  // namespace postrider::cli
