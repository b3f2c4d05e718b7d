#include "capi/c_guard.h"

#include <cstddef>
#include <cstring>

namespace postrider::internal {
namespace {

// As many whole characters as there is room for.
std::size_t fitting(std::string_view text, std::size_t room) {
  if (text.size() <= room) return text.size();
  std::size_t size = room;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) --size;
  return size;
}

}  // namespace

postrider_status tell(postrider_error* error, postrider_status status, std::string_view message) {
  if (error == nullptr) return status;
  error->status = status;
  const std::size_t size = fitting(message, POSTRIDER_MESSAGE_BYTES - 1);
  std::memcpy(error->message, message.data(), size);
  error->message[size] = '\0';
  return status;
}

}  // namespace postrider::internal
