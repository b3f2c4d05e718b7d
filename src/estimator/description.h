// The metadata of a model file, read with complaints that name the file.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <system_error>
#include <utility>

#include "base/number_text.h"
#include "postrider/error.h"

namespace postrider::internal {

// Metadata that must be there and must make sense.
class Description {
 public:
  Description(const std::string& path, const std::map<std::string, std::string>& values)
      : path_(path), values_(values) {}

  bool has(const std::string& key) const { return values_.contains(key); }
  const std::string& text(const std::string& key) const {
    const auto found = values_.find(key);
    if (found == values_.end()) fail("it does not say \"" + key + "\"");
    return found->second;
  }
  template <class N>
  N read(const std::string& key) const {
    const std::string& value = text(key);
    const std::optional<N> out = number_of_text<N>(value);
    if (!out) fail("\"" + key + "\" is not a number");
    return *out;
  }
  template <class E>
  E choose(const std::string& key, std::initializer_list<std::pair<const char*, E>> known) const {
    for (const auto& [name, value] : known)
      if (text(key) == name) return value;
    fail("\"" + key + "\" has the unknown value \"" + text(key) + "\"");
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw CorruptFile("cannot read the model " + path_ + ": " + what);
  }

 private:
  const std::string& path_;
  const std::map<std::string, std::string>& values_;
};

}  // namespace postrider::internal
