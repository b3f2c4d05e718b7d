#include "events/follow.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>

#include "events/ahead.h"
#include "events/event_files.h"
#include "events/late_targets.h"
#include "events/notices.h"
#include "events/row_stream.h"
#include "events/running_score.h"
#include "events/stream_log.h"
#include "events/stream_metrics.h"
#include "io/output.h"
#include "postrider/error.h"
#include "text/text_table.h"

namespace postrider::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct Counts {
  std::size_t rows = 0, refused = 0;  // rows: that were predicted
  std::size_t targets = 0;            // that came alone, whether their row was waiting or not
  std::string first_refusal = {};
  Clock::time_point begin = Clock::now();

  std::size_t events() const { return rows + refused + targets; }
  void add(const RowBatch& batch) {
    const auto is_predicted = [](const RowUse& use) { return use.is_predicted; };
    const std::size_t predicted =
        batch.uses.empty()
            ? batch.table.rows()
            : static_cast<std::size_t>(std::ranges::count_if(batch.uses, is_predicted));
    rows += predicted;
    targets += batch.table.rows() - predicted + batch.unmatched.size();
    if (refused == 0 && !batch.refusals.empty())
      first_refusal = batch.refusals.front().place + ": " + batch.refusals.front().reason;
    refused += batch.refusals.size();
  }
  double speed() const {
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    return static_cast<double>(rows) / std::max(seconds, 1e-9);
  }
};

void expect_possible(const StreamRequest& request) {
  if (!(request.level > 0 && request.level < 1))
    reject("--level", request.level, "must be above 0 and below 1");
  if (request.batch == 0) reject("--batch", request.batch, "must be at least 1");
  if (!(request.save_seconds > 0)) reject("--save-every", request.save_seconds, "must be above 0");
  if (!(request.patience > 0)) reject("--patience", request.patience, "must be above 0");
  if (request.follow && request.until_end)
    reject("--follow", "", "must not be given with --until-end: one of them says when to end");
  if (request.join.empty() && request.join_window != StreamRequest().join_window)
    reject("--join-window", request.join_window, "needs --join, which names the key");
  if (!request.output.empty())
    expect_writable({"--output", request.output, {request.data.path}, request.force}, model_kind());
}

DataRequest keyed(const StreamRequest& request) {
  DataRequest out = request.data;
  if (!request.join.empty()) out.keys = {request.join};
  return out;
}

BrokerSettings broker_settings(const StreamRequest& request) {
  if (request.broker.empty()) return {};
  if (parse_address(request.data.path).kind == StreamKind::file)
    reject("--broker-config", request.broker, "needs a broker in --from: kafka:// or redis://");
  return BrokerSettings(request.broker);
}

// One run, from where the model stands until somebody or something ends it.
class Following {
 public:
  Following(const StreamRequest& request, const std::function<bool()>& should_end)
      : request_(request),
        snapshots_(request.model, request.output, request.save_seconds),
        model_(TableModel::load(request.model)),
        log_(request.log == "json", request.quiet, talk_beside(request.predictions)),
        metrics_(opened_metrics()),
        predictions_(request, model_),
        refused_(request),
        rows_(opened(should_end)),
        learner_(model_, !request.no_learning),
        notices_(model_),
        score_(model_.classifies(), request.level),
        hook_(request.on_change, snapshots_.path(), request.data.path) {
    if (!request.join.empty()) late_.emplace(model_, request.join, request.join_window);
    tell_unused();
    publish();
  }

  // Predicts and learns what comes next; false if that was all.
  bool step() {
    RowBatch batch = rows_->next(most());
    const bool is_end = batch.is_end && (request_.until_end || rows_->has_ended());
    take(batch);
    if (!is_saved_ && makes_sense() && snapshots_.is_due()) {
      save();
      log_.note(line());  // where nobody watches, a log has a line for each snapshot
      tell_notices();
    }
    log_.show(line());
    publish();
    return !is_end && most() > 0;
  }

  void finish() {
    // What was taken from a pipe is there only once.
    RowBatch rest = rows_->rest();
    take(rest);
    if (rows_->has_ended() && learner_.finish()) has_moved();
    if (!is_saved_ && makes_sense()) save();
    tell_notices();
    log_.conclude(conclusion());
  }

