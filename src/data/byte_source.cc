#include "data/byte_source.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/system_files.h"
#include "data/compression.h"
#include "postrider/error.h"

namespace postrider::internal {
namespace {

constexpr std::size_t kLongestMagic = 4;
constexpr std::string_view kGzip = "\x1f\x8b";
constexpr std::string_view kZstandard = "\x28\xb5\x2f\xfd";
// Frames that a decoder skips; some tools begin their files with one.
constexpr std::string_view kSkippable = "\x2a\x4d\x18";

class FileBytes final : public ByteSource {
 public:
  FileBytes(const std::string& path, std::string name)
      : name_(std::move(name)), file_(path == "-" ? kStandardInput : open_to_read(path)) {
    if (file_ < 0) fail_to("open", errno);
    const std::optional<FileKind> kind = file_kind(file_);
    if (!kind) return;
    if (kind->is_folder) {
      close_file(file_);
      throw FileError("cannot read " + name_ + ": it is a folder", name_, EISDIR);
    }
    size_ = kind->size.value_or(0);
  }
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;
  ~FileBytes() override {
    if (file_ != kStandardInput) close_file(file_);
  }

  std::size_t read(std::span<char> to) override {
    const std::ptrdiff_t got = read_some(file_, to);
    if (got < 0) fail_to("read", errno);
    taken_ += static_cast<std::uint64_t>(got);
    return static_cast<std::size_t>(got);
  }
  std::uint64_t stored_bytes() const override { return taken_; }
  std::uint64_t file_bytes() const override { return size_; }

 private:
  [[noreturn]] void fail_to(const std::string& verb, int code) const {
    throw FileError("cannot " + verb + " " + name_ + ": " + std::generic_category().message(code),
                    name_, code);
  }

  std::string name_;
  int file_;
  std::uint64_t taken_ = 0, size_ = 0;
};

class MemoryBytes final : public ByteSource {
 public:
  MemoryBytes(std::string bytes, std::size_t piece) : bytes_(std::move(bytes)), piece_(piece) {}

  std::size_t read(std::span<char> to) override {
    const std::size_t count = std::min({to.size(), piece_, bytes_.size() - taken_});
    std::copy_n(bytes_.data() + taken_, count, to.data());
    taken_ += count;
    return count;
  }
  std::uint64_t stored_bytes() const override { return taken_; }
  std::uint64_t file_bytes() const override { return bytes_.size(); }

 private:
  std::string bytes_;
  std::size_t piece_;
  std::size_t taken_ = 0;
};

// Bytes that were looked at, and then the rest of the source.
class Replayed final : public ByteSource {
 public:
  Replayed(std::string first, std::unique_ptr<ByteSource> rest)
      : first_(std::move(first)), rest_(std::move(rest)) {}

  std::size_t read(std::span<char> to) override {
    if (used_ == first_.size()) return rest_->read(to);
    const std::size_t count = std::min(to.size(), first_.size() - used_);
    std::copy_n(first_.data() + used_, count, to.data());
    used_ += count;
    return count;
  }
  std::uint64_t stored_bytes() const override { return rest_->stored_bytes(); }
  std::uint64_t file_bytes() const override { return rest_->file_bytes(); }

