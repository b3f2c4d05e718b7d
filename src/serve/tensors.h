// Rows and predictions as KServe's inference protocol (version 2) has them: a tensor for each column.
#pragma once

#include <string>
#include <vector>

#include "io/predicted_columns.h"
#include "postrider/table_model.h"
#include "serve/served_model.h"

namespace postrider::cli {

// The table of {"inputs": [{"name": column, "shape": [rows], "datatype": ..., "data": [...]}, ...]}, in linear time. `id`
// is the request's own, if it has one. Throws CorruptFile.
Table tensor_table(const std::string& body, const Schema& schema, std::size_t most_rows,
                   std::string& id);

HttpAnswer tensors_answer(const PredictedColumns& columns, std::size_t rows,
                          const PredictionQuery& query, const std::string& id);

// What a model takes and gives; of sparse rows, which are no tensors, only its name.
std::string tensors_json(const TableModel& model, const std::string& name,
                         const std::vector<std::string>& versions);
std::string tensors_json(const std::string& name, const std::vector<std::string>& versions);

}  // namespace postrider::cli
