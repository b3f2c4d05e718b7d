// Feeds every file of the folders that are named to the entry of a fuzz target: any compiler will do.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "files.h"
#include "fuzz/entry.h"

int main(int argc, char** argv) {
  std::vector<std::filesystem::path> inputs;
  for (int k = 1; k < argc; ++k)
    for (const auto& entry : std::filesystem::directory_iterator(argv[k]))
      inputs.push_back(entry.path());
  std::ranges::sort(inputs);
  for (const std::filesystem::path& input : inputs) {
    std::cout << input.filename().string() << std::endl;
    const std::string bytes = postrider::bytes_of(input.string());
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
  // An empty corpus would prove nothing.
  return inputs.empty() ? 1 : 0;
}
