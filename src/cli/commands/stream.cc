#include "cli/commands/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <optional>

#include "cli/interrupt.h"
#include "cli/live_line.h"
#include "cli/output.h"
#include "cli/predicted_columns.h"
#include "cli/stream/notices.h"
#include "cli/stream/row_stream.h"
#include "cli/stream/running_score.h"
#include "cli/terminal.h"
#include "cli/text_table.h"
#include "postrider/error.h"

namespace postrider::cli {
namespace {

using Clock = std::chrono::steady_clock;

// Lines of JSON, each with the event's place. They are appended: a stream has no end at which a file could appear.
class Predictions {
 public:
  Predictions(const std::string& path, const TableModel& model, double level)
      : path_(path), columns_(request_of(level), model) {
    if (path.empty() || is_standard_output(path)) return;
    file_.emplace(path, std::ios::app);
    if (!*file_) throw FileError("cannot write " + path, path, errno);
  }

  void add(const TableModel& model, const RowBatch& batch) {
    if (path_.empty() || batch.table.rows() == 0) return;
    std::ostream& out = file_ ? *file_ : std::cout;
    columns_.begin(model.predict(batch.table), batch.table);
    for (std::size_t row = 0; row < batch.table.rows(); ++row) {
      std::vector<JsonCell> cells{{"event", 0, batch.places[row]}};
      for (JsonCell& cell : columns_.row(row)) cells.push_back(std::move(cell));
      out << json_line(cells);
    }
    out.flush();
    if (!out) throw FileError("cannot write " + path_, path_, errno);
  }

 private:
  const PredictRequest& request_of(double level) {
    request_.level = level;
    return request_;
  }

  std::string path_;
  PredictRequest request_;
  PredictedColumns columns_;
  std::optional<std::ofstream> file_;
};

// The model's file, written now and then: beliefs and position together.
class Snapshots {
 public:
  explicit Snapshots(const StreamRequest& request)
      : path_(request.output.empty() ? request.model : request.output),
        is_in_place_(request.output.empty() || is_same_file(request.output, request.model)),
        interval_(request.save_seconds),
        version_(request.model) {}

  bool is_due() const {
    return std::chrono::duration<double>(Clock::now() - last_).count() >= interval_;
  }
  void save(const TableModel& model) {
    if (is_in_place_) {
      save_model(model, version_);
      version_ = FileVersion(path_);
    } else {
      save_model(model, path_);
    }
    last_ = Clock::now();
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool is_in_place_;
  double interval_;
  FileVersion version_;  // noted before the model is read
  Clock::time_point last_ = Clock::now();
};

struct Counts {
  std::size_t rows = 0, refused = 0;
  std::string first_refusal = {};
  Clock::time_point begin = Clock::now();

  std::size_t events() const { return rows + refused; }
  void add(const RowBatch& batch) {
    rows += batch.table.rows();
    if (refused == 0) first_refusal = batch.first_refusal;
    refused += batch.refused;
  }
  std::string speed() const {
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    return fmt::format("{:.0f} rows/s", static_cast<double>(rows) / std::max(seconds, 1e-9));
  }
};

void expect_possible(const StreamRequest& request) {
  if (!(request.level > 0 && request.level < 1))
    reject("--level", request.level, "must be above 0 and below 1");
  if (request.batch == 0) reject("--batch", request.batch, "must be at least 1");
  if (!(request.save_seconds > 0)) reject("--save-every", request.save_seconds, "must be above 0");
  if (!request.output.empty())
    expect_writable({"--output", request.output, {request.data.path}, request.force}, model_kind());
}

// One run, from where the model stands until somebody or something ends it.
class Following {
 public:
  explicit Following(const StreamRequest& request)
      : request_(request),
        snapshots_(request),
        model_(TableModel::load(request.model)),
        live_(request.quiet),
        rows_(open_stream(parse_address(request.data.path), request.data, model_, request.batch,
                          [this](const std::string& notice) { warn(notice); })),
        predictions_(request.predictions, model_, request.level),
        notices_(model_),
        talk_(talk_beside(request.predictions)) {
    if (const std::string notice = other_address(model_, request.data.path); !notice.empty())
      warn(notice);
  }

