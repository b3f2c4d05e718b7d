#include "cli/commands/train.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <optional>
#include <utility>

#include "cli/commands/commands.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/row_watch.h"
#include "io/open_table.h"
#include "io/output.h"
#include "postrider/budget.h"
#include "postrider/error.h"
#include "text/columns.h"
#include "text/evaluation_facts.h"
#include "text/model_facts.h"
#include "text/text_table.h"
#include "text/warning_lines.h"

namespace postrider::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kShardsOfJob = 16;  // where mpirun is used, and their number is not given

// The library says what is wrong; with the columns at hand, a slip of the finger can be named, too.
void expect_columns(const TrainRequest& request) {
  if (request.data.path == "-") return;  // cannot be read twice
  std::vector<std::string> names;
  const Schema schema = open_table(request.data.path, request.data.options()).schema();
  for (const ColumnSchema& column : schema.columns) names.push_back(column.name);
  const auto expect = [&](const char* option, const std::string& name) {
    if (name.empty() || std::ranges::find(names, name) != names.end()) return;
    reject(option, name, "must be one of the columns " + listed(names) + did_you_mean(name, names));
  };
  expect("--target", request.target);
  for (const std::string& name : request.categorical) expect("--categorical", name);
  for (const std::string& name : request.numeric) expect("--numeric", name);
  for (const std::string& name : request.ignore) expect("--ignore", name);
  for (const std::string& name : request.keys) expect("--key", name);
  expect("--weights", request.weights);
  expect("--time", request.split.time);
  expect("--group", request.split.group);
}

TableReader open_for_training(const TrainRequest& request) {
  try {
    TableReader reader = open_table(request.data.path, request.table_options());
    if (reader.schema().target() == Schema::kNone) {
      std::vector<std::string> names;
      for (const ColumnSchema& column : reader.schema().columns) names.push_back(column.name);
      throw InvalidArgument("--target: must name the column to predict, one of " + listed(names));
    }
    return reader;
  } catch (const InvalidArgument&) {
    expect_columns(request);
    throw;
  }
}

// The whole of one call: what was asked, what was seen and what came out.
class Training {
 public:
  explicit Training(const TrainRequest& request)
      : request_(request),
        options_(request.model_options()),
        budget_(time_budget("--time-budget", request.time_budget)),
        live_(request.quiet) {
    if (request_.shards > 0) spread();
  }

  ExitCode run() {
    try {
      return learn();
    } catch (const Interrupted& interrupted) {
      live_.clear();
      std::cerr << "postrider: train: " << interrupted.what() << "\n";
      return watch_.exit_code() == ExitCode::ok ? ExitCode::interrupted : watch_.exit_code();
    }
  }

 private:
  ExitCode learn() {
    TableReader reader = open_for_training(request_);
    options_.validate_for(reader.schema(), OptionInfo::Spelling::command_line);
    if (request_.dry_run)
      return tell_understood(reader, request_.data.path, options_.estimator, request_.json);
    if (!request_.stream) end_reading_when(watch_, reader);
    TableModel model = request_.stream            ? learn_stream(reader)
                       : is_wide(reader.schema()) ? learn_wide(reader)
                                                  : learn_table(reader);
    live_.clear();
    tell_skipped("train", reader.skipped());
    facts_.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    facts_.interrupted = watch_.interrupted();
    facts_.model_path = request_.output;
    expect_learned(model);
    // All processes have the same.
    if (!processes_ || processes_->rank() == 0) save_model(model, request_.output);
    if (trouble_) std::rethrow_exception(trouble_);
    tell(model);
    return watch_.exit_code();
  }

  // What a part of an epoch has learned must not pass for a model.
  void expect_learned(const TableModel& model) const {
    if (!is_ended() || model.history().empty()) return;
    const std::vector<FitReport>& fits = model.history().back().fits;
    const auto is_untrained = [](const FitReport& fit) { return fit.epochs.empty(); };
    if (fits.empty() || !std::ranges::all_of(fits, is_untrained)) return;
    throw Interrupted(
        "interrupted, and ended before the first epoch was over: " + request_.output +
        (std::filesystem::exists(request_.output) ? " is as it was" : " was not written"));
  }

