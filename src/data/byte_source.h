// Bytes from a file, decompressed on the way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace postrider::internal {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills at most `to`; 0 only at the end. Throws Error.
  virtual std::size_t read(std::span<char> to) = 0;
  virtual std::uint64_t stored_bytes() const = 0;  // taken from the file so far
  virtual std::uint64_t file_bytes() const = 0;    // 0 where it has no size
};

// The path "-" is standard input. What gzip or Zstandard compressed is told by its first bytes, not by
// its name; several such pieces may follow each other. Memory is bounded, whatever the file says.
// Throws Error if it cannot be opened.
std::unique_ptr<ByteSource> open_bytes(const std::string& path);
// The same for bytes in memory, handed out in pieces of this size. `name` is for messages.
std::unique_ptr<ByteSource> memory_bytes(std::string bytes, const std::string& name,
                                         std::size_t piece = SIZE_MAX);
// The first bytes, to tell what the source holds; it hands them out again.
std::string peek(std::unique_ptr<ByteSource>& source);

// --- Files that are often handed over in the place of text, told by their first bytes.

// What a file is that is not text, and what to do about it; empty if it may be text.
std::string advice_on(std::string_view first_bytes);

// Throws CorruptFile with that advice.
void expect_text(std::string_view first_bytes, const std::string& name);

}  // namespace postrider::internal
