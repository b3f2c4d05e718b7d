// A folder of one test's own, and files as bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string>

#include "base/random.h"
#include "postrider/error.h"

namespace postrider {
using namespace internal;

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::random_device random;
    do {
      path_ = std::filesystem::temp_directory_path() / ("postrider-" + std::to_string(random()));
    } while (!std::filesystem::create_directory(path_));
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

// The message of an Error; a mistake of the caller is one, too.
inline std::string trouble(const std::function<void()>& attempt) {
  try {
    attempt();
  } catch (const Error& error) {
    return error.what();
  }
  return "no trouble";
}

// Some damage: bytes replaced, taken out or put in, or the end cut off.
inline std::string damaged(std::string bytes, RandomStream& random) {
  const std::uint64_t changes = 1 + random.below(4);
  for (std::uint64_t change = 0; change < changes && !bytes.empty(); ++change) {
    // Headers are short and at the front: half of the damage goes there.
    const std::size_t reach = random.below(2) == 0 ? bytes.size() : (bytes.size() + 3) / 4;
    const std::size_t at = random.below(reach);
    const char byte = static_cast<char>(random.below(256));
    switch (random.below(6)) {
      case 0:
        bytes.erase(at, 1 + random.below(8));
        break;
      case 1:
        bytes.insert(at, 1 + random.below(8), byte);
        break;
      case 2:
        bytes.resize(at);
        break;
      case 3:  // a digit, which keeps JSON valid
        bytes[at] = static_cast<char>('0' + random.below(10));
        break;
      default:
        bytes[at] = byte;
    }
  }
  return bytes;
}

}  // namespace postrider
