#include "postrider/c_api.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capi/c_guard.h"
#include "capi/c_model.h"
#include "postrider/table_builder.h"
#include "postrider/version.h"

struct postrider_model {
  postrider::LiveModel live;
};

namespace postrider {
using namespace internal;

namespace internal {
postrider_model* new_c_model(LiveModel live) { return new postrider_model{std::move(live)}; }
}  // namespace internal

namespace {

enum class TargetCells { ignored, read };

// Nothing of no rows, whatever the pointer is.
Table table_of(const LiveModel& model, const postrider_cell* cells, std::size_t rows,
               TargetCells targets) {
  const Schema& schema = model.schema();
  const std::size_t target = schema.target();
  Table::Builder builder(schema);
  if (rows > 0) expect(cells, "cells");
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < schema.columns.size(); ++column) {
      const postrider_cell& cell = cells[row * schema.columns.size() + column];
      if (column == target && targets == TargetCells::ignored) continue;
      if (cell.text != nullptr)
        builder.set(column, std::string_view(cell.text));
      else
        builder.set(column, cell.number);
    }
    builder.end_row();
  }
  return builder.finish();
}

TableModel::Prediction predicted(const postrider_model* model, const postrider_cell* cells,
                                 std::size_t rows, bool wants_classes) {
  const LiveModel& live = expect(model, "model")->live;
  if (live.classes().empty() == wants_classes)
    throw InvalidArgument(wants_classes
                              ? "the target is numeric: call postrider_predict()"
                              : "the target has classes: call postrider_predict_probabilities()");
  return live.predict(table_of(live, cells, rows, TargetCells::ignored));
}

void copy(const std::vector<double>& from, double* to) {
  if (to != nullptr) std::copy(from.begin(), from.end(), to);
}

// Where bounds of numeric targets go; pointers may be NULL.
struct Bounds {
  double* low;
  double* high;

  void fill(const TableModel::Prediction& found, double level) const {
    const std::vector<double> bounds = found.intervals(level);
    for (std::size_t row = 0; row < found.rows; ++row) {
      if (low != nullptr) low[row] = bounds[2 * row];
      if (high != nullptr) high[row] = bounds[2 * row + 1];
    }
  }
};

char* copied(const std::string& bytes) {
  char* const out = new char[bytes.size()];
  std::copy(bytes.begin(), bytes.end(), out);
  return out;
}

const char* name_in(const std::vector<std::string>& names, std::size_t which) {
  return which < names.size() ? names[which].c_str() : nullptr;
}

}  // namespace
}  // namespace postrider

using postrider::copy;
using postrider::internal::expect;
using postrider::internal::guarded;

