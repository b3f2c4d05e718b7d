#pragma once

#include <concepts>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "postrider/export.h"

// How Postrider reports trouble. There are three tiers, and each has one form:
//
//   a mistake of the caller    an exception of this file; the message says what would be accepted
//   an event in the numbers    a counted status in the result, because the run can go on
//   a mistake of ours          the program prints what it knows and aborts
//
// What a file holds is never a mistake of ours: damaged or hostile bytes give a CorruptFile.
namespace postrider {

// Base of every exception that Postrider throws on purpose.
class POSTRIDER_EXPORT Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A value the caller passed is outside of what is accepted.
class POSTRIDER_EXPORT InvalidArgument : public Error {
 public:
  using Error::Error;
  // The message is `<field> = <value>: <accepted>`.
  InvalidArgument(std::string_view field, std::string_view value, std::string_view accepted);

  // What was wrong, as the message names it; its value as the message writes it, texts in quotes; and what is accepted. Empty where the
  // message is a sentence of its own.
  const std::string& field() const { return field_; }
  const std::string& value() const { return value_; }
  const std::string& accepted() const { return accepted_; }
  // The same where the caller knows the field by another name.
  InvalidArgument about(std::string_view field) const { return {field, value_, accepted_}; }

 private:
  std::string field_ = {}, value_ = {}, accepted_ = {};
};

// A file cannot be opened, read or written. The message names the path and the reason.
class POSTRIDER_EXPORT FileError : public Error {
 public:
  // `code` is the system's errno, or 0 where it had no part in this.
  FileError(const std::string& message, std::string path, int code = 0)
      : Error(message), path_(std::move(path)), code_(code) {}

  const std::string& path() const { return path_; }
  int code() const { return code_; }

 private:
  std::string path_;
  int code_;
};

// The bytes of a file, or of a stream, are damaged or are not what was asked for.
class POSTRIDER_EXPORT CorruptFile : public Error {
 public:
  using Error::Error;
};

// An estimator is asked for what it learns from data, before it has seen any.
class POSTRIDER_EXPORT NotFitted : public Error {
 public:
  using Error::Error;
};

// Work ended early because the user asked for it, and there is nothing to return.
class POSTRIDER_EXPORT Interrupted : public Error {
 public:
  using Error::Error;
};

namespace detail {
[[noreturn]] POSTRIDER_EXPORT void reject_verbatim(std::string_view field, std::string_view value,
                                                   std::string_view accepted);
}  // namespace detail

// Throws InvalidArgument with the message `<field> = <value>: <accepted>`, such as
// `slope = -0.5: must be at least 0`. Public because the options of a user's own factor want the
// same messages. Numbers are printed with as many digits as it takes to read them back; text is
// printed in quotes, so that an empty or padded string shows.
[[noreturn]] POSTRIDER_EXPORT void reject(std::string_view field, double value,
                                          std::string_view accepted);
[[noreturn]] POSTRIDER_EXPORT void reject(std::string_view field, std::string_view value,
                                          std::string_view accepted);

template <std::integral Integer>
[[noreturn]] void reject(std::string_view field, Integer value, std::string_view accepted) {
  detail::reject_verbatim(field, std::to_string(value), accepted);
}

}  // namespace postrider
