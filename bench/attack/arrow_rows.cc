// Reads Parquet and Arrow files, or bodies, as the program does, by the module that it loads, and counts what came of it. bench/attack/arrow.py makes
// the files, and calls this where our code is compiled with AddressSanitizer; ARROW_DEFAULT_MEMORY_POOL=system has Arrow's buffers watched as well.
//
//   attack_arrow MODULE < paths, one on each line; of one that ends in .body, the bytes are read from memory
//
// Prints one line of JSON. `silently_different`: a text that is nowhere in a file whose name has .plain, which is not compressed: a byte from elsewhere.
#include <dlfcn.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "arrow_files/arrow_files.h"
#include "bench/attack/isolated.h"
#include "postrider/arrow.h"
#include "postrider/error.h"

namespace postrider::attack {
using namespace internal;
namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

ArrowArrayStream opened(OpenArrow& open, const std::string& path, const std::string& bytes) {
  ArrowArrayStream out{};
  const char* const wrong = path.ends_with(".body") ? open("", bytes.data(), bytes.size(), &out)
                                                    : open(path.c_str(), nullptr, 0, &out);
  if (wrong != nullptr) throw CorruptFile(wrong);
  return out;
}

// All cells are looked at: texts become categories, and their bytes keys.
Outcome outcome_of(OpenArrow& open, const std::string& path) try {
  const std::string bytes = bytes_of(path);
  const bool is_plain = path.find(".plain") != std::string::npos;
  TableOptions options;
  options.keys = {"side"};
  ArrowArrayStream stream = opened(open, path, bytes);
  TableReader reader = read_arrow(stream, options);
  double sum = 0;
  for (Table chunk; reader.next(chunk);)
    for (std::size_t row = 0; row < chunk.rows(); ++row) {
      for (std::size_t c = 0; c < reader.schema().columns.size(); ++c)
        if (!chunk.column(c).numbers.empty()) sum += chunk.column(c).numbers[row];
      const std::string& text = chunk.key(0, row);
      if (is_plain && bytes.find(text) == std::string::npos) return Outcome::silently_different;
    }
  return sum == sum + 1 ? Outcome::other_model : Outcome::same;
} catch (const Error&) {
  return Outcome::refused;
}

int run(const char* path) {
  void* const module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) {
    std::cerr << dlerror() << "\n";
    return 2;
  }
  auto* const open = reinterpret_cast<OpenArrow*>(dlsym(module, kArrowFunction));
  std::vector<std::string> paths;
  for (std::string line; std::getline(std::cin, line);) paths.push_back(line);
  Attack attack{"arrow", ""};
  attack.outcomes =
      isolated(paths.size(), [&](std::size_t one) { return outcome_of(*open, paths[one]); });
  std::cout << "{\"tries\": " << paths.size() << ", \"refused\": " << attack.count(Outcome::refused)
            << ", \"same\": 0, \"other_model\": "
            << attack.count(Outcome::same) + attack.count(Outcome::other_model)
            << ", \"silently_different\": " << attack.count(Outcome::silently_different)
            << ", \"nan\": 0, \"aborts\": " << attack.count(Outcome::aborted) << "}\n";
  return 0;
}

}  // namespace
}  // namespace postrider::attack

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "attack_arrow MODULE < paths\n";
    return 2;
  }
  return postrider::attack::run(arguments[1]);
}
