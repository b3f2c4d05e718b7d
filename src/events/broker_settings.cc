#include "events/broker_settings.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "postrider/error.h"

namespace postrider::cli {
namespace {

constexpr const char* kOption = "--broker-config ";

std::string without_blanks(const std::string& text) {
  constexpr const char* kBlank = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

}  // namespace

BrokerSettings::BrokerSettings(const std::string& path) : path_(path) {
  std::ifstream file(path);
  if (!file) throw FileError(kOption + path + ": " + std::strerror(errno), path);
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const std::string text = without_blanks(line);
    if (text.empty() || text[0] == '#') continue;
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos)
      refuse({"", "", number}, "must be key=value, or a comment that begins with #");
    BrokerSetting setting{without_blanks(text.substr(0, equals)),
                          without_blanks(text.substr(equals + 1)), number};
    const auto is_same = [&](const BrokerSetting& other) { return other.key == setting.key; };
    if (std::any_of(settings_.begin(), settings_.end(), is_same))
      refuse(setting, "stands twice in this file");
    settings_.push_back(std::move(setting));
  }
  if (file.bad()) throw FileError(kOption + path + ": " + std::strerror(errno), path);
}

void BrokerSettings::refuse(const BrokerSetting& setting, const std::string& why) const {
  throw InvalidArgument(kOption + path_ + ", line " + std::to_string(setting.line) + ": " +
                        (setting.key.empty() ? "" : setting.key + ": ") + why);
}

void BrokerSettings::refuse(const std::string& why) const {
  throw InvalidArgument(is_given() ? kOption + path_ + ": " + why : why);
}

}  // namespace postrider::cli
