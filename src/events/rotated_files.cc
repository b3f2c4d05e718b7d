#include "events/rotated_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

namespace postrider::cli {
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
