#include "cli/program.h"

#include <CLI/CLI.hpp>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands/certify.h"
#include "cli/commands/evaluate.h"
#include "cli/commands/factor.h"
#include "cli/commands/inspect.h"
#include "cli/commands/predict.h"
#include "cli/commands/report.h"
#include "cli/commands/train.h"
#include "cli/commands/update.h"
#include "cli/exit_code.h"
#include "cli/text_table.h"
#include "postrider/error.h"
#include "postrider/version.h"

namespace postrider::cli {
namespace {

constexpr const char* kExitCodes =
    "Exit codes: 0 all is well; 1 a check did not hold; 2 a mistake in the call; 3 a file cannot "
    "be\n"
    "read, used or written; 4 a mistake of ours; 130 interrupted.";

// What a command does once its options are read.
using Action = std::function<ExitCode()>;

class Program {
 public:
  Program();
  int run(int count, char** arguments);

 private:
  template <class Request>
  std::shared_ptr<Request> add(CLI::App& parent, const char* name, const char* description,
                               ExitCode (*execute)(const Request&), CLI::App*& command) {
    auto request = std::make_shared<Request>();
    command =
        add_plain(parent, name, description, [request, execute] { return execute(*request); });
    return request;
  }
  CLI::App* add_plain(CLI::App& parent, const char* name, const char* description, Action action);

  void add_train();
  void add_predict();
  void add_evaluate();
  void add_update();
  void add_report();
  void add_certify();
  void add_inspect();
  void add_factor();

  int mistake(const CLI::ParseError& error);
  std::string command_name() const;  // "train", or "factor certify"
  const CLI::App* innermost() const;

