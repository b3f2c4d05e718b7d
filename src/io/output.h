// Where results go: standard output, or a file that appears once it is whole.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "postrider/file.h"
#include "postrider/table_model.h"

namespace postrider::cli {

bool is_standard_output(const std::string& path);  // "-", or empty

// A file that a command is about to write.
struct OutputTarget {
  std::string option;  // as the user wrote it, such as --output
  std::string path;
  std::vector<std::string> inputs = {};  // files that the command reads
  bool force = false;                    // replaces a file of another kind
};

// What a command writes, for the question whether a file that is there may be replaced.
struct OutputKind {
  std::string name;  // such as "a model"
  std::function<bool(const std::string& path)> holds;
};

OutputKind model_kind();
OutputKind checkpoint_kind();
OutputKind skill_history_kind();
OutputKind sparse_model_kind();
// Text that begins in one of these ways.
OutputKind text_kind(const std::string& name, const std::vector<std::string>& beginnings);

// Better before the work than after it: throws InvalidArgument if the folder is not there, if the file
// is one of the inputs, or if a file is there that is neither empty nor of this kind and nobody said
// --force; FileError if it cannot be written for another reason.
void expect_writable(const OutputTarget& target, const OutputKind& kind);

// Where to talk to the user while results go to `path`.
std::ostream& talk_beside(const std::string& path);

class Output {
 public:
  explicit Output(const std::string& path);

  std::ostream& stream();
  void finish();  // throws FileError if anything could not be written

 private:
  std::optional<FileWriter> file_;  // none: standard output
};

// The model goes to the path, or replaces the version of the file that it was read from.
void save_model(const TableModel& model, const std::string& path);
void save_model(const TableModel& model, const FileWriter::Version& replaced);

// Throws FileError if what was printed did not arrive.
void expect_printed();

// --- One line on the terminal that is written again and again.

class LiveLine {
 public:
  // Where standard error is not a terminal, a log has a line now and then: after ten seconds, and later when a tenth of
  // the time has passed.
  explicit LiveLine(bool quiet);
  ~LiveLine();
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  bool is_terminal() const { return shown_; }
  void show(const std::string& text);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool is_due();

  bool shown_, logs_;
  std::size_t width_ = 0;  // of what stands there
  Clock::time_point begin_ = Clock::now(), last_ = begin_;
};

}  // namespace postrider::cli
