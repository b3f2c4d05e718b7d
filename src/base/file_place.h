// Where a file is written: beside its name, which it takes when it is whole. What postrider/file.h promises of that is kept here.
#pragma once

#include <memory>
#include <string>

#include "postrider/file.h"

namespace postrider::internal {

class FilePlace {
 public:
  // Throws FileError, as all of this class does.
  explicit FilePlace(const std::string& path);
  ~FilePlace();  // removes what did not take its name
  FilePlace(const FilePlace&) = delete;
  FilePlace& operator=(const FilePlace&) = delete;

  int file() const;  // open to be written
  // `replaced`: the only version that may be there now; null for any.
  void take_name(const FileWriter::Version* replaced);
  [[noreturn]] void fail(int code) const;

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace postrider::internal
