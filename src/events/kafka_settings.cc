#include "events/kafka_settings.h"

#ifdef POSTRIDER_HAS_KAFKA
#include <array>
#include <string>
#include <utility>

#include "postrider/error.h"

namespace postrider::cli {
namespace {

// The position is kept in the model and nowhere else, so that nobody may change how it is found.
constexpr std::pair<const char*, const char*> kFixed[] = {
    {"enable.auto.commit", "false"},
    {"enable.auto.offset.store", "false"},
    {"auto.offset.reset", "error"},
    {"enable.partition.eof", "true"},
    // A byte that changed on the way must not be learned.
    {"check.crcs", "true"}};
// What a user may want otherwise.
constexpr std::pair<const char*, const char*> kUsual[] = {{"group.id", "postrider"},
                                                          {"log_level", "0"}};
// The library knows them by two names each.
constexpr std::pair<const char*, const char*> kOtherNames[] = {
    {"metadata.broker.list", "bootstrap.servers"},
    {"auto.commit.enable", "enable.auto.commit"},
    {"topic.auto.offset.reset", "auto.offset.reset"}};

std::string usual_name(const std::string& key) {
  for (const auto& [other, name] : kOtherNames)
    if (key == other) return name;
  return key;
}

// The library repeats a value that it refuses.
bool is_secret(const std::string& key) {
  for (const char* const part : {"password", "secret", "jaas", "token", "pem", "oauthbearer"})
    if (key.find(part) != std::string::npos) return true;
  return false;
}

// Empty if the library takes it, else its words.
std::string set_one(rd_kafka_conf_t* settings, const std::string& key, const std::string& value) {
  std::array<char, 512> why{};
  if (rd_kafka_conf_set(settings, key.c_str(), value.c_str(), why.data(), why.size()) ==
      RD_KAFKA_CONF_OK)
    return {};
  return why.front() == '\0' ? "is refused by librdkafka" : why.data();
}

void expect_allowed(const BrokerSettings& file, const BrokerSetting& setting,
                    const StreamAddress& address) {
  const std::string key = usual_name(setting.key);
  if (key == "bootstrap.servers" && setting.value != address.host)
    file.refuse(setting, "must be left out, or be as in the address of --from: " + address.host);
  if (key.starts_with("test.mock."))
    file.refuse(setting, "must be left out: it would read from a broker of its own");
  for (const auto& [own, value] : kFixed)
    if (key == own && setting.value != value)
      file.refuse(setting, std::string("must be left out, or be ") + value +
                               ": the model's file, and nothing else, knows what was learned");
}

}  // namespace

KafkaSettings kafka_settings(const StreamAddress& address, const BrokerSettings& file) {
  KafkaSettings out(rd_kafka_conf_new());
  for (const auto& [key, value] : kUsual) set_one(out.get(), key, value);
  for (const BrokerSetting& each : file.all()) {
    expect_allowed(file, each, address);
    const std::string why = set_one(out.get(), each.key, each.value);
    if (!why.empty())
      file.refuse(each, is_secret(each.key) ? "its value is refused by librdkafka" : why);
  }
  if (const std::string why = set_one(out.get(), "bootstrap.servers", address.host); !why.empty())
    throw FileError(address.text + ": " + why, address.text);
  for (const auto& [key, value] : kFixed)
    if (const std::string why = set_one(out.get(), key, value); !why.empty())
      throw FileError(address.text + ": " + why, address.text);
  return out;
}

}  // namespace postrider::cli
#endif
