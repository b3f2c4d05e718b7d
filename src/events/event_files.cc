#include "events/event_files.h"

#include <cerrno>
#include <iostream>
#include <utility>

#include "events/stream_log.h"
#include "io/output.h"
#include "postrider/error.h"
#include "text/json_text.h"

namespace postrider::cli {
namespace {

// Files that are appended to must not be those that are read, nor the model's.
OutputTarget appended(const StreamRequest& request, const char* option, const std::string& path,
                      const std::string& other) {
  return {option, path, {request.model, request.data.path, request.output, other}, request.force};
}

PredictRequest of_level(double level) {
  PredictRequest out;
  out.level = level;
  return out;
}

}  // namespace

EventPredictions::EventPredictions(const StreamRequest& request, const TableModel& model)
    : file_(appended(request, "--predictions", request.predictions, request.refused),
            text_kind("a file of predictions of this command", {"{\"event\":"})),
      request_(of_level(request.level)),
      columns_(request_, model) {}

void EventPredictions::add(const TableModel::Prediction& prediction, const Table& table,
                           std::span<const std::string> places, std::size_t ahead) {
  if (!file_.is_open()) return;
  columns_.begin(prediction, table);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::vector<JsonCell> cells{{"event", 0, places[row]},
                                {"ahead", static_cast<double>(ahead + row)}};
    for (JsonCell& cell : columns_.row(row)) cells.push_back(std::move(cell));
    file_.add(json_line(cells));
  }
}

RefusedEvents::RefusedEvents(const StreamRequest& request)
    : file_(appended(request, "--refused", request.refused, request.predictions),
            text_kind("a file of refused events", {"{\"refused\":"})) {}

void RefusedEvents::add(const std::vector<Refusal>& refusals) {
  if (!file_.is_open()) return;
  for (const Refusal& each : refusals)
    file_.add(json_object({{"refused", json_text(each.place)},
                           {"time", json_text(time_text())},
                           {"reason", json_text(each.reason)},
                           {"text", json_text(each.text)}}) +
              "\n");
  file_.flush();
}

AppendedFile::AppendedFile(const OutputTarget& target, const OutputKind& kind)
    : path_(target.path) {
  if (is_standard_output(path_)) return;
  expect_writable(target, kind);
  file_.emplace(path_, std::ios::app);
  if (!*file_) throw FileError("cannot write " + path_, path_, errno);
}

void AppendedFile::add(const std::string& line) {
  (file_ ? static_cast<std::ostream&>(*file_) : std::cout) << line;
}

void AppendedFile::flush() {
  std::ostream& out = file_ ? static_cast<std::ostream&>(*file_) : std::cout;
  if (is_open() && !out.flush()) throw FileError("cannot write " + path_, path_, errno);
}

}  // namespace postrider::cli
