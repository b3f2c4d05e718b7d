// Why a file cannot be had, in words.
#pragma once

#include <string>

namespace postrider::internal {

// The reason of an errno: "the disk is full" rather than what the system calls it.
std::string fault_reason(int code);

// Throws FileError: "cannot <verb> <path>: <reason>".
[[noreturn]] void fail_file(const std::string& verb, const std::string& path, int code);
[[noreturn]] void fail_file(const std::string& verb, const std::string& path, int code,
                            const std::string& reason);

}  // namespace postrider::internal
