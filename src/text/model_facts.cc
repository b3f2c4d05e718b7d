#include "text/model_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <variant>

#include "postrider/error.h"
#include "text/columns.h"
#include "text/evaluation_facts.h"
#include "text/text_table.h"

namespace postrider::cli {
namespace {

std::string activation_text(const network::Layer& layer) {
  switch (layer.activation) {
    case network::Activation::relu:
      return "ReLU";
    case network::Activation::identity:
      return "linear";
    case network::Activation::leaky_relu:
      break;
  }
  return "leaky ReLU";
}

}  // namespace

bool is_input(const ColumnSchema& column) {
  return !column.target && column.kind != ColumnSchema::Kind::ignored;
}

std::string inputs_text(const Schema& schema) {
  constexpr std::size_t kMostNamed = 20;
  std::string names;
  std::size_t inputs = 0;
  for (const ColumnSchema& column : schema.columns) {
    if (!is_input(column) || ++inputs > kMostNamed) continue;
    names += (names.empty() ? "" : ", ") + column.name;
  }
  if (inputs > kMostNamed) names += " and " + std::to_string(inputs - kMostNamed) + " more";
  return names;
}

std::vector<std::size_t> rows_with_target(const TableModel& model, const Table& table,
                                          const std::vector<std::size_t>& rows) {
  std::vector<std::size_t> out;
  if (!table.has_target()) return out;
  const Table::Column& target = table.column(model.schema().target());
  for (const std::size_t row : rows)
    if (model.classifies() ? target.codes[row] < model.classes().size()
                           : !std::isnan(target.numbers[row]))
      out.push_back(row);
  return out;
}

std::size_t members_of(const TableModel& model) { return model.estimator().ensemble_size(); }

const network::Network& network_of(const TableModel& model, std::size_t member) {
  return model.estimator().network(member);
}

double noise_variance_of(const TableModel& model, std::size_t member) {
  return model.estimator().noise_variance(member).front();
}

std::vector<Estimator::ColumnScale> input_scales(const TableModel& model) {
  return model.estimator().input_scales();
}

std::string encoding_text(const ColumnEncoding& encoding) {
  std::string out(to_string(encoding.kind));
  if (encoding.kind == Encoding::piecewise) out += ", " + counted(encoding.knots.size(), "knot");
  if (encoding.kind == Encoding::bins) out += ", " + counted(encoding.knots.size() + 1, "bin");
  return out;
}

std::string encodings_text(const TableModel& model) {
  std::map<std::string_view, std::size_t> counts;
  for (const ColumnEncoding& each : model.estimator().encodings()) ++counts[to_string(each.kind)];
  std::string out;
  for (const auto& [kind, count] : counts)
    out += fmt::format("{}{} of {}", out.empty() ? "" : ", ", kind, counted(count, "input"));
  return out;
}

namespace {

// One of the inputs that a column has: at a knot, in a bin, or its rank.
std::string input_name(const std::string& column, const ColumnEncoding& encoding, std::size_t k) {
  if (encoding.inputs() == 1) return column;
  if (encoding.kind == Encoding::piecewise)
    return fmt::format("{} at {}", column, short_number(encoding.knots[k]));
  if (k < encoding.knots.size())
    return fmt::format("{} up to {}", column, short_number(encoding.knots[k]));
  if (k == encoding.knots.size())
    return fmt::format("{} above {}", column, short_number(encoding.knots.back()));
  return column + ", its rank";
}

}  // namespace

std::vector<std::string> network_input_names(const TableModel& model) {
  const std::vector<ColumnEncoding>& encodings = model.estimator().encodings();
  std::vector<std::string> out;
  for (std::size_t c = 0; c < encodings.size(); ++c)
    for (std::size_t k = 0; k < encodings[c].inputs(); ++k)
      out.push_back(input_name(model.features()[c].name, encodings[c], k));
  return out;
}

std::string target_scale_text(const TableModel& model) {
  return model.regressor()->target_scale() == EstimatorOptions::TargetScale::root ? "square root"
                                                                                  : "";
}

std::string lattice_text(const TableModel& model) {
  const double step = model.classifies() ? 0 : model.regressor()->target_steps().front();
  if (step == 0) return "";
  return "multiples of " + short_number(step) + ": log-likelihoods are means over a step";
}

Estimator::ColumnScale target_scale(const TableModel& model) {
  return model.regressor()->target_scales().front();
}

double target_unit(const TableModel& model) {
  return model.classifies() ? 1 : target_scale(model).std;
}

double noise_std(const TableModel& model) {
  double sum = 0;
  const std::size_t members = members_of(model);
  for (std::size_t m = 0; m < members; ++m) sum += noise_variance_of(model, m);
  const double unit = model.classifies() ? 1 : model.regressor()->learned_units().front();
  return unit * std::sqrt(sum / static_cast<double>(members));
}

bool noise_varies(const TableModel& model) {
  return !model.classifies() && model.regressor()->options().varying_noise;
}

bool is_noise_known(const TableModel& model) {
  return !model.classifies() && !model.regressor()->options().noise_std.empty();
}

std::optional<double> typical_noise(const TableModel& model, const Table& table) try {
  constexpr std::size_t kEnoughRows = 1000;
  if (model.classifies() || table.rows() == 0) return {};
  std::vector<std::size_t> rows;
  const std::size_t step = (table.rows() + kEnoughRows - 1) / kEnoughRows;
  for (std::size_t row = 0; row < table.rows(); row += step) rows.push_back(row);
  std::vector<double> noise = model.predict(table.selected(rows)).noise_std;
  const auto middle = noise.begin() + static_cast<std::ptrdiff_t>(noise.size() / 2);
  std::ranges::nth_element(noise, middle);
  return *middle;
} catch (const InvalidArgument&) {
  return {};  // a number so far from the others that it is not predicted for: training has told of it
}

std::string noise_text(const TableModel& model, const std::optional<double>& typical) {
  if (!noise_varies(model))
    return fmt::format("{}, a standard deviation in units of {}{}", short_number(noise_std(model)),
                       model.target(), is_noise_known(model) ? ", as it was said" : "");
  if (!typical) return "depends on the inputs";
  return fmt::format("{} typically, a standard deviation in units of {}; depends on the inputs",
                     short_number(*typical), model.target());
}

std::string widths_text(const network::Network& network) {
  std::string out = std::to_string(network.options().inputs);
  for (const network::Layer& layer : network.options().layers)
    out += fmt::format(" - {}", layer.units);
  return out;
}

std::string network_text(const TableModel& model) {
  const network::Network& network = network_of(model);
  const std::size_t members = members_of(model);
  return fmt::format("{}, {}, {} weights{}", widths_text(network),
                     activation_text(network.options().layers.front()), network.weight_count(),
                     members > 1 ? fmt::format(", {} members", members) : "");
}

namespace {

constexpr std::size_t kMostChanges = 5;  // that are told one by one

std::span<const StreamReport::Change> first_changes(const std::vector<StreamReport::Change>& all) {
  return std::span(all).first(std::min(all.size(), kMostChanges));
}

// The rate of most weight, in words; nothing if there is only one.
std::string drift_text(const std::vector<StreamReport::Rate>& rates) {
  if (rates.size() < 2) return {};
  const StreamReport::Rate& most =
      *std::ranges::max_element(rates, {}, &StreamReport::Rate::weight);
  std::string out = "none";
  if (most.rate.forgetting > 0)
    out = fmt::format("what is {:.0f} rows old counts for a third", 1 / most.rate.forgetting);
  if (most.rate.walk > 0) {
    if (most.rate.forgetting == 0) out.clear();
    out += fmt::format("{}outputs walk by {:.2g} standard deviations per row",
                       out.empty() ? "" : ", ", std::sqrt(most.rate.walk));
  }
  return fmt::format("{}; of {} rates this one has {:.0f} % of the weight", out, rates.size(),
                     100 * most.weight);
}

}  // namespace

std::string change_text(const StreamReport::Change& change) {
  return fmt::format("after row {}: {:.2f} nats per row lost, told after row {}", change.began,
                     change.strength, change.found + 1);
}

void add_stream_facts(const TableModel& model, const TableModel::Step& step, TextTable& to) {
  if (step.kind == TableModel::Step::Kind::fit) return;
  if (!std::isnan(step.stream.score))
    to.add({"score", fmt::format("{:.3f} nats per row, each predicted before it was learned",
                                 step.stream.score - std::log(target_unit(model)))});
  if (const std::string drift = drift_text(step.stream.rates); !drift.empty())
    to.add({"drift", drift});
  for (const StreamReport::Change& change : first_changes(step.stream.changes))
    to.add({"change", change_text(change)});
  if (step.stream.changes.size() > kMostChanges)
    to.add({"", fmt::format("and {} more", step.stream.changes.size() - kMostChanges)});
  if (step.stream.far_targets > 0)
    to.add({"outliers", counted(step.stream.far_targets, "target") +
                            " beyond 10 standard deviations, learned as if they were that far"});
  if (!step.stream.sound)
    to.add({"not learned", "some rows, after which beliefs would have been no numbers"});
  if (model.estimator().is_too_narrow())
    to.add({"narrow",
            "the network was narrowed for the few rows of its training; train anew with "
            "all rows, or with --weights-per-example 0"});
}

std::string ended_text(const TableModel::Step& step, bool is_time_over) {
  const auto ended_by = [&](FitReport::StopReason reason) {
    return static_cast<std::size_t>(std::ranges::count(step.fits, reason, &FitReport::reason));
  };
  const std::size_t networks = step.fits.size(),
                    by_epochs = ended_by(FitReport::StopReason::max_epochs);
  if (ended_by(FitReport::StopReason::cancelled) > 0)
    return is_time_over ? "the time was over" : "interrupted";
  if (ended_by(FitReport::StopReason::diverged) > 0) return "the score was no longer a number";
  if (by_epochs == 0) return "the score no longer rose";
  std::size_t most = 0;
  for (const FitReport& fit : step.fits) most = std::max(most, fit.epochs.size());
  const auto rising =
      static_cast<std::size_t>(std::ranges::count_if(step.fits, &FitReport::may_still_rise));
  return fmt::format("all {} epochs that were allowed, {} of {}; {}", most, by_epochs,
                     counted(networks, "network"),
                     2 * rising > networks ? "more may be better: --max-epochs"
                                           : "the score hardly rose any more");
}

bool ended_early(const TableModel::Step& step) {
  return std::ranges::any_of(step.fits, [](const FitReport& fit) {
    return fit.reason == FitReport::StopReason::max_epochs ||
           fit.reason == FitReport::StopReason::cancelled;
  });
}

std::string cut_text(const TableModel::Step& step, bool is_interrupted, bool without_folds) {
  const bool is_cut =
      is_interrupted ||
      std::ranges::count(step.fits, FitReport::StopReason::cancelled, &FitReport::reason) > 0;
  if (!is_cut && !without_folds) return "";
  const std::string why =
      is_interrupted ? "\ninterrupted: " : "\nthe time of --time-budget is over: ";
  if (without_folds) return why + "the model is saved, but there is no cross-validation\n";
  std::size_t epochs = 0;
  for (const FitReport& fit : step.fits) epochs = std::max(epochs, fit.epochs.size());
  return why + "the model has what was best until now" + (epochs == 1 ? ", one epoch\n" : "\n");
}

std::string out_of_fold_text(const TableModel& model) {
  const std::optional<Estimator::OutOfFoldScore> score = model.estimator().out_of_fold_score();
  if (!score) return "";
  return fmt::format("out-of-fold log-likelihood {:.3f} ± {:.3f} nats per row; higher is better",
                     score->log_likelihood, score->standard_error);
}

FitSummary summary_of(const TableModel::Step& step) {
  FitSummary out;
  if (step.fits.empty()) return out;
  out.first_best = step.fits.front().best_epoch;
  for (const FitReport& fit : step.fits) {
    out.first_best = std::min(out.first_best, fit.best_epoch);
    out.last_best = std::max(out.last_best, fit.best_epoch);
    out.epochs = std::max(out.epochs, fit.epochs.size());
    out.refit_epochs = std::max(out.refit_epochs, fit.refit_epochs);
  }
  return out;
}

std::string fold_scores_text(const TableModel& model, const TableModel::FoldScores& scores) {
  if (model.classifies())
    return fmt::format("{} folds: accuracy {}, log-loss {}", scores.folds,
                       estimate_text(scores.accuracy), estimate_text(scores.log_loss));
  return fmt::format(
      "{} folds: root mean square error {}, log-likelihood {}, {:.1f} % ± {:.1f} in "
      "intervals of 90 %",
      scores.folds, estimate_text(scores.root_mean_square_error),
      estimate_text(scores.log_likelihood), 100 * scores.coverage.value,
      100 * scores.coverage.standard_error);
}

namespace {

std::string quoted(const std::string& word) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:%@";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// A flag may have a name for each of its two values: the one that says this value.
std::string flag_for(const OptionInfo& info, bool value) {
  const std::string_view flags = info.command_line;
  const std::size_t no = flags.find('!');
  if (value) return std::string(flags.substr(0, flags.find(',')));
  return no == std::string_view::npos ? "" : std::string(flags.substr(no + 1));
}

void add_estimator_options(const EstimatorOptions& options, std::vector<std::string>& to) {
  constexpr std::array<std::string_view, 5> kOfARun{"threads", "classes", "checkpoint",
                                                    "checkpoint_every", "resume"};
  const EstimatorOptions defaults;
  for (const OptionInfo& info : estimator_options()) {
    if (info.command_line.empty() || std::ranges::find(kOfARun, info.name) != kOfARun.end())
      continue;
    const OptionValue value = get_option(options, info.name);
    if (value == get_option(defaults, info.name)) continue;
    if (info.kind == OptionInfo::Kind::flag)
      to.push_back(flag_for(info, std::get<bool>(value)));
    else
      add_option_words(std::string(info.command_line.substr(info.command_line.rfind(',') + 1)),
                       to_string(value), to);
  }
}

void add_columns(const TableModel& model, std::vector<std::string>& to) {
  std::vector<std::string> ignored;
  for (const ColumnSchema& column : model.schema().columns)
    if (column.kind == ColumnSchema::Kind::ignored && column.note == "asked for")
      ignored.push_back(column.name);
  if (!ignored.empty()) add_option_words("--ignore", listed(ignored, ","), to);
  if (!model.schema().na.empty()) add_option_words("--na", listed(model.schema().na, ","), to);
  if (model.missing() == TableModelOptions::Missing::mean)
    add_option_words("--missing", "mean", to);
  if (model.indicators()) to.emplace_back("--indicators");
  if (model.profile().is_empty()) to.emplace_back("--no-profile");
}

}  // namespace

void add_option_words(const std::string& name, const std::string& value,
                      std::vector<std::string>& to) {
  if (value.starts_with('-')) {
    to.push_back(name + "=" + value);
  } else {
    to.push_back(name);
    to.push_back(value);
  }
}

std::string training_command(const TableModel& model) {
  std::vector<std::string> words;
  add_option_words("--target", model.target(), words);
  add_estimator_options(model.estimator().options(), words);
  add_columns(model, words);
  if (!model.history().empty()) {
    const TableModel::Step& first = model.history().front();
    if (first.kind == TableModel::Step::Kind::stream) words.emplace_back("--stream");
    words.insert(words.end(), first.words.begin(), first.words.end());
  }
  std::string out = "postrider train TRAINING.csv";
  for (const std::string& word : words) out += " " + quoted(word);
  return out;
}

}  // namespace postrider::cli
