// Tables from the memory of other libraries, through the Arrow C stream interface: pyarrow, polars,
// DuckDB and others hand out record batches so, and nothing of Arrow is linked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "postrider/export.h"
#include "postrider/table.h"

// The structures of the interface, whose layout and guards are fixed by its specification
// (arrow.apache.org/docs/format/CDataInterface.html): whoever includes them first defines them.
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4
extern "C" {
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};
}
#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
extern "C" {
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};
}
#endif

namespace postrider {

namespace internal {
class ArrowBlockReaderState;
}  // namespace internal

// Integers and floats are numbers. Texts, dictionaries and booleans ("false", "true") are cells of
// text, as they would stand in a CSV file: docs/tables.md states the rules. What is null or NaN is
// missing. Chunks are cut by the options, wherever the stream's batches end.
//
// All of these take the stream over and leave the caller's struct released. They throw
// InvalidArgument for a column of another type that is not ignored, and Error for a stream that fails
// or contradicts itself. Sizes that the interface does not tell cannot be checked.
POSTRIDER_EXPORT TableReader read_arrow(ArrowArrayStream& stream, const TableOptions& options = {});
POSTRIDER_EXPORT TableReader read_arrow(ArrowArrayStream& stream, const Schema& schema,
                                        const TableOptions& options = {});

// Reads a stream as blocks of numbers. Inputs are numbers or booleans, else InvalidArgument; infinite
// ones are handed out as they are.
class POSTRIDER_EXPORT ArrowBlockReader {
 public:
  struct POSTRIDER_EXPORT Options {
    std::vector<std::string> inputs =
        {};                     // names of columns, in this order; empty: all but the target
    std::string target = {};    // empty: none
    std::size_t rows = 65'536;  // of a block; the last may have fewer

    void validate() const;  // throws InvalidArgument
  };

  // Some rows of numbers for an estimator.
  struct Block {
    std::size_t rows = 0;
    std::vector<double> inputs = {};         // row by row; NaN where missing
    std::vector<double> targets = {};        // if the target is a number
    std::vector<std::uint32_t> labels = {};  // if it is not: places in classes(), or kMissing
  };

  explicit ArrowBlockReader(ArrowArrayStream& stream);
  ArrowBlockReader(ArrowArrayStream& stream, const Options& options);
  ~ArrowBlockReader();
  ArrowBlockReader(ArrowBlockReader&&) noexcept;
  ArrowBlockReader& operator=(ArrowBlockReader&&) noexcept;

  const std::vector<std::string>& inputs() const;
  bool target_is_text() const;   // or boolean, or a dictionary
  bool target_is_whole() const;  // an integer
  // Texts of the target in the order in which they came, in the blocks handed out so far.
  const std::vector<std::string>& classes() const;
  // The next rows; false, and none, at the end.
  bool next(Block& block);

 private:
  std::unique_ptr<internal::ArrowBlockReaderState> state_;
};

}  // namespace postrider
