// The part of a text that is looked at: what was not used yet, in one piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "data/byte_source.h"

namespace postrider::internal {

class TextWindow {
 public:
  // `most_bytes`: what is not used may not become longer. `name` is for messages.
  TextWindow(std::unique_ptr<ByteSource> source, std::string name, std::size_t most_bytes);

  // Zero bytes stand at end(), as many as a reader of numbers may look at.
  const char* begin() const { return begin_; }
  const char* end() const { return end_; }
  bool is_last() const { return last_; }  // nothing comes behind end()
  void use_until(const char* at) { begin_ = at; }

  // Reads more behind end(); false if nothing came. Pointers from before are void. Throws Error, with
  // the line, if what is not used is too long.
  bool grow(std::size_t line);
  // Uses and returns the text up to the next line feed, with it; empty at the end. The line is for messages.
  std::string_view next_line(std::size_t line);
  // Grows until there are so many bytes, or the text ends.
  void expect(std::size_t bytes);

  const ByteSource& source() const { return *source_; }
  const std::string& name() const { return name_; }
  std::uint64_t decoded_bytes() const { return decoded_; }
  [[noreturn]] void fail(std::size_t line, const std::string& what) const;  // throws Error

 private:
  void put_zeros();

  std::unique_ptr<ByteSource> source_;
  std::string name_;
  std::size_t most_bytes_;
  std::size_t room_;  // and zero bytes behind it
  std::unique_ptr<char[]> bytes_;
  const char* begin_;
  const char* end_;
  bool last_ = false;
  std::uint64_t decoded_ = 0;
};

}  // namespace postrider::internal
