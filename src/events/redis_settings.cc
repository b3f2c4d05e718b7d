#include "events/redis_settings.h"

#include <cstdlib>
#include <map>

#include "postrider/error.h"

namespace postrider::cli {
namespace {

constexpr const char* kKnownSettings =
    "is not a setting for Redis: must be username, password, sentinel.username, sentinel.password, "
    "ssl.ca.location, ssl.certificate.location, ssl.key.location, ssl.key.password, "
    "enable.ssl.certificate.verification or ssl.endpoint.identification.algorithm";

// The names for TLS are those that librdkafka has, so that one file serves both.
class RedisSettingsReading {
 public:
  RedisSettingsReading(const StreamAddress& address, const BrokerSettings& file)
      : address_(address), file_(file) {}

  RedisSettings read() {
    for (const BrokerSetting& each : file_.all()) take(each);
    if (!address_.user.empty()) out_.server.user = address_.user;
    if (const char* const password = std::getenv("REDISCLI_AUTH");
        password != nullptr && out_.server.password.empty())
      out_.server.password = password;
    if (!out_.server.user.empty() && out_.server.password.empty())
      file_.refuse("the user " + out_.server.user +
                   " needs a password: REDISCLI_AUTH or a line password= in a file of "
                   "--broker-config may hold it");
    return out_;
  }

 private:
  void take(const BrokerSetting& setting) {
    const std::map<std::string, std::string*> texts{
        {"username", &out_.server.user},
        {"password", &out_.server.password},
        {"sentinel.username", &out_.sentinel.user},
        {"sentinel.password", &out_.sentinel.password},
        {"ssl.ca.location", &out_.tls.authorities},
        {"ssl.certificate.location", &out_.tls.certificate},
        {"ssl.key.location", &out_.tls.key},
        {"ssl.key.password", &out_.tls.key_password}};
    const std::string& key = setting.key;
    const auto text = texts.find(key);
    if (text != texts.end())
      *text->second = setting.value;
    else if (key == "enable.ssl.certificate.verification")
      out_.tls.is_verified = one_of(setting, "true", "false");
    else if (key == "ssl.endpoint.identification.algorithm")
      out_.tls.is_name_verified = one_of(setting, "https", "none");
    else
      file_.refuse(setting, kKnownSettings);
    expect_sense(setting);
  }

  bool one_of(const BrokerSetting& setting, const std::string& yes, const std::string& no) const {
    if (setting.value != yes && setting.value != no)
      file_.refuse(setting, "must be " + yes + " or " + no);
    return setting.value == yes;
  }

  // Whoever asks for TLS in the file must not be left without it.
  void expect_sense(const BrokerSetting& setting) const {
    if (setting.key.find("ssl.") != std::string::npos && !address_.is_encrypted)
      file_.refuse(setting, "needs an address that begins with rediss, which is Redis by TLS");
    if (setting.key.starts_with("sentinel.") && address_.master.empty())
      file_.refuse(setting, "needs an address redis+sentinel://HOST:PORT/MASTER/KEY");
    if (setting.key == "username" && !address_.user.empty() && setting.value != address_.user)
      file_.refuse(setting, "must be " + address_.user + ", the user of the address");
  }

  const StreamAddress& address_;
  const BrokerSettings& file_;
  RedisSettings out_ = {};
};

}  // namespace

RedisSettings redis_settings(const StreamAddress& address, const BrokerSettings& file) {
  return RedisSettingsReading(address, file).read();
}

}  // namespace postrider::cli