extern "C" {

const char* postrider_version(void) { return postrider::kVersion; }

postrider_model* postrider_load(const char* path, postrider_error* error) {
  postrider_model* out = nullptr;
  guarded(error, [&] {
    out = new postrider_model{
        postrider::LiveModel(postrider::TableModel::load(expect(path, "path")))};
  });
  return out;
}

void postrider_free(postrider_model* model) { delete model; }

postrider_status postrider_save(const postrider_model* model, const char* path,
                                postrider_error* error) {
  return guarded(error, [&] { expect(model, "model")->live.save(expect(path, "path")); });
}

postrider_model* postrider_load_bytes(const void* bytes, size_t size, postrider_error* error) {
  postrider_model* out = nullptr;
  guarded(error, [&] {
    std::istringstream from(std::string(static_cast<const char*>(expect(bytes, "bytes")), size));
    out = new postrider_model{postrider::LiveModel(postrider::TableModel::load(from))};
  });
  return out;
}

char* postrider_save_bytes(const postrider_model* model, size_t* size, postrider_error* error) {
  char* out = nullptr;
  guarded(error, [&] {
    expect(size, "size");
    std::ostringstream to;
    expect(model, "model")->live.save(to);
    const std::string bytes = to.str();
    out = postrider::copied(bytes);
    *size = bytes.size();
  });
  return out;
}

void postrider_free_bytes(char* bytes) { delete[] bytes; }

size_t postrider_columns(const postrider_model* model) {
  return model == nullptr ? 0 : model->live.schema().columns.size();
}

const char* postrider_column_name(const postrider_model* model, size_t column) {
  if (column >= postrider_columns(model)) return nullptr;
  return model->live.schema().columns[column].name.c_str();
}

const char* postrider_column_kind(const postrider_model* model, size_t column) {
  if (column >= postrider_columns(model)) return nullptr;
  return postrider::to_string(model->live.schema().columns[column].kind).data();
}

size_t postrider_target(const postrider_model* model) {
  return model == nullptr ? 0 : model->live.schema().target();
}

size_t postrider_classes(const postrider_model* model) {
  return model == nullptr ? 0 : model->live.classes().size();
}

const char* postrider_class_name(const postrider_model* model, size_t which) {
  return model == nullptr ? nullptr : postrider::name_in(model->live.classes(), which);
}

size_t postrider_rows_learned(const postrider_model* model) {
  return model == nullptr ? 0 : model->live.rows_learned();
}

void postrider_out_of_fold_score(const postrider_model* model, double* log_likelihood,
                                 double* standard_error) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  std::optional<postrider::Estimator::OutOfFoldScore> score;
  if (model != nullptr) score = model->live.out_of_fold_score();
  if (log_likelihood != nullptr) *log_likelihood = score ? score->log_likelihood : kUnknown;
  if (standard_error != nullptr) *standard_error = score ? score->standard_error : kUnknown;
}

postrider_status postrider_predict(const postrider_model* model, const postrider_cell* cells,
                                   size_t rows, double* mean, double* std, postrider_error* error) {
  return guarded(error, [&] {
    const postrider::TableModel::Prediction found = postrider::predicted(model, cells, rows, false);
    copy(found.mean, rows > 0 ? expect(mean, "mean") : mean);
    copy(found.std, std);
  });
}

postrider_status postrider_predict_interval(const postrider_model* model,
                                            const postrider_cell* cells, size_t rows, double level,
                                            double* low, double* high, postrider_error* error) {
  return guarded(error, [&] {
    const postrider::TableModel::Prediction found = postrider::predicted(model, cells, rows, false);
    if (rows == 0) return;
    postrider::Bounds{expect(low, "low"), expect(high, "high")}.fill(found, level);
  });
}

postrider_status postrider_predict_all(const postrider_model* model, const postrider_cell* cells,
                                       size_t rows, double level, double* mean, double* std,
                                       double* noise_std, double* low, double* high,
                                       postrider_error* error) {
  return guarded(error, [&] {
    const postrider::TableModel::Prediction found = postrider::predicted(model, cells, rows, false);
    const bool wants_bounds = low != nullptr || high != nullptr;
    if (rows > 0 && wants_bounds) postrider::Bounds{low, high}.fill(found, level);
    copy(found.mean, mean);
    copy(found.std, std);
    copy(found.noise_std, noise_std);
  });
}

postrider_status postrider_predict_probabilities(const postrider_model* model,
                                                 const postrider_cell* cells, size_t rows,
                                                 double* probabilities, postrider_error* error) {
  return guarded(error, [&] {
    const postrider::TableModel::Prediction found = postrider::predicted(model, cells, rows, true);
    copy(found.probabilities, rows > 0 ? expect(probabilities, "probabilities") : probabilities);
  });
}

postrider_status postrider_learn(postrider_model* model, const postrider_cell* cells, size_t rows,
                                 postrider_error* error) {
  return guarded(error, [&] {
    postrider::LiveModel& live = expect(model, "model")->live;
    live.update(postrider::table_of(live, cells, rows, postrider::TargetCells::read));
  });
}

}  // extern "C"