 private:
  std::string first_;
  std::unique_ptr<ByteSource> rest_;
  std::size_t used_ = 0;
};

std::unique_ptr<ByteSource> decoded(std::unique_ptr<ByteSource> source, const std::string& name) {
  std::string first(kLongestMagic, '\0');
  std::size_t known = 0;
  while (known < first.size()) {
    const std::size_t got = source->read(std::span(first).subspan(known));
    if (got == 0) break;
    known += got;
  }
  first.resize(known);
  const std::string_view view = first;
  const bool gzip = view.starts_with(kGzip);
  const bool zstandard =
      view.starts_with(kZstandard) || (view.size() == kLongestMagic && (view[0] & '\xf0') == 0x50 &&
                                       view.substr(1).starts_with(kSkippable));
  auto whole = std::make_unique<Replayed>(first, std::move(source));
  if (gzip) return gzip_bytes(std::move(whole), name);
  if (zstandard) return zstandard_bytes(std::move(whole), name);
  return whole;
}

// So much is looked at to tell formats apart.
constexpr std::size_t kPeekedBytes = std::size_t{1} << 16;

}  // namespace

std::unique_ptr<ByteSource> open_bytes(const std::string& path) {
  const std::string name = path == "-" ? "standard input" : path;
  return decoded(std::make_unique<FileBytes>(path, name), name);
}

std::unique_ptr<ByteSource> memory_bytes(std::string bytes, const std::string& name,
                                         std::size_t piece) {
  return decoded(std::make_unique<MemoryBytes>(std::move(bytes), piece), name);
}

std::string peek(std::unique_ptr<ByteSource>& source) {
  std::string out(kPeekedBytes, '\0');
  std::size_t known = 0;
  while (known < out.size()) {
    const std::size_t got = source->read(std::span(out).subspan(known));
    if (got == 0) break;
    known += got;
  }
  out.resize(known);
  source = std::make_unique<Replayed>(out, std::move(source));
  return out;
}

namespace {

using namespace std::string_view_literals;

constexpr std::string_view kAsText = "save it as CSV";
constexpr std::string_view kArrowAdvice =
    "in Python, postrider.TableModel takes such tables, and so does this program where the module "
    "for Arrow files is (tools/arrow-module); else write it as CSV, such as by "
    "pyarrow.csv.write_csv, or "
    "through a pipe to standard input, which is -";

struct Format {
  std::string_view magic, name, advice;
};

constexpr std::array kFormats{
    Format{"BZh"sv, "compressed by bzip2",
           "gzip and Zstandard are read; send it through a pipe: bzip2 -dc FILE | postrider ... -"},
    Format{"\xfd"
           "7zXZ"sv,
           "compressed by xz",
           "gzip and Zstandard are read; send it through a pipe: xz -dc FILE | postrider ... -"},
    Format{"\x04\x22\x4d\x18"sv, "compressed by lz4",
           "gzip and Zstandard are read; send it through a pipe: lz4 -dc FILE | postrider ... -"},
    Format{"7z\xbc\xaf\x27\x1c"sv, "a 7z archive", "unpack it first"},
    Format{"Rar!\x1a\x07"sv, "a RAR archive", "unpack it first"},
    Format{"PAR1"sv, "a Parquet file", kArrowAdvice},
    Format{"ARROW1"sv, "an Arrow file", kArrowAdvice},
    Format{"\xff\xff\xff\xff"sv, "an Arrow stream", kArrowAdvice},
    Format{"FEA1"sv, "a Feather file", kArrowAdvice},
    Format{"ORC"sv, "an ORC file", kArrowAdvice},
    Format{"Obj\x01"sv, "an Avro file", kAsText},
    Format{"\x89HDF\r\n\x1a\n"sv, "an HDF5 file", kAsText},
    Format{"\x93NUMPY"sv, "an array of NumPy", kAsText},
    Format{"SQLite format 3"sv, "a database of SQLite", kAsText},
    Format{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, "an old Excel file", "save its sheet as CSV"},
    Format{"%PDF-"sv, "a PDF", kAsText},
};

std::string zip_advice(std::string_view bytes) {
  const auto has = [&](std::string_view part) { return bytes.find(part) != bytes.npos; };
  if (has("[Content_Types].xml") || has("xl/")) return "is an Excel file: save its sheet as CSV";
  if (has("application/vnd.oasis.opendocument"))
    return "is an OpenDocument file: save its sheet as CSV";
  return "is a zip archive: unpack it first, or send one file of it through a pipe: unzip -p FILE "
         "| postrider ... -";
}

bool is_json(std::string_view bytes) {
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  if (first == bytes.npos || (bytes[first] != '{' && bytes[first] != '[')) return false;
  const std::size_t next = bytes.find_first_not_of(" \t\r\n", first + 1);
  return next != bytes.npos && (bytes[next] == '{' || bytes[next] == '"' || bytes[next] == '[');
}

// Eight bytes of a length, and JSON that begins with metadata.
bool is_model(std::string_view bytes) {
  return bytes.size() > 8 && bytes.substr(8).starts_with("{\"__metadata__\"") &&
         bytes.substr(0, 8).find('\0') != bytes.npos;
}

}  // namespace

std::string advice_on(std::string_view bytes) {
  for (const Format& format : kFormats)
    if (bytes.starts_with(format.magic))
      return "is " + std::string(format.name) + ": " + std::string(format.advice);
  if (bytes.starts_with("PK\x03\x04")) return zip_advice(bytes);
  if (is_model(bytes)) return "is a model file, and a table is expected here: are both exchanged?";
  if (is_json(bytes))
    return "is JSON: write it as CSV; postrider stream and serve read lines of JSON";
  // A text of one line without an end may hold one carriage return, and hardly two.
  if (bytes.find('\n') == bytes.npos && bytes.find('\r') != bytes.rfind('\r'))
    return "ends its lines with a carriage return alone: write it with line feeds, such as by tr "
           "'\\r' '\\n'";
  return "";
}

void expect_text(std::string_view first_bytes, const std::string& name) {
  const std::string advice = advice_on(first_bytes);
  if (!advice.empty()) throw CorruptFile("cannot read " + name + ": it " + advice);
}

}  // namespace postrider::internal
