#include "cli/stream/address.h"

#include <sstream>

#include "postrider/error.h"

namespace postrider::cli {
namespace {

constexpr const char* kAccepted =
    "must be kafka://HOST:PORT/TOPIC, redis://HOST:PORT/KEY or a file; several topics or keys have "
    "commas between them";

std::vector<std::string> names_of(const std::string& text, const std::string& address) {
  std::vector<std::string> out;
  std::istringstream from(text);
  for (std::string name; std::getline(from, name, ',');) {
    if (name.empty()) reject("--from", address, kAccepted);
    out.push_back(name);
  }
  if (out.empty()) reject("--from", address, kAccepted);
  return out;
}

}  // namespace

StreamAddress parse_address(const std::string& text) {
  const std::size_t scheme = text.find("://");
  if (scheme == std::string::npos) return {StreamKind::file, text, "", {text}};
  const std::string kind = text.substr(0, scheme);
  if (kind != "kafka" && kind != "redis") reject("--from", text, kAccepted);
  const std::string rest = text.substr(scheme + 3);
  const std::size_t slash = rest.find('/');
  if (slash == 0 || slash == std::string::npos) reject("--from", text, kAccepted);
  if (rest.find('@') < slash)
    reject("--from", text,
           "must not have a password, which would be seen by others; REDISCLI_AUTH may hold it");
  return {kind == "kafka" ? StreamKind::kafka : StreamKind::redis, text, rest.substr(0, slash),
          names_of(rest.substr(slash + 1), text)};
}

}  // namespace postrider::cli