  // A stream of nothing but junk is some other file, or was asked for in the wrong way: the model stays before it, so that the
  // right words find all events.
  void expect_sense() const {
    if (makes_sense()) return;
    throw CorruptFile(
        fmt::format("{}: none of its {} made sense, and nothing was learned; the model stands "
                    "where it stood; the first: {}",
                    request_.data.path, counted(counts_.refused, "event"), counts_.first_refusal));
  }

 private:
  bool makes_sense() const { return counts_.rows + counts_.targets > 0 || counts_.refused == 0; }

  void take(RowBatch& batch) {
    refuse_unusable(model_, batch);
    if (late_)
      late_->take(batch);
    else
      refuse_without_inputs(batch);
    refused_.add(batch.refusals);
    refused_.add(batch.unmatched);
    notices_.add(late_ ? learned_rows(batch) : batch.table);
    expect_new_rows();
    expect_units();
    counts_.add(batch);
    const auto predicted = [&](const TableModel::Prediction& prediction, const Table& rows,
                               std::span<const std::size_t> which, std::size_t ahead) {
      std::vector<std::string> places;
      for (const std::size_t row : which) places.push_back(batch.places[row]);
      predictions_.add(prediction, rows, places, ahead);
      score_.add(prediction, rows);
      if (const std::uint64_t event = batch.use(which.front()).event; event > 0)
        late_->keep(event, prediction);
    };
    if (learner_.take(batch, predicted)) has_moved();
    if (late_) score_late(batch);
    predictions_.flush();
  }

  // The model stands behind the events that came.
  void has_moved() {
    is_saved_ = false;
    if (late_) late_->settle();
  }

