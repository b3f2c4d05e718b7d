// Which file a stream has read, and how far, so that the same one is found again whatever its name is by then.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "postrider/table_model.h"

namespace postrider::cli {

// A piece of a file: how long it is, and a digest of its bytes.
struct PieceDigest {
  std::uint64_t bytes = 0;
  std::uint64_t digest = 0;

  bool operator==(const PieceDigest&) const = default;
};
PieceDigest digest_of(std::string_view bytes);

// Names alone say little: a log is renamed and begun anew. The number of a file says more, but is given again once the
// file is gone. What it begins with, and what stands before the place where reading ended, decide.
struct FileMark {
  std::string file = {};       // device and number, as "2049:17"
  std::uint64_t offset = 0;    // behind the last line that was handed out
  PieceDigest beginning = {};  // its first bytes
  PieceDigest last = {};       // the bytes before the offset

  // Among the partitions of a position. Nothing if they have no mark, as of a model of an earlier version; throws
  // CorruptFile if they have one that makes no sense.
  static std::optional<FileMark> of(const TableModel::StreamPosition& position);
  void put(TableModel::StreamPosition& to) const;
};

// The device and number of a file that is open.
std::string file_number(int descriptor);
std::uint64_t file_size(int descriptor);
// Reads at most so many bytes of a file that is open.
std::string bytes_at(int descriptor, std::uint64_t offset, std::size_t count);

bool has_beginning(int descriptor, const FileMark& mark);
// Whether it is the marked file as far as that was read, or a copy of it.
bool fits(int descriptor, const FileMark& mark);

// --- The files that a log became when it was rotated: sales.csv.1, sales.csv.2, sales.csv-20261118.

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
