#include "cli/declare.h"

#include <cctype>
#include <charconv>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/declared_commands.h"

namespace postrider::cli {
void add_data_format(CLI::App& command, DataRequest& data) {
  command.add_option("--format", data.format, "infer, csv or libsvm")->capture_default_str();
  command.add_option("--delimiter", data.delimiter,
                     "between the cells of CSV: one character, or tab; inferred if not given");
  command.add_flag("--no-header", data.no_header, "the first line of CSV holds values, not names");
}

void add_skip_bad(CLI::App& command, DataRequest& data) {
  command.add_flag("--skip-bad", data.skip_bad,
                   "pass over rows that cannot be read, count them and list them");
}

void add_model(CLI::App& command, std::string& model) {
  command.add_option("MODEL", model, "model file, as train wrote it")->required();
}

void add_data(CLI::App& command, DataRequest& data) {
  command
      .add_option("DATA", data.path, "CSV or LIBSVM text, also as .gz or .zst; - is standard input")
      ->required();
  add_data_format(command, data);
  add_skip_bad(command, data);
}

void add_data_option(CLI::App& command, DataRequest& data) {
  command
      .add_option("DATA,-d,--data", data.path, "rows with targets that the model has not learned")
      ->required();
  add_data_format(command, data);
  add_skip_bad(command, data);
}

void add_force(CLI::App& command, bool& force) {
  command.add_flag("--force", force, "replace a file that is there and of another kind");
}

void add_json(CLI::App& command, bool& json, const char* description) {
  command.add_flag("--json", json, description);
}

std::string described(std::string_view help) {
  std::string out(help.substr(0, help.find_last_not_of('.') + 1));
  if (!out.empty()) out[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(out[0])));
  return out;
}

namespace {

// All options of estimators that the command line offers, as their table says.
void add_estimator_options(CLI::App& command, EstimatorOptions& options) {
  for (const OptionInfo& info : estimator_options()) {
    if (info.command_line.empty()) continue;
    const std::string flags(info.command_line),
        help = described(info.help) + (info.zero_chooses ? "; 0: chosen" : "");
    const auto add = [&]<class V>(V) {
      return command.add_option_function<V>(
          flags,
          [&options, &info](const V& value) {
            set_option(options, info.name, OptionValue(value), OptionInfo::Spelling::command_line);
          },
          help);
    };
    CLI::Option* option = nullptr;
    switch (info.kind) {
      case OptionInfo::Kind::flag:
        command.add_flag_function(
            flags,
            [&options, &info](std::int64_t count) { set_option(options, info.name, count > 0); },
            help);
        continue;
      case OptionInfo::Kind::count:
        option = add(std::uint64_t{});
        break;
      case OptionInfo::Kind::number:
        option = add(double{});
        break;
      case OptionInfo::Kind::counts:
        option = add(std::vector<std::size_t>{})->delimiter(',')->allow_extra_args(false);
        break;
      case OptionInfo::Kind::numbers:
        option = add(std::vector<double>{})->delimiter(',')->allow_extra_args(false);
        break;
      case OptionInfo::Kind::text:
      case OptionInfo::Kind::choice:
        option = add(std::string{});
        break;
    }
    option->default_str(info.command_line_default.empty() ? to_string(get_option({}, info.name))
                                                          : std::string(info.command_line_default));
  }
}

}  // namespace

