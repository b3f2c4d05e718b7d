// The files that a log became when it was rotated: sales.csv.1, sales.csv.2, sales.csv-20261118.
#pragma once

#include <string>
#include <vector>

#include "events/file_mark.h"

namespace postrider::cli {

// A file that is open for reading, or none.
class OpenFile {
 public:
  OpenFile() = default;
  explicit OpenFile(const std::string& path);  // is none if that cannot be opened
  explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
  ~OpenFile();
  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&& other) noexcept;

  explicit operator bool() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
};

struct FoundFile {
  OpenFile file;
  std::string path;
};

// The file that has this mark: of this name, or of a name that it was given when it was rotated. The same file comes
// before a copy of it. None if there is neither.
FoundFile find_marked(const std::string& path, const FileMark& mark);

// Those that were written after the marked one, which was read to its end: files that were rotated since then, the oldest
// first, and last the one that has the name now, if it is there.
std::vector<std::string> files_after(const std::string& path, const OpenFile& read,
                                     const FileMark& mark);

}  // namespace postrider::cli
