// The commands that follow streams, serve models and rate players.
#include "cli/commands/commands.h"
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
  GameColumns& columns = r->columns;
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
  for (const OptionInfo& info : skill_options())
    command->add_option_function<double>(
        std::string(info.command_line),
        [r, &info](double value) {
          set_skill_option(r->settings, info.name, value, Spelling::command_line);
          r->fixed.emplace_back(info.name);
        },
        described(info.help) + "; learned if not given");
  add_force(*command, r->force);
  add_json(*command, r->json, "print ratings, settings and predictions as JSON");
  command->add_flag("-q,--quiet", r->quiet, "print nothing but errors and predictions");
}

}  // namespace postrider::cli