  void spread() {
    processes_ = processes_of_job(request_.deadline);
    TrainerOptions& training = options_.estimator.training;
    options_.processes = processes_.get();
    options_.distributed.shards = request_.shards;
    options_.distributed.rows_in_flight = request_.rows_in_flight;
    options_.distributed.checkpoint = std::exchange(training.checkpoint, {});
    options_.distributed.checkpoint_every = training.checkpoint_every;
    options_.distributed.resume = std::exchange(training.resume, false);
  }

  bool is_ended() const { return watch_.interrupted() || budget_.is_over(); }
  bool is_talking() const { return !request_.quiet && !request_.json; }

  TableModel learn_stream(TableReader& reader) {
    columns_ = summaries_of(reader.schema());
    show_columns("");
    begin_ = Clock::now();
    return TableModel::train_stream(reader, options_,
                                    [&](const TableModel::StreamProgress& progress) {
                                      live_.show(stream_line(progress));
                                      return !is_ended();
                                    });
  }

  // Tables of so many columns are mostly zeros, and are never held with all of them.
  bool is_wide(const Schema& schema) const {
    constexpr std::size_t kManyColumns = 1000;
    const SplitRequest& split = request_.split;
    return schema.columns.size() > kManyColumns && split.validation == 0 && split.folds == 0 &&
           split.time.empty() && split.group.empty();
  }

  TableModel learn_wide(TableReader& reader) {
    columns_ = summaries_of(reader.schema());
    std::size_t rows = 0;
    CopyWatch copies;
    TableCheck check;
    std::optional<EpochLine> line;
    const auto read = [&](const Table& chunk) {
      rows += chunk.rows();
      copies.add(chunk);
      check.add(chunk);
      if (chunk.rows() > 0) return add_rows(chunk, columns_);
      show_columns(counted(rows, "row") + ", ");
      show_warnings(copies, check);
      show_expected(reader.schema(), rows - columns_[reader.schema().target()].missing);
      line.emplace(options_.estimator.training, score_unit(reader.schema()));
      begin_ = Clock::now();
    };
    return TableModel::train(reader, options_, showing(line, ""), read);
  }

  ScoreUnit score_unit(const Schema& schema) const {
    const ColumnSummary& target = columns_[schema.target()];
    return {target.deviation.value_or(1), target.deviation.has_value()};
  }

  TableModel learn_table(TableReader& reader) {
    Table table = read_all(reader).table;
    RowMonitor::Digest all_rows;
    all_rows.add(table);
    columns_ = summaries_of(table);
    const SplitRequest& how = request_.split;
    if (how.folds > table.rows())
      reject("--folds", how.folds,
             "must be at most the number of rows, " + std::to_string(table.rows()));
    show_columns(counted(table.rows(), "row") + ", ");
    CopyWatch copies;
    copies.add(table);
    if (is_talking()) talk_beside(request_.output) << identifiers_text(identifiers_of(table));
    const Splitter splitter(how, table, request_.keys.size(), request_.estimator.training.seed);
    const ScoreUnit unit = score_unit(reader.schema());
    std::optional<EpochLine> line(std::in_place, options_.estimator.training, unit);
    if (how.validation > 0) split_ = splitter.held_out();
    if (how.folds > 0 && !splitter.is_by_rows()) given_folds_ = splitter.folds();
    words_of_folds_ = splitter.words_of_folds();
    std::optional<Table> part;
    if (split_) part = table.selected(split_->fold.learned);
    const Table& training = part ? *part : table;
    TableCheck check;
    check.add(training);
    show_warnings(copies, check);
    if (!request_.memory.empty())
      options_.estimator.training.store_budget =
          store_bytes("--memory", request_.memory, cell_bytes(training),
                      "--stream learns it in constant memory");
    show_expected(reader.schema(), training.rows() - columns_[reader.schema().target()].missing);
    begin_ = Clock::now();
    const std::vector<std::uint32_t> groups = split_ ? split_->fold.groups : splitter.groups();
    TableModel model = TableModel::train(training, options_, showing(line, ""), groups);
    model.keep(all_rows);
    facts_.typical_noise = typical_noise(model, training);
    if (split_) validate(table, model);
    if (how.folds > 0) folds_interrupted_ = is_ended();
    if (how.folds > 0 && !folds_interrupted_) learn_folds(table, unit, model);
    return model;
  }

