#include "data/safetensors.h"

#include <bit>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "base/file_fault.h"
#include "postrider/error.h"
#include "postrider/file.h"

namespace postrider::internal {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

}  // namespace

std::string checksum_text(std::uint32_t checksum) {
  std::string out(kChecksumDigits, '0');
  for (std::size_t digit = kChecksumDigits; digit-- > 0; checksum >>= 4U)
    out[digit] = kDigits[checksum & 15U];
  return out;
}

std::optional<std::uint32_t> read_checksum(std::string_view text) {
  if (text.size() != kChecksumDigits) return {};
  std::uint32_t out = 0;
  for (const char digit : text) {
    const std::size_t value = kDigits.find(digit);
    if (value == std::string_view::npos) return {};
    out = out << 4U | static_cast<std::uint32_t>(value);
  }
  return out;
}

namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr std::string_view kChecksum = "checksum";
constexpr std::string_view kArrayChecksum = "checksum.";
// How the header's own checksum stands in it. Quotes inside of texts are escaped, so that no text can
// look like this.
constexpr std::string_view kOwnChecksum = "\"checksum\":\"";

// Where the digits of the header's own checksum are.
std::size_t own_digits(std::string_view header) {
  const std::size_t found = header.find(kOwnChecksum);
  return found == std::string_view::npos ? found : found + kOwnChecksum.size();
}

// The header's digits must be zeros already.
std::uint32_t header_checksum(const std::string& header) {
  const std::uint64_t length = header.size();
  return checksum_of(std::as_bytes(std::span(header)),
                     checksum_of(std::as_bytes(std::span(&length, 1))));
}

std::string key_of(const std::string& name) { return std::string(kArrayChecksum) + name; }

std::unique_ptr<std::istream> opened(const std::string& path) {
  // The stream would read a folder as an empty file, and wait at a pipe.
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status)) fail_file("read", path, EISDIR, "it is a folder");
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    fail_file("read", path, ESPIPE, "it is not a plain file");
  errno = 0;
  auto out = std::make_unique<std::ifstream>(path, std::ios::binary);
  if (!*out) fail_file("open", path, errno);
  return out;
}

}  // namespace

void write_safetensors(std::ostream& to, const std::vector<TensorView>& tensors,
                       const std::map<std::string, std::string>& metadata) {
  std::map<std::string, std::string> all = metadata;
  std::vector<std::pair<std::string, TensorEntry>> entries;
  std::uint64_t end = 0;
  for (const TensorView& tensor : tensors) {
    const std::uint64_t begin = end;
    end += tensor.bytes.size();
    entries.push_back({tensor.name, {tensor.type, tensor.shape, begin, end}});
    all[key_of(tensor.name)] = checksum_text(checksum_of(tensor.bytes));
  }
  all[std::string(kChecksum)] = checksum_text(0);
  std::string text = write_header(all, entries);
  text.replace(own_digits(text), kChecksumDigits, checksum_text(header_checksum(text)));

  const std::uint64_t length = text.size();
  to.write(reinterpret_cast<const char*>(&length), sizeof length);
  to.write(text.data(), static_cast<std::streamsize>(text.size()));
  for (const TensorView& tensor : tensors)
    to.write(reinterpret_cast<const char*>(tensor.bytes.data()),
             static_cast<std::streamsize>(tensor.bytes.size()));
}

void write_safetensors(const std::string& path, const std::vector<TensorView>& tensors,
                       const std::map<std::string, std::string>& metadata) {
  FileWriter writer(path);
  write_safetensors(writer.stream(), tensors, metadata);
  writer.finish();
}

SafetensorsReader::SafetensorsReader(const std::string& path)
    : SafetensorsReader(opened(path), path) {}

SafetensorsReader::SafetensorsReader(std::unique_ptr<std::istream> from, const std::string& called)
    : path_(called), file_(std::move(from)) {
  const std::string text = read_text();
  try {
    SafetensorsHeader header = read_header(text, data_bytes_);
    metadata_ = std::move(header.metadata);
    entries_ = std::move(header.entries);
  } catch (const MalformedHeader& malformed) {
    fail(malformed.reason);
  }
  expect_checksums(text);
}

std::string SafetensorsReader::read_text() {
  file_->seekg(0, std::ios::end);
  const auto total = static_cast<std::uint64_t>(file_->tellg());
  file_->seekg(0);
  std::uint64_t length = 0;
  file_->read(reinterpret_cast<char*>(&length), sizeof length);
  const bool has_length = bool(*file_) && length <= kLargestHeader;
  if (has_length && length > total - sizeof length && file_->peek() == '{')
    fail("it is cut short, within its header; was it copied or written as a whole?");
  if (!has_length || length > total - sizeof length)
    fail("it does not begin with a safetensors header; is it a model?");
  std::string text(length, ' ');
  file_->read(text.data(), static_cast<std::streamsize>(length));
  if (!*file_) fail("its header ends too early");
  data_begin_ = sizeof length + length;
  data_bytes_ = total - data_begin_;
  return text;
}

// Checksums leave the metadata here: what others see is what was written. One that is left makes all
// of them necessary, so that damage to its name does not go unnoticed.
void SafetensorsReader::expect_checksums(const std::string& text) {
  for (auto at = metadata_.begin(); at != metadata_.end();) {
    const bool is_one = at->first == kChecksum || at->first.starts_with(kArrayChecksum);
    const auto next = std::next(at);
    if (is_one) checksums_.insert(metadata_.extract(at));
    at = next;
  }
  has_checksums_ = !checksums_.empty();
  if (!has_checksums_) return;
  for (const auto& [name, entry] : entries_)
    if (!checksums_.contains(key_of(name))) fail("its array " + name + " has no checksum");
  if (checksums_.size() != entries_.size() + 1) fail("its checksums are not those of its arrays");
  const auto own = checksums_.find(std::string(kChecksum));
  const std::size_t digits = own_digits(text);
  if (own == checksums_.end() || digits == std::string::npos) fail("its header has no checksum");
  std::string blank = text;
  blank.replace(digits, kChecksumDigits, checksum_text(0));
  if (read_checksum(own->second) != header_checksum(blank))
    fail("its header is damaged: the checksum differs");
}

void SafetensorsReader::fail(const std::string& what) const {
  throw CorruptFile("cannot read " + path_ + ": " + what);
}

bool SafetensorsReader::has(const std::string& name) const {
  const auto found = entries_.find(name);
  return found != entries_.end() && found->second.type != ElementType::other;
}

const TensorEntry& SafetensorsReader::find(const std::string& name) const {
  if (!has(name)) fail("it holds no array " + name);
  return entries_.at(name);
}

std::vector<std::size_t> SafetensorsReader::shape(const std::string& name) const {
  return find(name).shape;
}

void SafetensorsReader::read_bytes(const std::string& name, ElementType type,
                                   const std::vector<std::size_t>& shape, std::span<std::byte> to) {
  const TensorEntry& entry = find(name);
  if (entry.type != type) fail("the array " + name + " is not " + std::string(name_of(type)));
  if (entry.shape != shape || entry.end - entry.begin != to.size())
    fail("the array " + name + " has another shape than the model");
  file_->clear();
  file_->seekg(static_cast<std::streamoff>(data_begin_ + entry.begin));
  file_->read(reinterpret_cast<char*>(to.data()), static_cast<std::streamsize>(to.size()));
  if (!*file_) fail("the array " + name + " ends too early");
  if (has_checksums_ && read_checksum(checksums_.at(key_of(name))) != checksum_of(to))
    fail("the array " + name + " is damaged: the checksum differs");
}

}  // namespace postrider::internal
