#include "events/file_mark.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "events/position.h"
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

PieceDigest piece_at(const StreamPosition& position, const char* name) {
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

std::optional<FileMark> FileMark::of(const StreamPosition& position) {
  const std::optional<std::uint64_t> offset = number_at(position, kByteName);
  const auto file = position.partitions.find(kFileName);
  if (!offset || file == position.partitions.end()) return {};
  return FileMark{file->second, *offset, piece_at(position, kBeginningName),
                  piece_at(position, kLastName)};
}

void FileMark::put(StreamPosition& to) const {
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

}  // namespace postrider::cli
