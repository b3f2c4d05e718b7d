// The CSV reader, and the decoders below it. The first two bytes choose the options.
#include "fuzz/entry.h"
#include "fuzz/table.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace postrider;
  if (size < 2) return 0;
  TableOptions options = fuzz::limited();
  options.format = TableOptions::Format::csv;
  constexpr char kDelimiters[] = {'\0', ',', ';', '\t'};
  options.delimiter = kDelimiters[data[0] % 4];
  options.header = data[0] / 4 % 2 == 0;
  options.classify = data[0] / 8 % 2 == 1;
  if (data[0] / 32 % 2 == 1) options.na = {"-9", "x"};
  options.regress = data[0] / 64 % 2 == 1;
  if (data[0] / 16 % 2 == 1) options.target = options.header ? "y" : "column_1";
  fuzz::check_reading({reinterpret_cast<const char*>(data) + 2, size - 2}, options,
                      1 + data[1] % 32);
  return 0;
}
