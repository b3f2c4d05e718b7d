#include "cli/declare_sparse.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.h"

namespace postrider::cli {
namespace {

template <class Request>
CLI::App* add(CLI::App& parent, Action& chosen, const char* name, const char* description,
              ExitCode (*execute)(const Request&), const std::shared_ptr<Request>& request) {
  CLI::App* const command = parent.add_subcommand(name, description);
  command->allow_config_extras(CLI::config_extras_mode::error);
  command->fallthrough();
  command->callback(
      [&chosen, request, execute] { chosen = [request, execute] { return execute(*request); }; });
  return command;
}

void add_rows(CLI::App& command, std::string& data, std::string& format) {
  command
      .add_option(
          "DATA", data,
          "rows as LIBSVM's or Vowpal Wabbit's text, also as .gz or .zst; - is standard input")
      ->required();
  command.add_option("--format", format, "auto, libsvm or vw")->capture_default_str();
}

// The options of the model, as their table says.
void add_model_options(CLI::App& command, SparseOptions& options) {
  for (const OptionInfo& info : sparse_options()) {
    const std::string flag(info.command_line), help(info.help);
    if (info.kind == OptionKind::flag) {
      command.add_flag_function(
          flag,
          [&options, &info](std::int64_t count) {
            set_sparse_option(options, info.name, count > 0, Spelling::command_line);
          },
          help);
      continue;
    }
    const auto add = [&]<class V>(V) {
      return command.add_option_function<V>(
          flag,
          [&options, &info](const V& value) {
            set_sparse_option(options, info.name, OptionValue(value), Spelling::command_line);
          },
          help);
    };
    CLI::Option* const option =
        info.kind == OptionKind::choice ? add(std::string{}) : add(std::uint64_t{});
    option->default_str(to_string(get_sparse_option({}, info.name)));
  }
}

}  // namespace

void declare_sparse(CLI::App& app, Action& chosen) {
  CLI::App* const sparse =
      app.add_subcommand("sparse", "linear models of sparse rows, learned as they come");
  sparse->require_subcommand(1);
  sparse->fallthrough();

  const auto learn = std::make_shared<SparseLearnRequest>();
  CLI::App* command =
      add(*sparse, chosen, "learn", "learn rows once, or in several passes", &sparse_learn, learn);
  add_rows(*command, learn->data, learn->format);
  command->add_option("-o,--output", learn->output, "where the model goes")->required();
  add_model_options(*command, learn->options);
  CLI::Option* const resume =
      command->add_option("--resume", learn->resume, "a model to go on with, with its own options");
  // In silence they would be another model's.
  for (const OptionInfo& info : sparse_options())
    resume->excludes(command->get_option(std::string(info.command_line)));
  command->add_flag("--force", learn->force, "replace a file that is there and of another kind");
  command->add_flag("-q,--quiet", learn->quiet, "print nothing but errors");

  const auto predict = std::make_shared<SparsePredictRequest>();
  command = add(*sparse, chosen, "predict", "a line of CSV for each row", &sparse_predict, predict);
  command->add_option("MODEL", predict->model, "model file, as sparse learn wrote it")->required();
  add_rows(*command, predict->data, predict->format);
  command->add_option("-o,--output", predict->output,
                      "where they go; standard output if not given");
  command->add_flag("--force", predict->force, "replace a file that is there and of another kind");

  const auto evaluate = std::make_shared<SparseEvaluateRequest>();
  command = add(*sparse, chosen, "evaluate", "how good its predictions are, on rows with targets",
                &sparse_evaluate, evaluate);
  command->add_option("MODEL", evaluate->model, "model file, as sparse learn wrote it")->required();
  add_rows(*command, evaluate->data, evaluate->format);
  command->add_flag("--json", evaluate->json, "print JSON instead of text");
}

}  // namespace postrider::cli
