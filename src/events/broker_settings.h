// The file of --broker-config: settings of the connection to a broker, a line `key=value` each.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace postrider::cli {

struct BrokerSetting {
  std::string key, value;
  std::size_t line = 0;
};

// Values are never printed: a password may stand in the line of another key by mistake.
class BrokerSettings {
 public:
  BrokerSettings() = default;
  // Throws FileError if it cannot be read, InvalidArgument if a line makes no sense or a key stands twice.
  explicit BrokerSettings(const std::string& path);

  const std::vector<BrokerSetting>& all() const { return settings_; }
  // Throws InvalidArgument that names file, line and key.
  [[noreturn]] void refuse(const BrokerSetting& setting, const std::string& why) const;
  // Throws InvalidArgument that names the file, of settings that do not go together.
  [[noreturn]] void refuse(const std::string& why) const;
  bool is_given() const { return !path_.empty(); }

 private:
  std::string path_ = {};
  std::vector<BrokerSetting> settings_ = {};
};

}  // namespace postrider::cli
