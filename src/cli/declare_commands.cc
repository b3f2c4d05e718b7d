// The commands that follow streams, serve models and rate players.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.h"
#include "cli/declare.h"
#include "cli/declared_commands.h"

namespace postrider::cli {
void Commands::add_stream() {
  CLI::App* command = nullptr;
  const auto r = add(app_, "stream", "predict and learn events as they come", &stream, command);
  add_model(*command, r->model);
  command
      ->add_option("--from", r->data.path,
                   "kafka://HOST:PORT/TOPIC, redis://HOST:PORT/KEY, rediss:// for TLS, "
                   "redis+sentinel://HOST:PORT/MASTER/KEY, or a file; - is standard input")
      ->required();
  command->add_option(
      "--broker-config", r->broker,
      "file of key=value lines: for Kafka anything that librdkafka knows, for Redis "
      "users, passwords and certificates");
  command->add_option("--format", r->data.format, "format of a file: infer, csv, libsvm or jsonl")
      ->check(CLI::IsMember({"infer", "csv", "libsvm", "jsonl"}))
      ->capture_default_str();
  command->add_option("-o,--output", r->output, "where the model goes; in place if not given");
  command->add_option("--predictions", r->predictions,
                      "where predictions are appended, made before an event is learned; - is "
                      "standard output");
  command->add_option("--level", r->level, "probability of their intervals")->capture_default_str();
  command->add_option("--refused", r->refused,
                      "file to which events that made no sense are appended, each with the reason");
  command->add_option("--join", r->join,
                      "column, such as an order's number, by which a target that comes later finds "
                      "its event; without it, events without a target are not learned");
  command
      ->add_option("--join-window", r->join_window,
                   "how many events may come between an event and its target")
      ->capture_default_str();
  command->add_flag("--leave-waiting", r->leave_waiting,
                    "go on without --join although rows of the model wait for their target: they "
                    "stay in its file, and targets that come alone are refused");
  command->add_option("--log", r->log, "what it says while it runs: text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command
      ->add_option(
          "--metrics", r->metrics,
          "port of this machine on which /metrics, /live and /ready answer; 0: one that is "
          "free")
      ->check(CLI::Range(0, 65535));
  command->add_option("--on-change", r->on_change,
                      "command that gets each change and each drift as a line of JSON on its "
                      "standard input");
  command->add_option("--batch", r->batch, "events at most that are taken at a time")
      ->capture_default_str();
  command->add_option("--events", r->events, "end after so many; 0: never")->capture_default_str();
  command->add_flag("--follow", r->follow,
                    "go on behind the end of a file that grows, also when it is rotated");
  command->add_flag("--until-end", r->until_end, "end when there are no further events");
  command->add_flag("--no-learning", r->no_learning, "predict only; the model stays as it is");
  command->add_flag("--anyway", r->anyway,
                    "learn rows that were learned already, or seem to be in another unit");
  command->add_option("--save-every", r->save_seconds, "seconds from one snapshot to the next")
      ->capture_default_str();
  command
      ->add_option(
          "--patience", r->patience,
          "seconds that a broker is waited for at the start and with --until-end; later on, "
          "without end")
      ->capture_default_str();
  add_force(*command, r->force);
  command->add_flag("-q,--quiet", r->quiet, "print nothing but errors and predictions");
}

void Commands::add_serve() {
  CLI::App* command = nullptr;
  const auto r = add(app_, "serve", "predictions over HTTP", &serve, command);
  command
      ->add_option("MODELS", r->models,
                   "model files, as train or sparse learn wrote them: FILE, NAME=FILE or "
                   "NAME:VERSION=FILE; the first answers /predict")
      ->required();
  command->add_option("--host", r->host, "address to listen on; 0.0.0.0: all of this machine")
      ->capture_default_str();
  command->add_option("--port", r->port, "0: one that is free")->capture_default_str();
  command->add_option("--tokens", r->tokens,
                      "file of tokens, one a line, of which a client must send one; everybody may "
                      "ask if not given");
  command->add_option("--allow-host", r->hosts,
                      "names by which clients ask, besides addresses and localhost; *: any");
  command
      ->add_option("--connections", r->connections,
                   "connections at a time, at most; for a further one the slowest is closed")
      ->capture_default_str();
  command->add_option("--most-rows", r->most_rows, "rows of a request, at most")
      ->capture_default_str();
  command
      ->add_option("--most-bytes", r->most_bytes, "bytes of a request, and of its answer, at most")
      ->capture_default_str();
  command
      ->add_option("--most-seconds", r->most_seconds,
                   "seconds for a request to arrive, and for its answer to be taken")
      ->capture_default_str();
  command
      ->add_option("--grace-seconds", r->grace_seconds,
                   "seconds for requests that have begun, once SIGTERM has come")
      ->capture_default_str();
  command
      ->add_option(
          "--watch-seconds", r->watch_seconds,
          "seconds between two looks whether the model's file was replaced and must be loaded")
      ->capture_default_str();
  command->add_flag("--any-model", r->any_model,
                    "load a new file also if it takes or predicts other columns");
  command->add_flag("-q,--quiet", r->quiet, "print nothing but errors");
}

void Commands::add_rate() {
  CLI::App* command = nullptr;
  const auto r =
      add(app_, "rate", "skills of players through time, from a file of games", &rate, command);
  command
      ->add_option(
          "DATA", r->data.path,
          "games as CSV, also as .gz or .zst: one row for each, or one for each player in a game")
      ->required();
  add_data_format(*command, r->data);
  const auto column = [&](const char* flag, std::string& name, const char* what) {
    command->add_option(
        flag, name, std::string("column of ") + what + "; found by its usual names if not given");
  };
  skill::GameFile::Columns& columns = r->columns;
  column("--time", columns.time, "dates or times");
  column("--first", columns.first, "the first side, such as the home team");
  column("--second", columns.second, "the second side");
  column("--first-score", columns.first_score, "the first side's score");
  column("--second-score", columns.second_score, "the second side's score");
  column("--result", columns.result, "the first side's result, where there are no scores");
  column("--neutral", columns.neutral, "whether nobody is at home");
  column("--game", columns.game, "the game, where each player has a row");
  column("--player", columns.player, "the player, likewise");
  column("--team", columns.team, "the player's team, likewise");
  column("--rank", columns.rank, "the team's rank, the lower the better, likewise");
  column("--score", columns.score, "the team's score, likewise");
  column("--share", columns.share, "the share of the game that the player took part in, likewise");
  command->add_flag("--first-at-home", columns.first_at_home,
                    "the first side plays at home, whatever its column is called");
  command->add_option("--separator", columns.separator,
                      "between the players of a side, where a cell names several");
  command->add_option("--fixtures", r->fixtures, "games to predict, in a file of the same columns");
  command->add_option("--predictions", r->predictions,
                      "where their predictions go; standard output if not given");
  command->add_option("-o,--output", r->output, "where the rated games go, to be resumed");
  command->add_option("--resume", r->resume, "rated games to go on with, as --output wrote them");
  command->add_option("--page", r->page, "where one HTML page with curves goes");
  command->add_option("--title", r->title, "of the page");
  command->add_option("--top", r->top, "players on the leaderboard")->capture_default_str();
  command
      ->add_option("--active-days", r->active_days,
                   "leave out players who have not played for longer; 0: nobody")
      ->capture_default_str();
  for (const OptionInfo& info : skill::skill_options())
    command->add_option_function<double>(
        std::string(info.command_line),
        [r, &info](double value) {
          skill::set_skill_option(r->settings, info.name, value,
                                  OptionInfo::Spelling::command_line);
          r->fixed.emplace_back(info.name);
        },
        described(info.help) + "; learned if not given");
  add_force(*command, r->force);
  add_json(*command, r->json, "print ratings, settings and predictions as JSON");
  command->add_flag("-q,--quiet", r->quiet, "print nothing but errors and predictions");
}

void Commands::add_explain() {
  CLI::App* command = nullptr;
  const auto r = add(app_, "explain", "how far each column moves a prediction", &explain, command);
  add_model(*command, r->model);
  add_data(*command, r->data);
  command->add_option(
      "--baseline", r->baseline,
      "file of a row, or of some, to compare with; rows that the model keeps if not given");
  command->add_option("--row", r->row, "tell of this row alone, from 1, as text; 0: all as CSV")
      ->capture_default_str();
  command
      ->add_option(
          "--what-if", r->what_if,
          "with --row: also predict it with another value, such as age=41; may be repeated")
      ->allow_extra_args(false);
  command
      ->add_option("--orders", r->options.orders,
                   "pairs of opposite orders of columns for each row of the baseline; 0: chosen")
      ->capture_default_str();
  command->add_option("--seed", r->options.seed, "seed of the orders")->capture_default_str();
  add_list(*command, "--key", r->data.keys,
           "columns of the data to write in front of each line: id,date");
  command->add_option("-o,--output", r->output, "where the CSV goes; standard output if not given");
  add_force(*command, r->force);
  add_json(*command, r->json, "one JSON object for each row and column");
}

void Commands::add_select() {
  CLI::App* command = nullptr;
  const auto r =
      add(app_, "select", "rows of a pool to label next: those that teach most", &select, command);
  add_model(*command, r->model);
  add_data(*command, r->data);
  command->add_option("--learned", r->learned,
                      "file of the rows that the model learned; the choice is better with it");
  command->add_option("-n,--count", r->selection.count, "rows to select")->capture_default_str();
  add_list(*command, "--key", r->data.keys,
           "columns of the data to write in front of each row: id,date");
  command->add_option("-o,--output", r->output, "where the CSV goes; standard output if not given");
  add_force(*command, r->force);
  command
      ->add_option(
          "--functions", r->selection.functions,
          "functions drawn from the belief; more of them estimate better how rows vary together")
      ->capture_default_str();
  command
      ->add_option("--candidates", r->selection.candidates,
                   "rows drawn at random that stand for all of a larger pool")
      ->capture_default_str();
  command->add_option("--seed", r->selection.seed, "seed of the functions")->capture_default_str();
  add_json(*command, r->json, "one JSON object for each row");
}

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
void add_model_options(CLI::App& command, sparse::SparseOptions& options) {
  for (const OptionInfo& info : sparse::sparse_options()) {
    const std::string flag(info.command_line), help(info.help);
    if (info.kind == OptionInfo::Kind::flag) {
      command.add_flag_function(
          flag,
          [&options, &info](std::int64_t count) {
            sparse::set_sparse_option(options, info.name, count > 0,
                                      OptionInfo::Spelling::command_line);
          },
          help);
      continue;
    }
    const auto add = [&]<class V>(V) {
      return command.add_option_function<V>(
          flag,
          [&options, &info](const V& value) {
            sparse::set_sparse_option(options, info.name, OptionValue(value),
                                      OptionInfo::Spelling::command_line);
          },
          help);
    };
    CLI::Option* const option =
        info.kind == OptionInfo::Kind::choice ? add(std::string{}) : add(std::uint64_t{});
    option->default_str(to_string(sparse::get_sparse_option({}, info.name)));
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
  for (const OptionInfo& info : sparse::sparse_options())
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
