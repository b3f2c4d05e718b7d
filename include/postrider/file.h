// Files that are written whole or not at all. Everything that Postrider saves goes through here:
// models, checkpoints, predictions, reports, ratings.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <string_view>

#include "postrider/export.h"

namespace postrider {

// Writes a file beside its name and renames it when it is whole: a reader, a crash or a full disk
// never leaves half a file, and the file before stays until then.
//
// - The file beside has a random name of its own, `.postrider-<random>.part`, and is made anew.
// - File and folder are written through to the disk before finish() returns.
// - A file that is replaced passes on its permissions.
// - What is not a plain file is not replaced: a folder, a device, a pipe, and a symbolic link, which is
//   not followed either.
// - What was not finished is removed.
//
// Every failure is a FileError with the path and the reason. Writing to the stream throws it, too.
class POSTRIDER_EXPORT FileWriter {
 public:
  // Which file a path led to at one moment, so that a later write can replace that one only: of two
  // programs that read a file, change it and write it back, the second must not undo the first.
  class POSTRIDER_EXPORT Version {
   public:
    explicit Version(const std::string& path);  // throws FileError if it cannot be opened

    const std::string& path() const;
    // Whether the path still leads to this file, and nobody has written to it.
    bool is_current() const;

   private:
    struct Held;
    std::shared_ptr<const Held> held_;  // an open file: its identity cannot pass to another one
  };

  explicit FileWriter(const std::string& path);
  // Replaces this version, and refuses in finish() if another program came between.
  explicit FileWriter(const Version& replaced);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  std::ostream& stream();
  void finish();  // the file appears under its name

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// All of a file that is in memory already.
POSTRIDER_EXPORT void write_file(const std::string& path, std::string_view bytes);

// Whether both lead to the same file that is there, under whatever names.
POSTRIDER_EXPORT bool is_same_file(const std::string& a, const std::string& b);

}  // namespace postrider
