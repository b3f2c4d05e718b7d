// How the commands of the program are declared, for the files that do it.
#pragma once

#include <CLI/CLI.hpp>
#include <istream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/declare.h"
#include "io/open_table.h"
#include "postrider/estimator_options.h"

namespace postrider::cli {

// --- pieces that several commands share --------------------------------------------------------------

CLI::Option* add_list(CLI::App& command, const std::string& name, auto& values,
                      const std::string& description) {
  return command.add_option(name, values, description)->delimiter(',')->allow_extra_args(false);
}

void add_data_format(CLI::App& command, DataRequest& data);
void add_skip_bad(CLI::App& command, DataRequest& data);
void add_model(CLI::App& command, std::string& model);
void add_data(CLI::App& command, DataRequest& data);
void add_data_option(CLI::App& command, DataRequest& data);
void add_force(CLI::App& command, bool& force);
void add_json(CLI::App& command, bool& json, const char* description = "print JSON");
// Descriptions here begin in lower case and have no full stop.
std::string described(std::string_view help);

// --- the commands ------------------------------------------------------------------------------------

class Commands {
 public:
  Commands(CLI::App& app, Action& chosen) : app_(app), chosen_(chosen) {}

  void add_train();
  void add_predict();
  void add_explain();
  void add_evaluate();
  void add_update();
  void add_select();
  void add_stream();
  void add_serve();
  void add_rate();
  void add_sparse();
  void add_report();
  void add_certify();
  void add_inspect();
  void add_graph();
  void add_factor();
  void add_options();
  void add_completion();
  void add_manual();
  void add_help();

 private:
  CLI::App* add_plain(CLI::App& parent, const char* name, const char* description, Action action) {
    CLI::App* command = parent.add_subcommand(name, description);
    command->allow_config_extras(CLI::config_extras_mode::error);
    command->fallthrough();
    command->callback([&chosen = chosen_, action = std::move(action)] { chosen = action; });
    return command;
  }

  // The request outlives this call in the action that reads it.
  template <class Request>
  std::shared_ptr<Request> add(CLI::App& parent, const char* name, const char* description,
                               ExitCode (*execute)(const Request&), CLI::App*& command) {
    auto request = std::make_shared<Request>();
    command =
        add_plain(parent, name, description, [request, execute] { return execute(*request); });
    return request;
  }

  CLI::App& app_;
  Action& chosen_;
};

// --- Settings in a TOML file.

// As CLI11 reads them, but that a key which stands twice in a section is a mistake, and not a longer list, and so is a section that no
// command is named as.
class StrictConfig final : public CLI::ConfigTOML {
 public:
  explicit StrictConfig(const CLI::App& app) : app_(app) {}

  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override;

 private:
  const CLI::App& app_;
};

}  // namespace postrider::cli
