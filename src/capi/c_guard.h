// Between C and C++: exceptions become a status and a message, pointers are checked.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "postrider/c_api.h"
#include "postrider/error.h"

namespace postrider::internal {

// Returns the status. The error may be NULL; the message is shortened if need be.
postrider_status tell(postrider_error* error, postrider_status status, std::string_view message);

// Exceptions end here.
template <class Action>
postrider_status guarded(postrider_error* error, Action&& action) {
  try {
    action();
    return tell(error, POSTRIDER_OK, "");
  } catch (const InvalidArgument& wrong) {
    return tell(error, POSTRIDER_INVALID_ARGUMENT, wrong.what());
  } catch (const FileError& wrong) {
    return tell(error, POSTRIDER_FILE_ERROR, wrong.what());
  } catch (const CorruptFile& wrong) {
    return tell(error, POSTRIDER_CORRUPT, wrong.what());
  } catch (const std::bad_alloc&) {
    return tell(error, POSTRIDER_OUT_OF_MEMORY, "there is not enough memory");
  } catch (const std::exception& wrong) {
    return tell(error, POSTRIDER_FAILED, wrong.what());
  } catch (...) {
    return tell(error, POSTRIDER_FAILED, "failed");
  }
}

template <class Pointer>
Pointer expect(Pointer pointer, const char* name) {
  if (pointer == nullptr) throw InvalidArgument(std::string(name) + " = NULL: must not be NULL");
  return pointer;
}

}  // namespace postrider::internal