  // Whole rows, as they are learned: targets alone would look like columns that no longer come.
  static Table learned_rows(const RowBatch& batch) {
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < batch.table.rows(); ++row)
      if (batch.use(row).is_learned) rows.push_back(row);
    return batch.table.selected(rows);
  }

  // By what was predicted when the event came, however much was learned since.
  void score_late(const RowBatch& batch) {
    for (std::size_t row = 0; row < batch.table.rows(); ++row) {
      const RowUse use = batch.use(row);
      if (use.is_predicted) continue;
      const std::size_t rows[] = {row};
      if (const auto prediction = late_->predicted(use.event))
        score_.add(*prediction, batch.table.selected(rows));
    }
  }

  // A file may be the one that was trained on; an event of a broker that is sent twice must not end a stream.
  void expect_new_rows() const {
    const bool is_file = parse_address(request_.data.path).kind == StreamKind::file;
    if (!is_file || request_.anyway || request_.no_learning || has_saved_) return;
    const RepeatWatch::Found repeated = notices_.repeated();
    if (repeated.repeated == 0) return;
    throw CorruptFile(
        fmt::format("{}: {}, and a row that is learned twice counts twice. The model is left as it "
                    "was; --anyway learns these rows all the same",
                    request_.data.path, repeated.text()));
  }

  // As update does. Rows in another unit spoil what was learned from all others.
  void expect_units() const {
    if (request_.anyway || request_.no_learning) return;
    const std::string found = notices_.other_unit();
    if (found.empty()) return;
    throw CorruptFile(
        fmt::format("{}: {} The model is left as it {}; --anyway learns these rows "
                    "all the same",
                    request_.data.path, found, has_saved_ ? "was when it was saved last" : "was"));
  }

  std::size_t most() const {
    const std::size_t most = learner_.most(request_.batch);
    if (request_.events == 0) return most;
    return std::min(most, request_.events - std::min(request_.events, counts_.events()));
  }

  // In all streams that the model has followed.
  std::size_t far_targets() const {
    std::size_t out = 0;
    for (const TableModel::Step& step : model_.history())
      if (step.kind == TableModel::Step::Kind::follow) out += step.stream.far_targets;
    return out;
  }

  void tell_notices() {
    for (const StreamNotice& notice : notices_.fresh(model_)) {
      log_.warn(notice.text);
      hook_.tell(notice);
      ++told_;
    }
  }

  // Columns of one value in the rows of training have no weights: what they hold by now is not seen.
  void tell_unused() {
    std::string names;
    for (const ColumnSchema& column : model_.schema().columns)
      if (column.kind == ColumnSchema::Kind::ignored && column.note == "constant")
        names += (names.empty() ? "" : ", ") + column.name;
    if (!names.empty())
      log_.warn("constant in the rows that the model was trained on, and not used since: " + names +
                "; train anew with rows in which they vary");
  }

  std::unique_ptr<RowStream> opened(const std::function<bool()>& should_end) {
    expect_join();
    return open_stream(parse_address(request_.data.path), keyed(request_), model_, request_.batch,
                       {request_.follow, request_.until_end, request_.patience,
                        [this](const std::string& notice) { log_.warn(notice); }, should_end,
                        broker_settings(request_)});
  }

  // Targets that come alone would be passed over for good: the position moves on behind them.
  void expect_join() {
    const TableModel::Waiting& kept = model_.waiting();
    if (!request_.join.empty() || kept.keys.empty()) return;
    const std::string waiting =
        fmt::format("{} of the model wait for their target", counted(kept.keys.size(), "row"));
    if (request_.leave_waiting || request_.no_learning)
      return log_.warn(waiting + ", which --join " + kept.column +
                       " finds; they stay in its file, and targets that come alone are refused");
    throw InvalidArgument(fmt::format(
        "--join: must be given, since {}: --join {} finds it. --leave-waiting goes on without it: "
        "these rows stay in the model's file, and targets that come alone are refused",
        waiting, kept.column));
  }

  // Before the source is opened: a broker that does not answer is what somebody wants to see there.
  std::unique_ptr<MetricsServer> opened_metrics() {
    if (!request_.metrics) return nullptr;
    auto out = std::make_unique<MetricsServer>(*request_.metrics);
    log_.warn(fmt::format("metrics on http://127.0.0.1:{}/metrics", out->port()));
    return out;
  }

  void publish() {
    if (!metrics_) return;
    const std::string outage = rows_->outage();
    StreamFigures figures{.rows = counts_.rows,
                          .refused = counts_.refused,
                          .changes = told_,
                          .rows_per_second = counts_.speed(),
                          .snapshot_age = snapshots_.age(),
                          .lag = rows_->lag(),
                          .source_answers = outage.empty(),
                          .score = score_};
    if (late_) figures.late = {late_->counts(), late_->waiting()};
    metrics_->publish(stream_metrics(figures), outage);
  }

  void save() {
    if (late_) model_.keep(late_->settled());
    snapshots_.save(model_);
    is_saved_ = has_saved_ = true;
  }

  std::string line() const {
    std::string out = fmt::format("{}  {}  {:.0f} rows/s", counted(counts_.rows, "row"),
                                  score_.text(), counts_.speed());
    if (const std::string lag = rows_->lag().text(); !lag.empty()) out += "  lag " + lag;
    if (late_)
      out += fmt::format("  joined {}  waiting {}", late_->counts().joined, late_->waiting());
    if (counts_.refused > 0) out += fmt::format("  refused {}", counts_.refused);
    return out;
  }

  std::string conclusion() const {
    std::string out = line() + "\n";
    if (counts_.refused > 0)
      out += counted(counts_.refused, "event") +
             " made no sense; the first: " + counts_.first_refusal + "\n";
    if (late_) out += late_->text();
    if (const std::size_t far = far_targets() - far_before_; far > 0)
      out += counted(far, "target") +
             " beyond 10 standard deviations, learned as if they were that far\n";
    if (learner_.waiting() > 0)
      out += counted(learner_.waiting(), "row") +
             " predicted, to be learned with the rest of their block\n";
    return out + (request_.no_learning ? "nothing was learned" : "model " + snapshots_.path());
  }

  const StreamRequest& request_;
  Snapshots snapshots_;
  TableModel model_;
  StreamLog log_;
  std::unique_ptr<MetricsServer> metrics_;
  EventPredictions predictions_;
  RefusedEvents refused_;
  std::unique_ptr<RowStream> rows_;
  AheadLearner learner_;
  std::optional<LateTargets> late_;
  StreamNotices notices_;
  RunningScore score_;
  Counts counts_;
  bool is_saved_ = true, has_saved_ = false;
  std::size_t far_before_ = far_targets();
  std::size_t told_ = 0;  // changes and drifts
  ChangeHook hook_;
};

}  // namespace

void follow(const StreamRequest& request, const std::function<bool()>& should_end) {
  expect_possible(request);
  Following following(request, should_end);
  while (!should_end() && following.step()) {
  }
  following.finish();
  if (!should_end()) following.expect_sense();
}

}  // namespace postrider::cli
