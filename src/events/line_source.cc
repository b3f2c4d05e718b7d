#include "events/line_source.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>
#include <utility>

#include "events/event_source.h"
#include "postrider/error.h"

namespace postrider::cli {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kPiece = 1 << 16;          // bytes that are read at a time
constexpr std::size_t kBeginningBytes = 1024;    // by which a file is known, behind its header
constexpr std::size_t kLastBytes = 256;          // likewise, before the place where reading ended
constexpr std::size_t kMostRecord = 16 << 20;    // bytes; a longer one is cut, and makes no sense
constexpr std::size_t kMostLinesOfRecord = 100;  // in quotes that nobody closes
constexpr milliseconds kLook{100};               // between two looks at a file
constexpr milliseconds kGrace{1000};             // for the end of a line that was begun

bool is_regular(int descriptor) {
  struct stat found {};
  return fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode);
}

void expect_not_compressed(const std::string& bytes, const std::string& path) {
  for (const std::string_view magic :
       {std::string_view("\x1f\x8b"), std::string_view("\x28\xb5\x2f\xfd")})
    if (bytes.starts_with(magic))
      throw CorruptFile((path == "-" ? "standard input" : path) +
                        " is compressed: send it through gunzip -c or zstd -dc first");
}

}  // namespace

LineSource::LineSource(LineSourceOptions options, const TableModel::StreamPosition& from)
    : options_(std::move(options)) {
  if (options_.path == "-") {
    file_ = OpenFile(STDIN_FILENO);
  } else {
    file_ = OpenFile(options_.path);
    const bool may_come = options_.follow && errno == ENOENT;
    if (!file_ && !may_come) throw FileError("cannot open " + options_.path, options_.path, errno);
  }
  is_pipe_ = file_ && !is_regular(file_.descriptor());
  needs_header_ = options_.has_header;
  open_path_ = options_.path;
  if (!is_pipe_) open_first(from);
}

// A file goes on where the model stands.
void LineSource::open_first(const TableModel::StreamPosition& from) {
  const std::optional<FileMark> mark = FileMark::of(from);
  if (mark) {
    if (open_known(*mark, from)) return;
  } else if (const std::uint64_t learned = number_at(from, options_.unit).value_or(0);
             learned > 0) {
    return skip(learned);  // by a version that counted alone
  }
  if (file_ && options_.path == "-") {
    const off_t at = lseek(file_.descriptor(), 0, SEEK_CUR);
    offset_ = at > 0 ? static_cast<std::uint64_t>(at) : 0;
  }
}

bool LineSource::open_known(const FileMark& mark, const TableModel::StreamPosition& from) {
  const std::uint64_t records = number_at(from, options_.unit).value_or(0);
  if (options_.path == "-") {
    if (!fits(file_.descriptor(), mark)) return false;
    resume({OpenFile(STDIN_FILENO), "-"}, mark, records);
    return true;
  }
  FoundFile found = find_marked(options_.path, mark);
  if (found.file) {
    resume(std::move(found), mark, records);
    return true;
  }
  if (file_ && has_beginning(file_.descriptor(), mark))
    throw CorruptFile(fmt::format(
        "{}: begins as the file of which the model has learned {} {}, but is shorter, or was "
        "changed before that place: it must be another file; give it a name of its own",
        options_.path, records, options_.unit));
  options_.tell(fmt::format(
      "{} is another file than the one of which the model has learned {} {}: it is read from its "
      "beginning. The old file is not there any more; what it had behind that place is lost",
      options_.path, records, options_.unit));
  return false;
}

void LineSource::begin_file(OpenFile file, const std::string& path) {
  file_ = std::move(file);
  open_path_ = path;
  buffer_.clear();
  beginning_.clear();
  last_.clear();
  offset_ = number_ = 0;
  needs_header_ = options_.has_header;
  was_at_end_ = false;
  cut_since_ = {};
}

void LineSource::resume(FoundFile found, const FileMark& mark, std::uint64_t records) {
  begin_file(std::move(found.file), found.path);
  if (options_.has_header) {
    while (needs_header_ && fill_from_file() == Filled::some) take_header();
    buffer_.clear();
  }
  beginning_ = bytes_at(file_.descriptor(), 0, mark.beginning.bytes);
  last_ = bytes_at(file_.descriptor(), mark.offset - mark.last.bytes, mark.last.bytes);
  offset_ = mark.offset;
  number_ = records;
}

void LineSource::skip(std::uint64_t records) {
  while (number_ < records) {
    const std::vector<Record> found = next(std::min<std::uint64_t>(records - number_, 1024), {});
    if (found.empty()) break;
  }
  expect_learned(options_.path, options_.unit, number_, records);
}

