#include "cli/output.h"

#include <filesystem>
#include <iostream>
#include <system_error>

#include "postrider/error.h"

namespace postrider::cli {
namespace {

[[noreturn]] void refuse(const std::string& path) {
  throw FileError("cannot write " + path + ": does its folder exist, and is there space?", path);
}

}  // namespace

void expect_folder(const std::string& option, const std::string& path) {
  if (path.empty() || path == "-") return;
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  std::error_code trouble;
  if (!std::filesystem::is_directory(folder, trouble))
    reject(option, path, "its folder does not exist");
  if (std::filesystem::is_directory(path, trouble)) reject(option, path, "is a folder");
}

Output::Output(const std::string& path) {
  if (path.empty() || path == "-") return;
  path_ = path;
  partial_ = path + ".partial";
  file_.open(partial_, std::ios::binary | std::ios::trunc);
  if (!file_) refuse(path_);
}

Output::~Output() {
  if (partial_.empty()) return;
  file_.close();
  std::error_code ignored;
  std::filesystem::remove(partial_, ignored);
}

std::ostream& Output::stream() {
  return path_.empty() ? std::cout : static_cast<std::ostream&>(file_);
}

void Output::finish() {
  if (path_.empty()) {
    if (!std::cout.flush()) refuse("standard output");
    return;
  }
  file_.close();
  std::error_code trouble;
  if (file_) std::filesystem::rename(partial_, path_, trouble);
  if (!file_ || trouble) refuse(path_);
  partial_.clear();
}

}  // namespace postrider::cli
