#include "train/training_rows.h"

#include "postrider/error.h"

namespace postrider {

TrainingRows::TrainingRows(const InputRows& inputs, std::size_t input_count, Precision precision) {
  if (precision == Precision::float32)
    prepared_ = std::make_shared<const PreparedRows<float>>(inputs, input_count);
  else
    prepared_ = std::make_shared<const PreparedRows<double>>(inputs, input_count);
  size_ = inputs.values.size() / input_count;
  if (size_ == 0) reject("inputs", size_, "must hold at least one row");
}

}  // namespace postrider
