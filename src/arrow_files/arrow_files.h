// Files of Arrow's family as streams of record batches: the one function of a module that the program loads where it is found, so that
// neither the program nor the library is linked with Arrow.
#pragma once

#include <cstddef>
#include <string_view>

#include "postrider/arrow.h"

namespace postrider::internal {

// What the module is called, and what it has.
inline constexpr const char* kArrowModule = "postrider_arrow.so";
inline constexpr const char* kArrowFunction = "postrider_open_arrow";

// Opens a file, or these bytes if `bytes` is not null: Parquet, Arrow IPC as a file or a stream, Feather of version 2. The bytes must stay
// until the stream is released. Returns null, or what went wrong, as text that stays until the thread's next call.
using OpenArrow = const char*(const char* path, const void* bytes, std::size_t size,
                              ArrowArrayStream* out);

// Whether a file begins as one of these does: Parquet, an IPC file, an IPC stream.
inline bool is_arrow(std::string_view first_bytes) {
  return first_bytes.starts_with("PAR1") || first_bytes.starts_with("ARROW1") ||
         first_bytes.starts_with("\xff\xff\xff\xff");
}

}  // namespace postrider::internal
