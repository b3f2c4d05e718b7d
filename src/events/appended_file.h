// Lines that are appended to a file, or to standard output: a stream has no end at which a file could appear.
#pragma once

#include <fstream>
#include <optional>
#include <string>

#include "io/output.h"

namespace postrider::cli {

class AppendedFile {
 public:
  // None if the path is empty. Throws as expect_writable() does, so that no file of another kind, nor one that the command
  // reads or writes, is spoilt.
  AppendedFile(const OutputTarget& target, const OutputKind& kind);

  bool is_open() const { return !path_.empty(); }
  void add(const std::string& line);  // with its end
  void flush();                       // throws FileError if anything did not arrive

 private:
  std::string path_;
  std::optional<std::ofstream> file_;  // none: standard output
};

}  // namespace postrider::cli
