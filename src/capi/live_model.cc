#include "postrider/live_model.h"

#include <utility>

#include "capi/left_right.h"

namespace postrider {
using namespace internal;

namespace internal {

class LiveModelState {
 public:
  LiveModelState(TableModel left, TableModel right)
      : schema(left.schema()), classes(left.classes()), models(std::move(left), std::move(right)) {}

  const Schema schema;
  const std::vector<std::string> classes;
  LeftRight<TableModel> models;
};

}  // namespace internal

LiveModel::LiveModel(TableModel model) {
  TableModel copy = model.copy();
  state_ = std::make_unique<LiveModelState>(std::move(model), std::move(copy));
}
LiveModel::~LiveModel() = default;
LiveModel::LiveModel(LiveModel&&) noexcept = default;
LiveModel& LiveModel::operator=(LiveModel&&) noexcept = default;

TableModel::Prediction LiveModel::predict(const Table& table) const {
  return state_->models.read([&](const TableModel& model) { return model.predict(table); });
}

TableEvaluation LiveModel::evaluate(const Table& table) const {
  return state_->models.read([&](const TableModel& model) { return model.evaluate(table); });
}

void LiveModel::update(const Table& table) {
  state_->models.change([&](TableModel& model) { model.update(table); },
                        [](const TableModel& good, TableModel& changed) { changed = good.copy(); });
}

void LiveModel::save(const std::string& path) const {
  state_->models.read([&](const TableModel& model) { model.save(path); });
}

void LiveModel::save(std::ostream& to) const {
  state_->models.read([&](const TableModel& model) { model.save(to); });
}

const Schema& LiveModel::schema() const { return state_->schema; }
const std::vector<std::string>& LiveModel::classes() const { return state_->classes; }

std::optional<Estimator::OutOfFoldScore> LiveModel::out_of_fold_score() const {
  return state_->models.read(
      [](const TableModel& model) { return model.estimator().out_of_fold_score(); });
}

std::size_t LiveModel::rows_learned() const {
  return state_->models.read(
      [](const TableModel& model) { return model.estimator().rows_learned(); });
}

}  // namespace postrider