void Commands::add_train() {
  CLI::App* command = nullptr;
  const auto r = add(app_, "train", "learn one column of a table from the others", &train, command);
  add_data(*command, r->data);
  command->add_option("-t,--target", r->target, "the column to predict; label in LIBSVM text");
  command->add_option("-o,--output", r->output, "where the model goes; - is standard output")
      ->capture_default_str();
  add_force(*command, r->force);
  command->add_flag("--classify", r->classify, "take the values of a numeric target as classes");
  command->add_flag("--regress", r->regress, "take a target of 0 and 1, or -1 and 1, as amounts");
  add_list(*command, "--categorical", r->categorical, "columns to take as categories: a,b");
  add_list(*command, "--numeric", r->numeric, "columns to take as numbers");
  add_list(*command, "--ignore", r->ignore, "columns to leave out");
  add_list(*command, "--na", r->na,
           "cells that stand for a missing value, besides NA, null, ? and others: -999,unknown");
  command->add_option("--missing", r->missing, "missing inputs: vague (claim nothing) or mean")
      ->capture_default_str();
  command->add_flag("--indicators", r->indicators,
                    "one more input per column with missing values: whether it is missing");
  command->add_flag("--no-profile", r->no_profile,
                    "keep no profile of the columns in the model file; new rows are then not "
                    "compared with those learned");
  add_estimator_options(*command, r->estimator);
  command
      ->add_option("--validation", r->split.validation,
                   "share of rows to hold out and evaluate on: at random, by --time or by --group")
      ->capture_default_str();
  command
      ->add_option("--folds", r->split.folds,
                   "cross-validation: also train on all but one of so many folds of the rows, and "
                   "evaluate on each")
      ->capture_default_str();
  command->add_option(
      "--time", r->split.time,
      "a column of dates or numbers: networks leave out whole stretches of it; with "
      "--validation or --folds learn what came before, evaluate on what came after");
  command->add_option("--group", r->split.group,
                      "a column of groups, such as patients: no group is both learned and judged, "
                      "in the score, with --validation or with --folds; it is not an input");
  command->add_option("--out-of-fold", r->out_of_fold,
                      "CSV file of out-of-fold predictions: each row as predicted by models of "
                      "--folds or --validation that have not learned it");
  add_list(*command, "--key", r->keys,
           "columns of the data to write to --out-of-fold: id,date; --ignore leaves one out of the "
           "inputs");
  command->add_option(
      "--weights", r->weights,
      "a column of sample weights: how often each row counts, from 0 to 100; it is not an input");
  add_list(*command, "--class-weights", r->class_weights,
           "how often rows of a class count: balanced, or yes=2,no=1");
  command
      ->add_option(
          "--shards", r->shards,
          "deal the rows to so many shards, which threads and the ranks of mpirun share; the model "
          "depends on their number, and on nothing else")
      ->capture_default_str();
  command
      ->add_option("--rows-in-flight", r->rows_in_flight,
                   "with --shards: share of the rows that are learned between two sums, at most")
      ->capture_default_str();
  command
      ->add_option("--deadline", r->deadline,
                   "with --shards: seconds after which a rank that does not answer is an error")
      ->capture_default_str();
  command->add_flag("--stream", r->stream, "learn each row once, in constant memory");
  command->add_option("--time-budget", r->time_budget,
                      "end after this time with what is best by then: 90s, 10m, 2h");
  command->add_option(
      "--memory", r->memory,
      "memory that the program may take, about: 512M, 2G; stored messages are sized to it");
  command->add_flag("--dry-run", r->dry_run, "print how the table is read, and learn nothing");
  command->add_flag("-q,--quiet", r->quiet, "print nothing but errors");
  add_json(*command, r->json, "print what was learned as JSON");
  command->callback([&chosen = chosen_, r, command] {
    r->kept = options_to_keep(*command);
    chosen = [r] { return train(*r); };
  });
}

void Commands::add_predict() {
  CLI::App* command = nullptr;
  const auto r = add(app_, "predict", "a distribution for each row, as CSV", &predict, command);
  add_model(*command, r->model);
  add_data(*command, r->data);
  add_list(*command, "--key", r->data.keys,
           "columns of the data to write in front of each prediction: id,date");
  command->add_option("-o,--output", r->output, "where the CSV goes; standard output if not given");
  add_force(*command, r->force);
  command->add_option("--level", r->level, "share that the interval from low to high should hold")
      ->capture_default_str();
  add_list(*command, "--quantiles", r->quantiles,
           "quantiles of the distribution to add: 0.05,0.5,0.95");
  command->add_flag("--far", r->far,
                    "a column that is 1 in rows that are far from all rows learned, else 0");
  command->add_flag(
      "--parts", r->parts,
      "the standard deviation's two parts: epistemic, from the uncertainty of the weights, and "
      "aleatoric, noise");
  command->add_option("--threshold", r->threshold,
                      "of two classes, choose the second where its probability is at least this; "
                      "else the more probable one");
  command->add_option("--samples", r->samples, "draws for each row")->capture_default_str();
  command->add_option("--seed", r->seed, "seed of the draws")->capture_default_str();
  add_json(*command, r->json, "one JSON object for each row");
  command->add_flag("-q,--quiet", r->quiet, "print nothing but errors and predictions");
}