// Bytes that were handed out.
void LineSource::pass(std::size_t bytes) {
  // All files of a table have one header: it tells nothing.
  const std::size_t known = needs_header_ ? kMostRecord : header_.size() + kBeginningBytes;
  if (beginning_.size() < known && beginning_.size() == offset_)
    beginning_.append(buffer_, 0, std::min(bytes, known - beginning_.size()));
  const std::size_t kept = std::min(bytes, kLastBytes);
  last_.append(buffer_, bytes - kept, kept);
  if (last_.size() > kLastBytes) last_.erase(0, last_.size() - kLastBytes);
  buffer_.erase(0, bytes);
  offset_ += bytes;
}

// From the buffer; false if its end is not there yet.
bool LineSource::take_record(std::string& record) {
  std::size_t from = 0;
  for (std::size_t lines = 1;; ++lines) {
    const std::size_t end = buffer_.find('\n', from);
    if (end == std::string::npos) {
      if (buffer_.size() < kMostRecord) return false;
      record.assign(buffer_, 0, 100);
      pass(buffer_.size());
      return true;
    }
    record.assign(buffer_, 0, end);
    if (record.ends_with('\r')) record.pop_back();
    if (!options_.is_whole || options_.is_whole(header_, record) || end > kMostRecord) {
      pass(end + 1);
      return true;
    }
    if (lines == kMostLinesOfRecord) break;
    from = end + 1;
  }
  // Its quotes are a mistake: lines behind it are records of their own.
  const std::size_t end = buffer_.find('\n');
  record.assign(buffer_, 0, end);
  pass(end + 1);
  return true;
}

void LineSource::take_header() {
  std::string record;
  while (needs_header_) {
    const std::size_t end = buffer_.find('\n');
    if (end != std::string::npos && options_.is_data && options_.is_data(buffer_.substr(0, end)))
      needs_header_ = false;
    if (!needs_header_ || !take_record(record)) return;
    if (record.find_first_not_of(" \t\r") == std::string::npos) continue;
    header_ = record;
    needs_header_ = false;
  }
}

std::vector<Record> LineSource::next(std::size_t most, milliseconds wait) {
  std::vector<Record> out;
  const Clock::time_point until = Clock::now() + wait;
  is_at_end_ = false;
  while (out.size() < most) {
    if (needs_header_) take_header();
    std::string record;
    if (!needs_header_ && take_record(record)) {
      ++number_;
      if (record.find_first_not_of(" \t\r") != std::string::npos)
        out.push_back({std::move(record), number_});
      continue;
    }
    // Records of the next file have another header, and another mark.
    if (!out.empty() && !is_pipe_ && file_size(file_.descriptor()) <= offset_ + buffer_.size())
      break;
    const auto left = std::chrono::duration_cast<milliseconds>(until - Clock::now());
    const Filled filled = fill(out.empty() ? std::max(left, milliseconds{0}) : milliseconds{0});
    if (filled == Filled::some) continue;
    is_at_end_ = true;
    has_ended_ = filled == Filled::end;
    if (has_ended_) tell_cut();
    break;
  }
  return out;
}

void LineSource::tell_cut() {
  if (buffer_.empty() || std::exchange(is_cut_told_, true)) return;
  options_.tell(
      fmt::format("the last line of {} has no end yet: it may be cut short, and is not "
                  "read{}",
                  open_path_ == "-" ? "standard input" : open_path_,
                  is_pipe_ ? "" : " before its end is there"));
}

std::vector<Record> LineSource::rest() {
  std::vector<Record> out;
  if (!is_pipe_ || !file_) return out;
  const Clock::time_point until = Clock::now() + kGrace;
  // The line that was begun, byte by byte: what stands behind it is for whoever reads next.
  while (!buffer_.empty() && !buffer_.ends_with('\n') && Clock::now() < until) {
    pollfd wanted{file_.descriptor(), POLLIN, 0};
    if (poll(&wanted, 1, static_cast<int>(kLook.count())) <= 0) continue;
    char byte = 0;
    if (read(file_.descriptor(), &byte, 1) != 1) break;
    buffer_ += byte;
  }
  std::string record;
  if (needs_header_) take_header();
  while (!needs_header_ && take_record(record)) {
    ++number_;
    if (record.find_first_not_of(" \t\r") != std::string::npos) out.push_back({record, number_});
  }
  return out;
}

LineSource::Filled LineSource::fill(milliseconds wait) {
  if (is_pipe_) return fill_from_pipe(wait);
  const Clock::time_point until = Clock::now() + wait;
  while (true) {
    const Filled filled = fill_from_file();
    if (filled != Filled::nothing || Clock::now() >= until || stops()) return filled;
    std::this_thread::sleep_for(std::min<Clock::duration>(kLook, until - Clock::now()));
  }
}

