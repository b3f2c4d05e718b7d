#include <cerrno>
#include <cstdint>
#include <new>

#include "base/file_fault.h"
#include "base/windows.h"
#include "base/zero_pages.h"

namespace postrider::internal {
namespace {

Handle made_file(const std::string& path, const std::string& verb) {
  constexpr DWORD kKind = FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE;
  Handle out(CreateFileW(wide_path(path).c_str(), GENERIC_READ | GENERIC_WRITE, 0, nullptr,
                         CREATE_NEW, kKind, nullptr));
  if (!out && GetLastError() == ERROR_FILE_EXISTS)
    fail_file(verb, path, EEXIST, "something of this name is there already");
  if (!out) fail_file(verb, path, last_fault());
  return out;
}

// A view holds its mapping, and that the file: both handles may go. Without a file the memory is that of the system.
void* mapped(std::size_t bytes, HANDLE file) {
  const auto size = static_cast<std::uint64_t>(bytes);
  const Handle mapping(CreateFileMappingW(file, nullptr, PAGE_READWRITE,
                                          static_cast<DWORD>(size >> 32U),
                                          static_cast<DWORD>(size & 0xffffffffU), nullptr));
  return mapping ? MapViewOfFile(mapping.get(), FILE_MAP_ALL_ACCESS, 0, 0, bytes) : nullptr;
}

}  // namespace

ZeroPages::ZeroPages(std::size_t bytes)
    : bytes_(bytes), address_(mapped(bytes, INVALID_HANDLE_VALUE)) {
  if (address_ == nullptr) throw std::bad_alloc();
}

ZeroPages::ZeroPages(std::size_t bytes, const std::string& path, const std::string& verb)
    : bytes_(bytes), address_(mapped(bytes, made_file(path, verb).get())) {
  if (address_ == nullptr)
    fail_file(verb, path, last_fault(),
              fault_reason(last_fault()) + "; it needs " + std::to_string(bytes) + " bytes");
}

ZeroPages::~ZeroPages() { UnmapViewOfFile(address_); }

}  // namespace postrider::internal
