#include "events/appended_file.h"

#include <cerrno>
#include <iostream>

#include "postrider/error.h"

namespace postrider::cli {

AppendedFile::AppendedFile(const OutputTarget& target, const OutputKind& kind)
    : path_(target.path) {
  if (is_standard_output(path_)) return;
  expect_writable(target, kind);
  file_.emplace(path_, std::ios::app);
  if (!*file_) throw FileError("cannot write " + path_, path_, errno);
}

void AppendedFile::add(const std::string& line) {
  (file_ ? static_cast<std::ostream&>(*file_) : std::cout) << line;
}

void AppendedFile::flush() {
  std::ostream& out = file_ ? static_cast<std::ostream&>(*file_) : std::cout;
  if (is_open() && !out.flush()) throw FileError("cannot write " + path_, path_, errno);
}

}  // namespace postrider::cli
