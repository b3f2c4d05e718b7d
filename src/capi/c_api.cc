#include "postrider/c_api.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <string_view>

#include "postrider/error.h"
#include "postrider/live_model.h"
#include "postrider/table_builder.h"
#include "postrider/version.h"

struct postrider_model {
  postrider::LiveModel live;
};

namespace postrider {
using namespace internal;
namespace {

// As many whole characters as there is room for.
std::size_t fitting(std::string_view text, std::size_t room) {
  if (text.size() <= room) return text.size();
  std::size_t size = room;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) --size;
  return size;
}

postrider_status tell(postrider_error* error, postrider_status status, std::string_view message) {
  if (error == nullptr) return status;
  error->status = status;
  const std::size_t size = fitting(message, POSTRIDER_MESSAGE_BYTES - 1);
  std::memcpy(error->message, message.data(), size);
  error->message[size] = '\0';
  return status;
}

// Exceptions end here.
template <class Action>
postrider_status guarded(postrider_error* error, Action&& action) {
  try {
    action();
    return tell(error, POSTRIDER_OK, "");
  } catch (const InvalidArgument& wrong) {
    return tell(error, POSTRIDER_INVALID_ARGUMENT, wrong.what());
  } catch (const FileError& wrong) {
    return tell(error, POSTRIDER_FILE_ERROR, wrong.what());
  } catch (const CorruptFile& wrong) {
    return tell(error, POSTRIDER_CORRUPT, wrong.what());
  } catch (const std::bad_alloc&) {
    return tell(error, POSTRIDER_OUT_OF_MEMORY, "there is not enough memory");
  } catch (const std::exception& wrong) {
    return tell(error, POSTRIDER_FAILED, wrong.what());
  } catch (...) {
    return tell(error, POSTRIDER_FAILED, "failed");
  }
}

template <class Pointer>
Pointer expect(Pointer pointer, const char* name) {
  if (pointer == nullptr) throw InvalidArgument(std::string(name) + " = NULL: must not be NULL");
  return pointer;
}

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

const char* name_in(const std::vector<std::string>& names, std::size_t which) {
  return which < names.size() ? names[which].c_str() : nullptr;
}

}  // namespace
}  // namespace postrider

using postrider::copy;
using postrider::expect;
using postrider::guarded;

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

size_t postrider_columns(const postrider_model* model) {
  return model == nullptr ? 0 : model->live.schema().columns.size();
}

const char* postrider_column_name(const postrider_model* model, size_t column) {
  if (column >= postrider_columns(model)) return nullptr;
  return model->live.schema().columns[column].name.c_str();
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
    const std::vector<double> bounds = found.intervals(level);
    expect(low, "low");
    expect(high, "high");
    for (std::size_t row = 0; row < rows; ++row) {
      low[row] = bounds[2 * row];
      high[row] = bounds[2 * row + 1];
    }
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
