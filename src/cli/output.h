// Where results go: standard output, or a file that appears once it is whole.
#pragma once

#include <fstream>
#include <ostream>
#include <string>

namespace postrider::cli {

// Throws InvalidArgument if the folder of a file that is to be written is not there: better before
// the work than after it.
void expect_folder(const std::string& option, const std::string& path);

// "-" and an empty path are standard output.
class Output {
 public:
  explicit Output(const std::string& path);
  ~Output();  // what was not finished is taken away
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  std::ostream& stream();
  void finish();  // throws Error if anything could not be written

 private:
  std::string path_, partial_;  // empty: standard output
  std::ofstream file_;
};

}  // namespace postrider::cli