  // Predicts and learns what comes next; false if that was all.
  bool step() {
    RowBatch batch = rows_->next(most());
    refuse_unusable(model_, batch);
    notices_.add(batch.table);
    expect_new_rows();
    predictions_.add(model_, batch);
    score_.add(model_, batch.table);
    counts_.add(batch);
    if (!request_.no_learning && !batch.after.partitions.empty()) {
      model_.follow(batch.table, batch.after);
      is_saved_ = false;
    }
    if (!is_saved_ && snapshots_.is_due()) {
      save();
      // Where nobody watches, a log has a line for each snapshot.
      if (!live_.is_terminal() && !request_.quiet) talk_ << line() << std::endl;
      tell_notices();
    }
    if (live_.is_terminal()) live_.show(line());
    const bool is_end = batch.is_end && (request_.until_end || rows_->ends());
    return !is_end && most() > 0;
  }

  void finish() {
    live_.clear();
    if (!is_saved_) save();
    tell_notices();
    if (request_.quiet) return;
    talk_ << line() << "\n";
    if (counts_.refused > 0)
      talk_ << counted(counts_.refused, "event")
            << " made no sense; the first: " << counts_.first_refusal << "\n";
    if (const std::size_t far = far_targets() - far_before_; far > 0)
      talk_ << counted(far, "target")
            << " beyond 10 standard deviations, learned as if they were that far\n";
    talk_ << (request_.no_learning ? "nothing was learned" : "model " + snapshots_.path()) << "\n";
  }

  // A stream of nothing but junk is some other file.
  void expect_sense() const {
    if (counts_.rows > 0 || counts_.refused == 0) return;
    throw CorruptFile(
        fmt::format("{}: none of its {} made sense, and nothing was learned; the first: {}",
                    request_.data.path, counted(counts_.refused, "event"), counts_.first_refusal));
  }

 private:
  // A file may be the one that was trained on; an event of a broker that is sent twice must not end a stream.
  void expect_new_rows() const {
    const bool is_file = parse_address(request_.data.path).kind == StreamKind::file;
    if (!is_file || request_.anyway || request_.no_learning || has_saved_) return;
    const RepeatedRows repeated = notices_.repeated();
    if (repeated.repeated == 0) return;
    throw CorruptFile(
        fmt::format("{}: {}, and a row that is learned twice counts twice. The model is left as it "
                    "was; --anyway learns these rows all the same",
                    request_.data.path, repeated.text()));
  }

  std::size_t most() const {
    if (request_.events == 0) return request_.batch;
    return std::min(request_.batch, request_.events - std::min(request_.events, counts_.events()));
  }

  // In all streams that the model has followed.
  std::size_t far_targets() const {
    std::size_t out = 0;
    for (const TrainingStep& step : model_.history())
      if (step.kind == TrainingKind::follow) out += step.stream.far_targets;
    return out;
  }

  void warn(const std::string& notice) {
    live_.clear();
    std::cerr << "postrider: stream: warning: " << printable(notice) << std::endl;
  }

  void tell_notices() {
    for (const std::string& notice : notices_.fresh(model_)) warn(notice);
  }

  void save() {
    snapshots_.save(model_);
    is_saved_ = has_saved_ = true;
  }

  std::string line() const {
    std::string out =
        fmt::format("{}  {}  {}", counted(counts_.rows, "row"), score_.text(), counts_.speed());
    if (const std::string lag = rows_->lag(); !lag.empty()) out += "  lag " + lag;
    if (counts_.refused > 0) out += fmt::format("  refused {}", counts_.refused);
    return out;
  }

  const StreamRequest& request_;
  Snapshots snapshots_;
  TableModel model_;
  LiveLine live_;
  std::unique_ptr<RowStream> rows_;
  Predictions predictions_;
  StreamNotices notices_;
  RunningScore score_;
  Counts counts_;
  std::ostream& talk_;
  bool is_saved_ = true, has_saved_ = false;
  std::size_t far_before_ = far_targets();
};

}  // namespace

ExitCode stream(const StreamRequest& request) {
  expect_possible(request);
  const InterruptWatch watch;
  Following following(request);
  while (!watch.interrupted() && following.step()) {
  }
  following.finish();
  if (!watch.interrupted()) following.expect_sense();
  return watch.exit_code_of_service();
}

}  // namespace postrider::cli
