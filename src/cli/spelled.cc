#include "cli/spelled.h"

#include <array>
#include <string_view>
#include <utility>

namespace postrider::cli {
namespace {

// Fields whose options have names of their own, in every command that has them; those of the tables of options are spelled by the library.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kOptions{{
    {"categorical", "--categorical"},
    {"class_weights", "--class-weights"},
    {"classify", "--classify"},
    {"ignored", "--ignore"},
    {"key", "--key"},
    {"numeric", "--numeric"},
    {"regress", "--regress"},
    {"weights", "--weights"},
}};

}  // namespace

std::string spelled(const std::string& message) {
  for (const auto& [field, option] : kOptions) {
    // A text is quoted; numbers belong to columns, which may be called the same.
    const std::string begin = std::string(field) + " = \"";
    if (message.starts_with(begin)) return std::string(option) + message.substr(field.size());
  }
  return message;
}

}  // namespace postrider::cli
