// Windows' own header, with as little of it as there may be; and what every file for that system needs.
#pragma once

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

namespace postrider::internal {

// Paths are UTF-8 everywhere in the library.
inline std::filesystem::path wide_path(const std::string& path) {
  return {std::u8string(path.begin(), path.end())};
}

// What the last call went wrong with, as an errno.
inline int last_fault() {
  const std::error_code code(static_cast<int>(GetLastError()), std::system_category());
  return code.default_error_condition().value();
}

// A file or a mapping that closes itself.
class Handle {
 public:
  explicit Handle(HANDLE handle = nullptr)
      : handle_(handle == INVALID_HANDLE_VALUE ? nullptr : handle) {}
  Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Handle() {
    if (handle_ != nullptr) CloseHandle(handle_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  explicit operator bool() const { return handle_ != nullptr; }
  HANDLE get() const { return handle_; }

 private:
  HANDLE handle_;
};

}  // namespace postrider::internal
