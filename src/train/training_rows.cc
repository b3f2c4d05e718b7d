#include "train/training_rows.h"

#include "postrider/error.h"

namespace postrider {

TrainingRows::TrainingRows(const InputRows& inputs, std::size_t input_count, Precision precision) {
  if (precision == Precision::float32)
    prepared_ =
        std::make_shared<const StoredInputs<float>>(prepared_rows<float>(inputs, input_count));
  else
    prepared_ =
        std::make_shared<const StoredInputs<double>>(prepared_rows<double>(inputs, input_count));
  size_ = std::visit([](const auto& rows) { return rows->size(); }, prepared_);
  if (size_ == 0) reject("inputs", size_, "must hold at least one row");
}

}  // namespace postrider
