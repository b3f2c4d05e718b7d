#include "cli/commands/commands.h"
#include "cli/declared_commands.h"

namespace postrider::cli {

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

}  // namespace postrider::cli
