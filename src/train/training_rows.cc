#include "train/training_rows.h"

#include <numeric>

#include "postrider/error.h"

namespace postrider::internal {

TrainingRows::TrainingRows(const Inputs& inputs, std::size_t input_count,
                           network::Precision precision) {
  if (precision == network::Precision::float32)
    prepared_ =
        std::make_shared<const StoredInputs<float>>(prepared_rows<float>(inputs, input_count));
  else
    prepared_ =
        std::make_shared<const StoredInputs<double>>(prepared_rows<double>(inputs, input_count));
  size_ = std::visit([](const auto& rows) { return rows->size(); }, prepared_);
  if (size_ == 0) reject("inputs", size_, "must hold at least one row");
}

std::vector<std::uint32_t> visited_rows(const RowsToLearn& rows) {
  std::vector<std::uint32_t> out(rows.learned.begin(), rows.learned.end());
  if (!out.empty()) return out;
  out.resize(rows.inputs.size());
  std::iota(out.begin(), out.end(), 0u);
  return out;
}

std::vector<std::uint32_t> learned_rows(const RowsToLearn& rows) {
  std::vector<bool> is_left_out(rows.inputs.size());
  for (const std::uint32_t row : rows.left_out) is_left_out[row] = true;
  std::vector<std::uint32_t> out = visited_rows(rows);
  std::erase_if(out, [&](std::uint32_t row) { return is_left_out[row]; });
  return out;
}

}  // namespace postrider::internal