void Commands::add_evaluate() {
  CLI::App* command = nullptr;
  const auto r = add(app_, "evaluate", "how good predictions are, and how well calibrated",
                     &evaluate, command);
  add_model(*command, r->model);
  add_data(*command, r->data);
  command->add_option("-o,--output", r->output,
                      "where each row goes as CSV: keys, target, prediction and how far it is off");
  add_list(*command, "--key", r->data.keys, "columns of the data to write to --output: id,date");
  add_force(*command, r->force);
  add_json(*command, r->json);
}

void Commands::add_update() {
  CLI::App* command = nullptr;
  const auto r = add(app_, "update", "go on learning from new rows, each once", &update, command);
  add_model(*command, r->model);
  add_data(*command, r->data);
  command->add_option("-o,--output", r->output, "where the model goes; in place if not given");
  add_force(*command, r->force);
  command->add_flag("--anyway", r->anyway,
                    "learn rows that were learned already, or that seem to be in another unit");
  command->add_flag("-q,--quiet", r->quiet, "print nothing but errors");
  add_json(*command, r->json, "print what was learned as JSON");
}

void Commands::add_sparse() { declare_sparse(app_, chosen_); }

void Commands::add_report() {
  CLI::App* command = nullptr;
  const auto r =
      add(app_, "report", "one HTML page that says how far to trust a model", &report, command);
  add_model(*command, r->model);
  add_data_option(*command, r->data);
  command->add_option("-o,--out", r->output, "where the page goes; - is standard output")
      ->capture_default_str();
  add_force(*command, r->force);
  command->add_option("--title", r->title, "of the page");
  command->add_option("--level", r->level, "of the intervals that are drawn")
      ->capture_default_str();
  add_list(*command, "--key", r->data.keys, "columns that name the rows that are shown: id,date");
  command->add_option("--time", r->time, "a column of dates or numbers: errors are drawn over it");
  command->add_option("--group", r->group,
                      "a column: the report has the errors of each of its values");
  command->add_flag("-q,--quiet", r->quiet, "print nothing but errors");
}

void Commands::add_certify() {
  CLI::App* command = nullptr;
  const auto r = add(app_, "certify", "how far a network's messages are from the exact ones",
                     &certify, command);
  add_model(*command, r->model);
  add_data_option(*command, r->data);
  command->add_option("--member", r->member, "which network of the model, from 1")
      ->capture_default_str();
  command->add_option("--rows", r->options.rows, "rows to compare, drawn at random")
      ->capture_default_str();
  command->add_option("--messages", r->options.messages, "messages to compare per layer and kind")
      ->capture_default_str();
  command
      ->add_option("--kl-limit", r->options.kl_limit,
                   "nats from the exact belief that count as an inconsistency")
      ->capture_default_str();
  command->add_option("--seed", r->options.seed, "seed of the draws")->capture_default_str();
  command->add_option("--threads", r->options.threads, "does not change the result")
      ->capture_default_str();
  add_json(*command, r->json);
}

void Commands::add_inspect() {
  CLI::App* command = nullptr;
  const auto r = add(app_, "inspect", "what a model file holds", &inspect, command);
  add_model(*command, r->model);
  add_json(*command, r->json);
}

