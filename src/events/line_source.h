// Lines of a file that may grow and be rotated, or of a pipe.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "events/notices.h"
#include "events/rotated_files.h"
#include "postrider/table_model.h"

namespace postrider::cli {

// Whether somebody wants the program to end: asked while it waits.
using Stops = std::function<bool()>;

struct LineSourceOptions {
  std::string path;  // "-": standard input
  std::string unit;  // what is counted: the partition's name
  bool has_header = false;
  std::function<bool(const std::string& line)> is_data = {};  // a first line that is no header
  bool follow = false;                                        // the end of a file is not the end
  // Whether a text is a whole record, or the next line belongs to it. Empty: each line is one. The header is the first
  // argument.
  std::function<bool(const std::string& header, const std::string& text)> is_whole = {};
  Tell tell = {};
  Stops stops = {};
};

struct Record {
  std::string text;  // without the end of its line
  std::uint64_t number = 0;
};

// A line is read when its end is there: one that is cut short is left for later. A file that the model knows goes on
// where it was left, whatever it is called by now, and what was written after it follows; a pipe begins at its beginning.
class LineSource {
 public:
  // Throws FileError if it cannot be opened, CorruptFile if it is a shorter or changed version of what was learned.
  LineSource(LineSourceOptions options, const TableModel::StreamPosition& from);

  // At most so many, all of one file; waits for the first one, but no longer than this.
  std::vector<Record> next(std::size_t most, std::chrono::milliseconds wait);
  // What was taken from a pipe and not handed out: nobody else can read it.
  std::vector<Record> rest();

  const std::string& header() const { return header_; }  // of the file whose records came last
  bool is_at_end() const { return is_at_end_; }          // for now
  bool has_ended() const { return has_ended_; }          // for good
  void put_position(TableModel::StreamPosition& to) const;

 private:
  enum class Filled { some, nothing, end };

  void open_first(const TableModel::StreamPosition& from);
  bool open_known(const FileMark& mark, const TableModel::StreamPosition& from);
  void begin_file(OpenFile file, const std::string& path);
  void resume(FoundFile found, const FileMark& mark, std::uint64_t records);
  void skip(std::uint64_t records);
  void pass(std::size_t bytes);
  bool take_record(std::string& record);
  void take_header();
  void tell_cut();

  Filled fill(std::chrono::milliseconds wait);
  Filled fill_from_pipe(std::chrono::milliseconds wait);
  Filled fill_from_file();
  Filled at_end_of_file();
  bool is_rewritten() const;
  bool is_renamed() const;
  Filled go_on_behind();
  bool waits_for_line_end();
  FileMark mark() const;
  bool stops() const { return options_.stops && options_.stops(); }

  LineSourceOptions options_;
  OpenFile file_;
  std::string open_path_;
  bool is_pipe_ = false, is_at_end_ = false, was_at_end_ = false;
  bool has_ended_ = false, is_missing_told_ = false, is_cut_told_ = false;
  std::string buffer_;        // read, and not handed out
  std::uint64_t offset_ = 0;  // of the buffer in the file
  std::uint64_t number_ = 0;  // of records handed out
  std::string beginning_;     // of the file
  std::string last_;          // what was handed out last
  std::string header_;
  bool needs_header_ = false;
  std::chrono::steady_clock::time_point cut_since_ =
      {};  // a line without an end, of a file that was renamed
};

}  // namespace postrider::cli
