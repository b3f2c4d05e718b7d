// What the playground of the documentation asks of the library, as commands with answers of text: a table that is understood, learned and
// judged, then predictions, what-if questions and the model file. The page calls it inside a browser, tests as any other class.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "postrider/table_model.h"

namespace postrider::cli {

class Playground {
 public:
  // Called with JSON while a model is trained.
  using Progress = std::function<void(const std::string& json)>;

  explicit Playground(Progress progress = {}) : progress_(std::move(progress)) {}

  // Commands, what their request holds (JSON; what is not there has its default) and what they answer:
  //
  //   read     {"target": "", "classify": false, "regress": false, "ignored": []}, with a table as bytes; an empty target is the last column.
  //            The columns as understood, as `postrider train --dry-run --json` has them.
  //   train    {"validation": 0.2, "seconds": 0, "effort": "standard", "level": 0.9}; 0 seconds: as many as it takes.
  //            {"training", "evaluation", "rows"}: as `postrider train` and `evaluate` have them, and the rows held out with their predictions.
  //   rows     {"rows": [{"column": value}], "level": 0.9}: their predictions
  //   predict  a table as bytes, {"level": 0.9}: predictions as CSV, as `postrider predict` writes them
  //   report   {"level": 0.9}: the page of `postrider report`, of the rows held out
  //   model    the model's file
  //
  // Throws Error, as the program does; its state is then as before.
  std::string answer(std::string_view command, std::string_view request, std::string_view bytes);

 private:
  struct Request;

  std::string read(const Request& request, std::string_view bytes);
  std::string train(const Request& request);
  std::string rows(std::string_view text, const Request& request) const;
  std::string predict(std::string_view bytes, const Request& request) const;
  std::string report(const Request& request) const;
  std::string model() const;

  const TableModel& learned() const;
  TrainingCallbacks telling() const;

  Progress progress_;
  std::optional<Table> table_, held_out_;
  std::optional<TableModel> model_;
};

}  // namespace postrider::cli
