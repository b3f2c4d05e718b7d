// A TableReader of bytes that are in no file.
#pragma once

#include <memory>
#include <string>

#include "data/byte_source.h"
#include "postrider/table.h"

namespace postrider::internal {

// With a schema, its columns are taken by their names; nullptr: it is inferred.
TableReader table_reader_of(std::unique_ptr<ByteSource> bytes, const std::string& name,
                            const TableOptions& options, const Schema* schema = nullptr);

}  // namespace postrider::internal