  // On the rows that were held out.
  void validate(const Table& table, const TableModel& model) {
    const std::vector<std::size_t>& rows = split_->fold.left_out;
    validation_ = model.evaluate(table.selected(rows));
    if (!request_.out_of_fold.empty())
      write_out_of_fold(table, {{model, rows_with_target(model, table, rows)}}, request_.keys,
                        request_.out_of_fold);
  }

  // There is a line once an epoch was learned.
  TrainingCallbacks showing(std::optional<EpochLine>& line, const std::string& what) {
    TrainingCallbacks out;
    out.progress = [this, &line, what](const EpochReport& report) {
      show(what + line->after(report, budget_.seconds_left()));
      return !watch_.interrupted();
    };
    out.choosing = [this, what,
                    choosing = ChoosingLine()](const TrainingCallbacks::Choosing& report) mutable {
      show(what + choosing.after(report));
    };
    out.interrupted = [this] { return is_interrupted(); };
    out.warning = [this](const std::string& text) {
      const std::scoped_lock lock(showing_);
      live_.clear();
      std::cerr << "postrider: train: warning: " << text << "\n";
    };
    return budget_.limiting(std::move(out));
  }

  // By any thread. After Ctrl-C nothing else is shown.
  void show(const std::string& text) {
    const std::scoped_lock lock(showing_);
    if (!is_told_of_end_) live_.show(text);
  }

  bool is_interrupted() {
    if (!watch_.interrupted()) return false;
    const std::scoped_lock lock(showing_);
    if (!std::exchange(is_told_of_end_, true))
      live_.show("interrupted: what is best so far is made a model; again, and nothing is saved");
    return true;
  }

  // The model is there by now, and is saved whatever happens here.
  void learn_folds(const Table& table, const ScoreUnit& unit, TableModel& model) {
    std::optional<EpochLine> line(std::in_place, options_.estimator.training, unit);
    try {
      const TrainingCallbacks callbacks = showing(line, "folds: ");
      folds_ =
          given_folds_.empty()
              ? cross_validate(table, options_,
                               {request_.split.folds, request_.estimator.training.seed}, callbacks)
              : cross_validate(table, options_, given_folds_, callbacks);
      model.keep(folds_->scores());
      if (!request_.out_of_fold.empty())
        write_out_of_fold(table, left_out_rows(*folds_), request_.keys, request_.out_of_fold);
    } catch (const Interrupted&) {
      folds_interrupted_ = true;
    } catch (const Error&) {
      trouble_ = std::current_exception();
    }
  }

  void show_columns(const std::string& rows) const {
    if (!is_talking()) return;
    talk_beside(request_.output) << request_.data.path << ": " << rows
                                 << counted(columns_.size(), "column") << "\n\n"
                                 << columns_text(columns_) << "\n"
                                 << std::flush;
  }

  // Before one waits. Copies are told of however few they are.
  void show_warnings(const CopyWatch& watch, const TableCheck& check) {
    if (!is_talking()) return;
    told_ = check.warnings();
    const bool tells_copies = std::ranges::any_of(told_, [](const TableWarning& each) {
      return each.kind == TableWarning::Kind::copies && each.values.empty();
    });
    const std::string copies = tells_copies ? "" : copies_text(watch.found());
    std::ostream& out = talk_beside(request_.output);
    if (!copies.empty()) out << copies << "\n\n";
    if (!told_.empty()) out << warnings_text(told_) << "\n" << std::flush;
  }

  // What was known before training was told then.
  std::string warnings_after(const TableModel& model) const {
    const std::string out = warnings_text(without(model.warnings(), told_));
    return out.empty() ? "" : "\n" + out;
  }

  // What is expected is the time of one model of all rows.
  void show_expected(const Schema& schema, std::size_t rows) const {
    const std::optional<ExpectedTime> time = expected_time(options_.estimator, schema, rows);
    if (!is_talking() || !time || processes_) return;
    talk_beside(request_.output) << "training usually takes " << time->text()
                                 << " by one thread\n\n"
                                 << std::flush;
  }

