// The reader of LIBSVM text. The first two bytes choose the options.
#include "fuzz/entry.h"
#include "fuzz/table.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace postrider;
  if (size < 2) return 0;
  TableOptions options = fuzz::limited();
  options.format = data[0] % 2 == 0 ? TableOptions::Format::libsvm : TableOptions::Format::infer;
  options.classify = data[0] / 2 % 2 == 1;
  fuzz::check_reading({reinterpret_cast<const char*>(data) + 2, size - 2}, options,
                      1 + data[1] % 32);
  return 0;
}
