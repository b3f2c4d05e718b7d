// Files by their numbers, as far as systems differ. Each returns less than 0, and leaves the reason in errno, where it fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace postrider::internal {

inline constexpr int kStandardInput = 0;

int open_to_read(const std::string& path);
// Fewer than asked for where there are no more; 0 at the end.
std::ptrdiff_t read_some(int file, std::span<char> to);
std::ptrdiff_t write_some(int file, std::span<const char> bytes);
int close_file(int file);

struct FileKind {
  bool is_folder = false;
  std::optional<std::uint64_t> size;  // of a plain file
};
std::optional<FileKind> file_kind(int file);

// A number that another process that runs does not have.
std::int64_t process_number();

}  // namespace postrider::internal
