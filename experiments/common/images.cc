#include "common/images.h"

#include <cstdio>
#include <filesystem>
#include <memory>

#include "postrider/error.h"

namespace postrider::experiments {
namespace {

constexpr std::size_t kImageHeader = 16, kLabelHeader = 8;

// Through the program gzip, which spares us a library for a few files.
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

Images read_images(const std::string& data, const std::string& folder, ImageSet set,
                   std::size_t count) {
  const std::string start = data + "/" + folder + (set == ImageSet::training ? "/train" : "/t10k");
  const auto images = unpacked(start + "-images-idx3-ubyte.gz", kImageHeader + count * kPixels);
  const auto labels = unpacked(start + "-labels-idx1-ubyte.gz", kLabelHeader + count);
  Images out;
  for (std::size_t i = kImageHeader; i < images.size(); ++i)
    out.pixels.push_back(static_cast<float>(images[i]) / 255);
  out.labels.assign(labels.begin() + kLabelHeader, labels.end());
  return out;
}

}  // namespace postrider::experiments
