// Models of tables as files: the estimator's, with what the table needs in its notes.
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <variant>

#include "estimator/model_file.h"
#include "postrider/error.h"
#include "postrider/table_model.h"
#include "table/learning.h"
#include "table/notes.h"
#include "table/state.h"

namespace postrider {
using namespace internal;
namespace {

TableEstimator load_estimator(const std::string& path) {
  if (read_model_kind(path) == ModelKind::classifier) return Classifier::load(path);
  return Regressor::load(path);
}

TableEstimator load_estimator(const std::string& bytes, const std::string& called) {
  std::istringstream from(bytes);
  if (read_model_kind(bytes, called) == ModelKind::classifier) return Classifier::load(from);
  return Regressor::load(from);
}

// The table's part and the estimator's part of a file must fit together.
void expect_match(const std::string& path, const TableModelState& state) {
  const TableEncoding& encoding = state.encoding;
  const auto* classifier = std::get_if<Classifier>(&state.estimator);
  const auto* regressor = std::get_if<Regressor>(&state.estimator);
  const std::size_t inputs =
      std::visit([](const Estimator& each) { return each.inputs(); }, state.estimator);
  const bool same_target =
      classifier != nullptr
          ? encoding.classifies() &&
                classifier->classes() == encoding.target_column().categories.size()
          : !encoding.classifies() && regressor->options().outputs == 1;
  if (inputs != encoding.encoder.features().size() || !same_target)
    throw CorruptFile("cannot read the model " + path + ": its network does not fit its table");
}

std::unique_ptr<TableModelState> state_of(const std::string& path, TableEstimator estimator) {
  ReadNotes read =
      std::visit([&](const auto& loaded) { return read_notes(path, loaded.notes()); }, estimator);
  auto state = std::make_unique<TableModelState>(
      TableModelState{std::move(read.encoding), std::move(estimator), std::move(read.history),
                      std::move(read.profile), std::move(read.learned), std::move(read.baseline),
                      std::move(read.waiting)});
  expect_match(path, *state);
  return state;
}

}  // namespace

void TableModel::keep(TableModel::Waiting rows) {
  if (rows.numbers.size() != rows.rows.rows() || rows.keys.size() != rows.rows.rows())
    reject("rows", rows.rows.rows(), "must be as many as numbers and keys");
  if (rows.rows.rows() > 0) expect_schema(state_->encoding, rows.rows.schema());
  state_->waiting = std::move(rows);
}
const TableModel::Waiting& TableModel::waiting() const { return state_->waiting; }

void TableModel::save(const std::string& path) const {
  const internal::Notes notes = notes_of(*state_);
  estimator().save(path, notes);
}

void TableModel::save(std::ostream& to) const {
  const internal::Notes notes = notes_of(*state_);
  std::visit([&](const auto& estimator) { estimator.save(to, notes); }, state_->estimator);
}

TableModel TableModel::load(const std::string& path) {
  return TableModel(state_of(path, load_estimator(path)));
}

TableModel TableModel::load(std::istream& from) {
  const std::string bytes(std::istreambuf_iterator<char>(from), {});
  const std::string called = "in memory";
  return TableModel(state_of(called, load_estimator(bytes, called)));
}

}  // namespace postrider