LineSource::Filled LineSource::fill_from_pipe(milliseconds wait) {
  const Clock::time_point until = Clock::now() + wait;
  do {
    const auto left = std::chrono::duration_cast<milliseconds>(until - Clock::now());
    pollfd wanted{file_.descriptor(), POLLIN, 0};
    const auto patience = std::clamp<std::int64_t>(left.count(), 0, kLook.count());
    const int found = poll(&wanted, 1, static_cast<int>(patience));
    if (found <= 0) continue;
    const std::size_t before = buffer_.size();
    buffer_.resize(before + kPiece);
    const ssize_t got = read(file_.descriptor(), buffer_.data() + before, kPiece);
    buffer_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) throw FileError("cannot read " + options_.path, options_.path, errno);
    if (offset_ == 0 && before == 0) expect_not_compressed(buffer_, options_.path);
    if (got > 0) return Filled::some;
    // The last writer is gone. Another one may come to a named pipe.
    if (!options_.follow || options_.path == "-") return Filled::end;
    file_ = OpenFile(options_.path);
    if (!file_) throw FileError("cannot open " + options_.path, options_.path, errno);
  } while (Clock::now() < until && !stops());
  return Filled::nothing;
}

// What is there; nothing if more may come, end if not.
LineSource::Filled LineSource::fill_from_file() {
  if (!file_) return at_end_of_file();
  if (was_at_end_ && is_rewritten()) return go_on_behind();
  const std::string more = bytes_at(file_.descriptor(), offset_ + buffer_.size(), kPiece);
  if (more.empty()) return at_end_of_file();
  buffer_ += more;
  was_at_end_ = false;
  return Filled::some;
}

LineSource::Filled LineSource::at_end_of_file() {
  const Filled more_may_come = options_.follow ? Filled::nothing : Filled::end;
  if (!file_) {
    file_ = OpenFile(options_.path);
    if (file_) return fill_from_file();
    if (!std::exchange(is_missing_told_, true))
      options_.tell("there is no file " + options_.path + " yet; waiting for it");
    return more_may_come;
  }
  if (!std::exchange(was_at_end_, true) && options_.follow) return Filled::nothing;
  if (is_rewritten()) return go_on_behind();
  if (options_.path == "-" || !is_renamed()) return more_may_come;
  // What was written between the last look and the new name.
  if (file_size(file_.descriptor()) > offset_ + buffer_.size()) return fill_from_file();
  if (waits_for_line_end()) return Filled::nothing;
  const Filled filled = go_on_behind();
  return filled == Filled::nothing ? more_may_come : filled;
}

// Somebody has emptied the file, and perhaps begun it anew: what was read does not stand there any more.
bool LineSource::is_rewritten() const {
  const std::string& read = buffer_.empty() ? last_ : buffer_;
  const std::uint64_t end = offset_ + buffer_.size();
  const std::size_t count = std::min(read.size(), kLastBytes);
  return file_size(file_.descriptor()) < end ||
         bytes_at(file_.descriptor(), end - count, count) != read.substr(read.size() - count);
}

bool LineSource::is_renamed() const {
  const OpenFile named(options_.path);
  return named && file_number(named.descriptor()) != file_number(file_.descriptor());
}

// The end of a line may still come to a file that was renamed a moment ago.
bool LineSource::waits_for_line_end() {
  if (buffer_.empty()) return false;
  if (cut_since_ == Clock::time_point{}) cut_since_ = Clock::now();
  if (options_.follow && (Clock::now() - cut_since_ < kGrace || stops())) return true;
  options_.tell(fmt::format("the last line of {} has no end, and is left out", open_path_));
  return false;
}

// The file is read, or is not what it was: what comes next? Its rest may stand in a copy.
LineSource::Filled LineSource::go_on_behind() {
  const FileMark read = mark();
  if (is_rewritten()) {
    FoundFile copy = options_.path == "-" ? FoundFile{} : find_marked(options_.path, read);
    if (copy.file) {
      const std::uint64_t records = number_;
      resume(std::move(copy), read, records);
      return fill_from_file();
    }
    options_.tell(fmt::format(
        "{} was emptied or begun anew: it is read from its beginning; what stood behind the last "
        "line that was read is gone",
        open_path_));
    begin_file(options_.path == "-" ? OpenFile(STDIN_FILENO) : OpenFile(open_path_), open_path_);
    return file_ ? fill_from_file() : Filled::nothing;
  }
  const OpenFile named(options_.path);
  if (named && fits(named.descriptor(), read) && read.offset > 0) {
    const std::uint64_t records = number_;
    resume({OpenFile(options_.path), options_.path}, read, records);  // it was written as a whole
    return fill_from_file();
  }
  const std::vector<std::string> after = files_after(options_.path, file_, read);
  if (after.empty()) return Filled::nothing;
  begin_file(OpenFile(after.front()), after.front());
  return file_ ? fill_from_file() : Filled::nothing;
}

FileMark LineSource::mark() const {
  return {file_ ? file_number(file_.descriptor()) : "", offset_, digest_of(beginning_),
          digest_of(last_)};
}

void LineSource::put_position(TableModel::StreamPosition& to) const {
  to.partitions[options_.unit] = std::to_string(number_);
  if (!is_pipe_) mark().put(to);
}

}  // namespace postrider::cli
