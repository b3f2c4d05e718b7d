// Reads the original files of MNIST.
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "bench/epoch/case.h"
#include "postrider/error.h"

namespace postrider::bench {
namespace {

constexpr std::size_t kImageHeader = 16, kLabelHeader = 8, kClasses = 10;

// Through the program gzip, which spares us a library for two files.
std::vector<unsigned char> unpacked(const std::string& path, std::size_t bytes) {
  if (!std::filesystem::exists(path)) reject("--data", path, "must exist");
  std::string quoted = "'";
  for (const char c : path) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  const auto close = [](std::FILE* pipe) { pclose(pipe); };
  const std::unique_ptr<std::FILE, decltype(close)> pipe(
      popen(("gzip -dc " + quoted + "'").c_str(), "r"), close);
  std::vector<unsigned char> out(bytes);
  if (!pipe || std::fread(out.data(), 1, bytes, pipe.get()) != bytes)
    reject("--data", path, "must be a file of MNIST; is gzip installed?");
  return out;
}

}  // namespace

TrainingSet mnist_set(const Case& of, const std::string& data) {
  const std::size_t pixels = of.widths.front();
  const std::string folder = data + "/mnist/";
  const auto images =
      unpacked(folder + "train-images-idx3-ubyte.gz", kImageHeader + of.rows * pixels);
  const auto labels = unpacked(folder + "train-labels-idx1-ubyte.gz", kLabelHeader + of.rows);
  TrainingSet set;
  for (std::size_t i = kImageHeader; i < images.size(); ++i)
    set.inputs.push_back(static_cast<float>(images[i]) / 255);
  for (std::size_t r = 0; r < of.rows; ++r)
    for (std::size_t k = 0; k < kClasses; ++k)
      set.targets.push_back(labels[kLabelHeader + r] == k ? 1.0f : 0.0f);
  return set;
}

}  // namespace postrider::bench