  void tell(const TableModel& model) {
    if (validation_) facts_.validation = &*validation_;
    if (folds_) facts_.folds = &*folds_;
    if (request_.json)
      talk_beside(request_.output) << training_json(model, columns_, facts_);
    else if (!request_.quiet)
      talk_beside(request_.output) << summary(model);
  }

  std::string summary(const TableModel& model) const {
    const TableModel::Step& step = model.history().back();
    TextTable table({Align::left, Align::left});
    table.add({"learned", counted(step.rows, "row") + without_target(step)});
    table.add({"network", network_text(model)});
    table.add({"encoding", encodings_text(model)});
    if (!model.classifies() && !target_scale_text(model).empty())
      table.add({"target", "learned as its " + target_scale_text(model)});
    if (const std::string lattice = lattice_text(model); !lattice.empty())
      table.add({"targets", lattice});
    if (!step.fits.empty()) add_fit(step, table);
    if (const std::string score = out_of_fold_text(model); !score.empty())
      table.add({"score", score});
    if (const std::size_t kept = model.estimator().neighbour_rows(); kept > 0)
      table.add({"neighbours",
                 "the model keeps " + counted(kept, "row") + "; with --plain-shape it keeps none"});
    add_stream_facts(model, step, table);
    if (!model.classifies()) table.add({"noise", noise_text(model, facts_.typical_noise)});
    table.add({"time", seconds_text(facts_.seconds)});
    table.add({"model", request_.output});
    std::string out = table.text();
    if (validation_)
      out += "\nvalidation" + split_->words + ": " + evaluation_text(model, *validation_);
    if (folds_) out.append("\n").append(folds_text(model, *folds_, words_of_folds_));
    out += warnings_after(model) + cut_text(step, facts_.interrupted, folds_interrupted_);
    if (facts_.interrupted && !request_.estimator.training.checkpoint.empty())
      out += "go on with --resume\n";
    return out + "\nnext: postrider evaluate " + request_.output + " TEST.csv\n" +
           "      postrider predict " + request_.output + " NEW.csv\n";
  }

  std::string without_target(const TableModel::Step& step) const {
    if (step.without_target == 0) return "";
    return fmt::format("; {} without a value of the target passed over", step.without_target);
  }

  void add_fit(const TableModel::Step& step, TextTable& table) const {
    const FitSummary fit = summary_of(step);
    const std::string best = fit.first_best == fit.last_best
                                 ? fmt::format("best {}", fit.first_best)
                                 : fmt::format("best {} to {}", fit.first_best, fit.last_best);
    const std::string refit =
        fit.refit_epochs > 0 ? fmt::format(", then {} of all rows", fit.refit_epochs) : "";
    table.add({"epochs", fmt::format("{} of {}{}", best, fit.epochs, refit)});
    table.add({"ended", ended_text(step, !watch_.interrupted())});
    if (const double damping = step.fits.front().damping; damping > 0)
      table.add({"damping", fmt::format("{:.2f}", damping)});
  }

  const TrainRequest& request_;
  std::unique_ptr<distributed::Communicator> processes_;  // of training that is spread
  TableModelOptions options_;
  InterruptWatch watch_;
  TimeBudget budget_;
  LiveLine live_;
  std::mutex showing_;
  bool is_told_of_end_ = false;  // that it was heard
  Clock::time_point begin_ = Clock::now();
  std::vector<ColumnSummary> columns_;
  std::vector<TableWarning> told_;  // before training
  std::optional<Split> split_;      // with --validation
  std::vector<Fold> given_folds_;   // with --folds by time or group
  std::string words_of_folds_;
  std::optional<TableEvaluation> validation_;
  std::optional<TableModel::Validation> folds_;
  bool folds_interrupted_ = false;
  std::exception_ptr trouble_;
  LearnedFacts facts_;
};

}  // namespace

ExitCode train(const TrainRequest& request) {
  TrainRequest own = request;
  if (own.shards == 0 && is_started_by_mpi()) {
    own.shards = kShardsOfJob;
    own.kept["--shards"] = std::to_string(kShardsOfJob);
  }
  own.expect_possible();
  return Training(own).run();
}

}  // namespace postrider::cli