  CLI::App app_;
  Action action_;
};

// --- pieces that several commands share --------------------------------------------------------------

CLI::Option* add_list(CLI::App& command, const std::string& name, auto& values,
                      const std::string& description) {
  return command.add_option(name, values, description)->delimiter(',')->allow_extra_args(false);
}

void add_data_format(CLI::App& command, DataRequest& data) {
  command.add_option("--format", data.format, "infer, csv or libsvm")->capture_default_str();
  command.add_option("--delimiter", data.delimiter,
                     "between the cells of CSV: one character, or tab; inferred if not given");
  command.add_flag("--no-header", data.no_header, "the first line of CSV holds values, not names");
}

void add_model(CLI::App& command, std::string& model) {
  command.add_option("MODEL", model, "model file, as train wrote it")->required();
}

void add_data(CLI::App& command, DataRequest& data) {
  command
      .add_option("DATA", data.path, "CSV or LIBSVM text, also as .gz or .zst; - is standard input")
      ->required();
  add_data_format(command, data);
}

void add_data_option(CLI::App& command, DataRequest& data) {
  command.add_option("-d,--data", data.path, "rows with targets that the model has not learned")
      ->required();
  add_data_format(command, data);
}

void add_json(CLI::App& command, bool& json, const char* description = "print JSON") {
  command.add_flag("--json", json, description);
}

// --- the commands ------------------------------------------------------------------------------------

CLI::App* Program::add_plain(CLI::App& parent, const char* name, const char* description,
                             Action action) {
  CLI::App* command = parent.add_subcommand(name, description);
  command->allow_config_extras(CLI::config_extras_mode::error);
  command->fallthrough();
  command->callback([this, action = std::move(action)] { action_ = action; });
  return command;
}

void Program::add_train() {
  CLI::App* command = nullptr;
  const auto r = add(app_, "train", "learn one column of a table from the others", &train, command);
  add_data(*command, r->data);
  command->add_option("-t,--target", r->target, "the column to predict; label in LIBSVM text");
  command->add_option("-o,--output", r->output, "where the model goes")->capture_default_str();
  command->add_flag("--classify", r->classify, "take the values of a numeric target as classes");
  add_list(*command, "--categorical", r->categorical, "columns to take as categories: a,b");
  add_list(*command, "--numeric", r->numeric, "columns to take as numbers");
  add_list(*command, "--ignore", r->ignore, "columns to leave out");
  command->add_option("--missing", r->missing, "missing inputs: vague (claim nothing) or mean")
      ->capture_default_str();
  add_list(*command, "--hidden", r->hidden, "units of the hidden layers, at most")
      ->capture_default_str();
  command->add_option("--members", r->members, "networks to average; 0 chooses by the rows")
      ->capture_default_str();
  command->add_option("--epochs", r->epochs, "at most")->capture_default_str();
  command->add_option("--patience", r->patience, "epochs without a better score before it stops")
      ->capture_default_str();
  command->add_flag("--constant-noise", r->constant_noise,
                    "the same noise everywhere; by default it depends on the inputs");
  command->add_option("--seed", r->seed, "the same seed gives the same model")
      ->capture_default_str();
  command->add_option("--threads", r->threads, "0: all cores; does not change the model")
      ->capture_default_str();
  command
      ->add_option("--validation", r->validation,
                   "share of rows to hold out at random and evaluate on")
      ->capture_default_str();
  command->add_flag("--stream", r->stream, "learn each row once, in constant memory");
  command->add_option("--checkpoint", r->checkpoint, "write the state of training to this file");
  command->add_option("--checkpoint-every", r->checkpoint_every, "epochs between checkpoints")
      ->capture_default_str();
  command->add_flag("--resume", r->resume, "go on from the checkpoint, if there is one");
  command->add_flag("-q,--quiet", r->quiet, "print nothing but errors");
  add_json(*command, r->json, "print what was learned as JSON");
}

void Program::add_predict() {
  CLI::App* command = nullptr;
  const auto r = add(app_, "predict", "a distribution for each row, as CSV", &predict, command);
  add_model(*command, r->model);
  add_data(*command, r->data);
  command->add_option("-o,--output", r->output, "where the CSV goes; standard output if not given");
  command->add_option("--level", r->level, "share that the interval from low to high should hold")
      ->capture_default_str();
  add_list(*command, "--quantiles", r->quantiles, "more of the distribution: 0.05,0.5,0.95");
  command->add_option("--samples", r->samples, "draws for each row")->capture_default_str();
  command->add_option("--seed", r->seed, "of the draws")->capture_default_str();
  add_json(*command, r->json, "one JSON object for each row");
}

void Program::add_evaluate() {
  CLI::App* command = nullptr;
  const auto r = add(app_, "evaluate", "how good predictions are, and how well calibrated",
                     &evaluate, command);
  add_model(*command, r->model);
  add_data(*command, r->data);
  add_json(*command, r->json);
}

void Program::add_update() {
  CLI::App* command = nullptr;
  const auto r = add(app_, "update", "go on learning from new rows, each once", &update, command);
  add_model(*command, r->model);
  add_data(*command, r->data);
  command->add_option("-o,--output", r->output, "where the model goes; in place if not given");
  command->add_flag("-q,--quiet", r->quiet, "print nothing but errors");
  add_json(*command, r->json, "print what was learned as JSON");
}

void Program::add_report() {
  CLI::App* command = nullptr;
  const auto r =
      add(app_, "report", "one HTML page that says how far to trust a model", &report, command);
  add_model(*command, r->model);
  add_data_option(*command, r->data);
  command->add_option("-o,--out", r->output, "where the page goes; - is standard output")
      ->capture_default_str();
  command->add_option("--title", r->title, "of the page");
  command->add_option("--level", r->level, "of the intervals that are drawn")
      ->capture_default_str();
  command->add_flag("-q,--quiet", r->quiet, "print nothing but errors");
}

void Program::add_certify() {
  CLI::App* command = nullptr;
  const auto r = add(app_, "certify", "how far a network's messages are from the exact ones",
                     &certify, command);
  add_model(*command, r->model);
  add_data_option(*command, r->data);
  command->add_option("--member", r->member, "which network of the model, from 1")
      ->capture_default_str();
  command->add_option("--rows", r->options.rows, "drawn at random")->capture_default_str();
  command->add_option("--messages", r->options.messages, "compared per layer and kind")
      ->capture_default_str();
  command->add_option("--seed", r->options.seed, "of the draws")->capture_default_str();
  command->add_option("--threads", r->options.threads, "does not change the result")
      ->capture_default_str();
  add_json(*command, r->json);
}

void Program::add_inspect() {
  CLI::App* command = nullptr;
  const auto r = add(app_, "inspect", "what a model file holds", &inspect, command);
  add_model(*command, r->model);
  add_json(*command, r->json);
}

void Program::add_factor() {
  CLI::App* factor = app_.add_subcommand("factor", "the factors of the library, and their proofs");
  factor->require_subcommand(1);
  factor->fallthrough();
  add_plain(*factor, "list", "names of the library's factors", &factor_list);
  CLI::App* command = nullptr;
  const auto r = add(*factor, "certify",
                     "exactness against quadrature, consistency, properness, master theorem",
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

Program::Program()
    : app_("Bayesian neural networks from tables: predictions that say how sure they are.",
           "postrider") {
  app_.require_subcommand(1);
  app_.allow_config_extras(CLI::config_extras_mode::error);
  app_.set_version_flag("--version", std::string("postrider ") + kVersion);
  app_.set_config("--config", "", "options from a TOML file, in a section per command")
      ->type_name("FILE");
  app_.footer(kExitCodes);
  add_train();
  add_predict();
  add_evaluate();
  add_update();
  add_report();
  add_certify();
  add_inspect();
  add_factor();
}

// --- running them ------------------------------------------------------------------------------------

const CLI::App* Program::innermost() const {
  const CLI::App* at = &app_;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().back();
  return at;
}

std::string Program::command_name() const {
  std::string out;
  for (const CLI::App* at = innermost(); at != &app_; at = at->get_parent())
    out = at->get_name() + (out.empty() ? "" : " " + out);
  return out;
}

// Of an argument that nobody expected: the command or option that it is most like.
std::string suggestion(const CLI::App& command, const std::string& wrong) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(sub->get_name());
  return did_you_mean(wrong, names);
}

int Program::mistake(const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app_.exit(error);  // help and version
  const std::string name = command_name();
  std::string what = error.what();
  const CLI::App* command = innermost();
  const std::vector<std::string> extra = app_.remaining(true);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !extra.empty())
    what = extra.front() + ": is not expected here" + suggestion(*command, extra.front());
  std::cerr << "postrider: " << (name.empty() ? "" : name + ": ") << what << "\n"
            << "see postrider " << (name.empty() ? "" : name + " ") << "--help\n";
  return static_cast<int>(ExitCode::usage);
}

int Program::run(int count, char** arguments) {
  try {
    app_.parse(count, arguments);
  } catch (const CLI::FileError& error) {
    std::cerr << "postrider: --config: " << error.what() << "\n";
    return static_cast<int>(ExitCode::unreadable);
  } catch (const CLI::ParseError& error) {
    return mistake(error);
  }
  const auto tell = [&](const char* what, ExitCode code) {
    std::cerr << "postrider: " << command_name() << ": " << what << "\n";
    return static_cast<int>(code);
  };
  try {
    return static_cast<int>(action_());
  } catch (const InvalidArgument& error) {
    return tell(error.what(), ExitCode::usage);
  } catch (const Error& error) {
    return tell(error.what(), ExitCode::unreadable);
  } catch (const std::bad_alloc&) {
    return tell("there is not enough memory", ExitCode::internal);
  } catch (const std::exception& error) {  // also what a loaded factor throws
    return tell(error.what(), ExitCode::internal);
  }
}

}  // namespace

int run_program(int count, char** arguments) { return Program().run(count, arguments); }

}  // namespace postrider::cli