void Commands::add_factor() {
  CLI::App* factor =
      app_.add_subcommand("factor", "the factors of the library, and checks of them");
  factor->require_subcommand(1);
  factor->fallthrough();
  add_plain(*factor, "list", "names of the library's factors", &factor_list);
  CLI::App* command = nullptr;
  const auto r = add(*factor, "certify",
                     "check exactness against quadrature, consistency, properness, master theorem",
                     &factor_certify, command);
  command->add_option("FACTOR", r->names, "factors of the library; all of them if none is named");
  command->add_option("-p,--parameter", r->parameters, "a parameter, such as slope=0.3")
      ->allow_extra_args(false);
  command->add_option("-l,--load", r->loads, "a shared object that defines a factor of yours")
      ->allow_extra_args(false);
  command->add_option("--seed", r->options.seed, "seed of the random messages")
      ->capture_default_str();
  command
      ->add_option("--configurations", r->options.configurations,
                   "messages compared with quadrature, per edge and rule")
      ->capture_default_str();
  command
      ->add_option("--evaluations", r->options.evaluations,
                   "messages tried for properness, per edge and rule")
      ->capture_default_str();
  command->add_option("--tolerance", r->options.exactness_tolerance, "accepted relative error")
      ->capture_default_str();
  add_json(*command, r->json);
}

void Commands::add_graph() {
  CLI::App* command = nullptr;
  const auto r = add(app_, "graph", "a network's factor graph, for Graphviz", &graph, command);
  add_model(*command, r->model);
  command->add_option("-o,--output", r->output, "where it goes; standard output if not given");
  add_force(*command, r->force);
  command->add_option("--member", r->member, "which network of the model, from 1")
      ->capture_default_str();
  command->add_flag("--full", r->full,
                    "each weight by itself, with its belief; small networks only");
}

void Commands::add_options() {
  add_plain(app_, "options", "the options of training, as C++, this program and Python call them",
            [] {
              std::cout << estimator_options_page();
              return ExitCode::ok;
            });
}

void Commands::add_completion() {
  auto shell = std::make_shared<std::string>();
  CLI::App* command =
      add_plain(app_, "completion", "completions for a shell", [this_app = &app_, shell] {
        std::cout << completion_script(describe(*this_app), *shell);
        return ExitCode::ok;
      });
  command->add_option("SHELL", *shell, "bash, zsh or fish")->required();
}

void Commands::add_help() {
  auto names = std::make_shared<std::vector<std::string>>();
  CLI::App* command = add_plain(app_, "help", "the help of a command", [this_app = &app_, names] {
    std::cout << help_text(*this_app, *names);
    return ExitCode::ok;
  });
  command->add_option("COMMAND", *names, "the command, such as train or factor certify");
}

void Commands::add_manual() {
  add_plain(app_, "manual", "the manual page, for man", [this_app = &app_] {
    std::cout << manual_page(describe(*this_app));
    return ExitCode::ok;
  });
}

// CLI11 reads -3 as a very large whole number, and what is larger than any as the largest.
namespace {

std::string refuse_negative(const std::string& text) {
  if (text.find('-') != std::string::npos) return text + " must be a whole number of at least 0";
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc::result_out_of_range
             ? text + " must be at most " + std::to_string(UINT64_MAX)
             : "";
}

void refuse_negative_counts(CLI::App& app) {
  for (CLI::Option* option : app.get_options())
    if (option->get_type_name() == "UINT") option->check(CLI::Validator(refuse_negative, ""));
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; }))
    refuse_negative_counts(*command);
}

}  // namespace

void declare_commands(CLI::App& app, Action& chosen) {
  Commands commands(app, chosen);
  commands.add_train();
  commands.add_predict();
  commands.add_explain();
  commands.add_evaluate();
  commands.add_update();
  commands.add_select();
  commands.add_stream();
  commands.add_serve();
  commands.add_rate();
  commands.add_sparse();
  commands.add_report();
  commands.add_certify();
  commands.add_inspect();
  commands.add_graph();
  commands.add_factor();
  commands.add_options();
  commands.add_completion();
  commands.add_manual();
  commands.add_help();
  refuse_negative_counts(app);
}

}  // namespace postrider::cli
