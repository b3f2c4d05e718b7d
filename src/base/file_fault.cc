#include "base/file_fault.h"

#include <cerrno>
#include <system_error>

#include "postrider/error.h"

namespace postrider::internal {

std::string fault_reason(int code) {
  switch (code) {
    case ENOSPC:
      return "the disk is full";
#ifdef EDQUOT  // not on every system
    case EDQUOT:
      return "the disk quota is used up";
#endif
    case EFBIG:
      return "it would be larger than files may be here";
    default:
      return std::generic_category().message(code);
  }
}

void fail_file(const std::string& verb, const std::string& path, int code) {
  fail_file(verb, path, code, fault_reason(code));
}

void fail_file(const std::string& verb, const std::string& path, int code,
               const std::string& reason) {
  throw FileError("cannot " + verb + " " + path + ": " + reason, path, code);
}

}  // namespace postrider::internal
