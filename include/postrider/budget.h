// How long something may take, and how much memory, as people write it.
#pragma once

#include <cstddef>
#include <string>

#include "postrider/error.h"
#include "postrider/export.h"
#include "postrider/table.h"

namespace postrider {

// Memory that was asked for is not there. The message says for what.
class POSTRIDER_EXPORT OutOfMemory : public Error {
 public:
  using Error::Error;
};

// "90s", "10m", "1.5h" or "2d"; seconds without a unit. Throws InvalidArgument, which names the option.
POSTRIDER_EXPORT double seconds_of(const std::string& option, const std::string& text);
// "512M", "2G" or "2GiB", powers of 1024; bytes without a unit.
POSTRIDER_EXPORT std::size_t bytes_of(const std::string& option, const std::string& text);

// What its cells take as they are held.
POSTRIDER_EXPORT std::size_t cell_bytes(const Table& table);

// Bytes for stored messages (TrainerOptions::store_budget), if training on data of so many bytes may take so many in
// all. Throws InvalidArgument if it is too little; the advice says what else can be done.
POSTRIDER_EXPORT std::size_t store_bytes(const std::string& option, const std::string& limit,
                                         std::size_t data_bytes, const std::string& advice);

}  // namespace postrider
