#include "postrider/table_encoder.h"

#include <numeric>

#include "data/encoder.h"
#include "data/kept_inputs.h"
#include "postrider/error.h"

namespace postrider {
using namespace internal;

namespace internal {

class TableEncoderState {
 public:
  Schema schema;
  Encoder encoder;
};

}  // namespace internal

TableEncoder::TableEncoder(const Schema& schema)
    : state_(std::make_unique<TableEncoderState>(
          TableEncoderState{schema, Encoder(schema, /*indicators=*/false)})) {
  if (features().empty())
    reject("columns", schema.columns.size(),
           "must have an input: columns of one value, and texts that are all different, are none");
}
TableEncoder::~TableEncoder() = default;
TableEncoder::TableEncoder(TableEncoder&&) noexcept = default;
TableEncoder& TableEncoder::operator=(TableEncoder&&) noexcept = default;

const Schema& TableEncoder::schema() const { return state_->schema; }
const std::vector<Schema::Feature>& TableEncoder::features() const {
  return state_->encoder.features();
}

std::vector<double> TableEncoder::encode(const Table& table) const {
  if (table.schema() != schema())
    reject("columns", table.schema().columns.size(), "must be those of the encoder's schema");
  std::vector<std::size_t> all(table.rows());
  std::iota(all.begin(), all.end(), std::size_t{0});
  SparseInputs rows;
  state_->encoder.encode(table, all, rows);
  return all_numbers(rows);
}

}  // namespace postrider
