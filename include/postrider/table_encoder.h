// Columns of a table as rows of numbers, for estimators that are trained without a TableModel.
#pragma once

#include <memory>
#include <vector>

#include "postrider/export.h"
#include "postrider/table.h"

namespace postrider {

namespace internal {
class TableEncoderState;
}  // namespace internal

// The inputs are those that TableModel has of the same schema: a numeric column stays in its unit, a date becomes the
// numbers of its parts, a categorical column an input for each category. What is missing is NaN, and so is a category
// that the schema does not have. docs/inputs.md has the rules.
class POSTRIDER_EXPORT TableEncoder {
 public:
  // Throws InvalidArgument if the schema has no inputs. A target is passed over.
  explicit TableEncoder(const Schema& schema);
  ~TableEncoder();
  TableEncoder(TableEncoder&&) noexcept;
  TableEncoder& operator=(TableEncoder&&) noexcept;

  const Schema& schema() const;
  const std::vector<Schema::Feature>& features() const;  // in the order of the inputs
  // Row by row. Throws InvalidArgument if the table is of another schema.
  std::vector<double> encode(const Table& table) const;

 private:
  std::unique_ptr<internal::TableEncoderState> state_;
};

}  // namespace postrider
