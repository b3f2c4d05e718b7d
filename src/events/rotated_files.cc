#include "events/rotated_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <utility>

#include "events/event_source.h"
#include "postrider/error.h"

namespace postrider::cli {
namespace {

constexpr const char* kByteName = "byte";
constexpr const char* kFileName = "file";
constexpr const char* kBeginningName = "beginning";
constexpr const char* kLastName = "last";

std::string digest_text(const PieceDigest& piece) {
  return fmt::format("{} {:016x}", piece.bytes, piece.digest);
}

PieceDigest piece_at(const TableModel::StreamPosition& position, const char* name) {
  const auto known = position.partitions.find(name);
  const std::string text = known == position.partitions.end() ? "" : known->second;
  PieceDigest out;
  const char* const end = text.data() + text.size();
  const auto bytes = std::from_chars(text.data(), end, out.bytes);
  if (bytes.ec == std::errc() && bytes.ptr != end) {
    const auto digest = std::from_chars(bytes.ptr + 1, end, out.digest, 16);
    if (digest.ec == std::errc() && digest.ptr == end) return out;
  }
  throw CorruptFile("the model has no digest as its position in " + position.source + ", " + name +
                    ": \"" + text + "\"");
}

bool has_piece(int descriptor, std::uint64_t offset, const PieceDigest& piece) {
  return digest_of(bytes_at(descriptor, offset, piece.bytes)) == piece;
}

}  // namespace

// FNV-1a: short, the same everywhere, and nobody gains by a collision.
PieceDigest digest_of(std::string_view bytes) {
  constexpr std::uint64_t kBasis = 0xcbf29ce484222325, kPrime = 0x100000001b3;
  PieceDigest out{bytes.size(), kBasis};
  for (const char byte : bytes) {
    out.digest ^= static_cast<unsigned char>(byte);
    out.digest *= kPrime;
  }
  return out;
}

std::optional<FileMark> FileMark::of(const TableModel::StreamPosition& position) {
  const std::optional<std::uint64_t> offset = number_at(position, kByteName);
  const auto file = position.partitions.find(kFileName);
  if (!offset || file == position.partitions.end()) return {};
  return FileMark{file->second, *offset, piece_at(position, kBeginningName),
                  piece_at(position, kLastName)};
}

void FileMark::put(TableModel::StreamPosition& to) const {
  to.partitions[kByteName] = std::to_string(offset);
  to.partitions[kFileName] = file;
  to.partitions[kBeginningName] = digest_text(beginning);
  to.partitions[kLastName] = digest_text(last);
}

std::string file_number(int descriptor) {
  struct stat found {};
  if (fstat(descriptor, &found) != 0) return "";
  return fmt::format("{}:{}", found.st_dev, found.st_ino);
}

std::uint64_t file_size(int descriptor) {
  struct stat found {};
  return fstat(descriptor, &found) == 0 ? static_cast<std::uint64_t>(found.st_size) : 0;
}

std::string bytes_at(int descriptor, std::uint64_t offset, std::size_t count) {
  count = std::min<std::uint64_t>(count, file_size(descriptor));
  std::string out(count, '\0');
  std::size_t done = 0;
  while (done < count) {
    const ssize_t got =
        pread(descriptor, out.data() + done, count - done, static_cast<off_t>(offset + done));
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  out.resize(done);
  return out;
}

bool has_beginning(int descriptor, const FileMark& mark) {
  return mark.beginning.bytes > 0 && has_piece(descriptor, 0, mark.beginning);
}

bool fits(int descriptor, const FileMark& mark) {
  if (file_size(descriptor) < mark.offset || mark.last.bytes > mark.offset) return false;
  if (mark.offset == 0) return mark.file == file_number(descriptor);
  return has_beginning(descriptor, mark) &&
         has_piece(descriptor, mark.offset - mark.last.bytes, mark.last);
}

namespace {

struct Sibling {
  std::string path;
  std::string number;             // of the file
  std::pair<long, long> written;  // when it was written last: seconds and nanoseconds
};

std::pair<long, long> written_at(int descriptor) {
  struct stat found {};
  if (fstat(descriptor, &found) != 0) return {};
  return {found.st_mtim.tv_sec, found.st_mtim.tv_nsec};
}

// Behind a dot or a dash a number or a date, or "old". Other files beside a log, such as predictions, are not its past.
bool is_rotation(std::string_view text) {
  if (text.size() < 2 || (text.front() != '.' && text.front() != '-')) return false;
  text.remove_prefix(1);
  return text == "old" || (text.find_first_not_of("0123456789-_.:T") == std::string_view::npos &&
                           text.find_first_of("0123456789") != std::string_view::npos);
}

// sales.csv.1, sales.csv-20261118, sales-20261118.csv.
bool is_rotated_name(const std::filesystem::path& name, const std::string& other) {
  const std::string whole = name.string(), stem = name.stem().string(),
                    extension = name.extension().string();
  if (other.starts_with(whole)) return is_rotation(std::string_view(other).substr(whole.size()));
  return !extension.empty() && other.size() > stem.size() + extension.size() &&
         other.starts_with(stem) && other.ends_with(extension) &&
         is_rotation(std::string_view(other).substr(stem.size(),
                                                    other.size() - stem.size() - extension.size()));
}

// The oldest comes first. A clock may stand still between two files; then sales.csv.2 is older than sales.csv.1.
std::vector<Sibling> siblings_of(const std::string& path) {
  const std::filesystem::path whole = std::filesystem::absolute(path);
  std::vector<Sibling> out;
  std::error_code trouble;
  for (std::filesystem::directory_iterator at(whole.parent_path(), trouble), end;
       !trouble && at != end; at.increment(trouble)) {
    std::error_code ignored;
    if (!is_rotated_name(whole.filename(), at->path().filename().string()) ||
        !at->is_regular_file(ignored))
      continue;
    const OpenFile file(at->path().string());
    if (file)
      out.push_back(
          {at->path().string(), file_number(file.descriptor()), written_at(file.descriptor())});
  }
  std::sort(out.begin(), out.end(), [](const Sibling& a, const Sibling& b) {
    return a.written != b.written ? a.written < b.written : a.path > b.path;
  });
  return out;
}

}  // namespace

OpenFile::OpenFile(const std::string& path)
    : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
OpenFile::~OpenFile() {
  if (descriptor_ > STDERR_FILENO) close(descriptor_);  // standard input is not ours to close
}
OpenFile::OpenFile(OpenFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
OpenFile& OpenFile::operator=(OpenFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

FoundFile find_marked(const std::string& path, const FileMark& mark) {
  std::vector<std::string> paths{path};
  for (const Sibling& sibling : siblings_of(path)) paths.push_back(sibling.path);
  for (const bool must_be_same : {true, false})
    for (const std::string& each : paths) {
      OpenFile file(each);
      if (!file || !fits(file.descriptor(), mark)) continue;
      if (!must_be_same || file_number(file.descriptor()) == mark.file)
        return {std::move(file), each};
    }
  return {};
}

std::vector<std::string> files_after(const std::string& path, const OpenFile& read,
                                     const FileMark& mark) {
  const std::string number = file_number(read.descriptor());
  const std::pair<long, long> written = written_at(read.descriptor());
  const OpenFile named(path);
  std::vector<std::string> out;
  bool is_behind = false;  // of files that were written in the same moment, those behind it
  for (const Sibling& sibling : siblings_of(path)) {
    if (sibling.number == number || (named && sibling.number == file_number(named.descriptor()))) {
      is_behind = true;
      continue;
    }
    if (sibling.written < written || (sibling.written == written && !is_behind)) continue;
    const OpenFile file(sibling.path);
    // A copy of what was read is nothing new.
    if (!file || fits(file.descriptor(), mark)) continue;
    out.push_back(sibling.path);
  }
  if (named) out.push_back(path);
  return out;
}

}  // namespace postrider::cli
