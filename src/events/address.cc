#include "events/address.h"

#include <algorithm>
#include <optional>
#include <sstream>

#include "postrider/error.h"

namespace postrider::cli {
namespace {

constexpr const char* kAccepted =
    "must be kafka://HOST:PORT/TOPIC, redis://HOST:PORT/KEY, rediss:// for TLS, "
    "redis+sentinel://HOST:PORT/MASTER/KEY or a file; several hosts, topics or keys have commas "
    "between them";

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

struct Scheme {
  StreamKind kind = StreamKind::redis;
  bool is_encrypted = false, has_master = false;
};

std::optional<Scheme> scheme_of(const std::string& name) {
  if (name == "kafka") return Scheme{StreamKind::kafka};
  if (name == "redis") return Scheme{};
  if (name == "rediss") return Scheme{.is_encrypted = true};
  if (name == "redis+sentinel") return Scheme{.has_master = true};
  if (name == "rediss+sentinel") return Scheme{.is_encrypted = true, .has_master = true};
  return {};
}

// What an address holds is in the list of processes, in logs and in the model: a password has no place there, nor in the
// message that says so. It may have any character, also a slash; what stands before an @ behind a slash is a port or a password.
void expect_no_password(const std::string& text, std::size_t begin) {
  const std::size_t at = text.rfind('@');
  const std::size_t colon = text.find(':', begin);
  if (at == std::string::npos || colon >= at) return;
  const std::size_t slash = text.find('/', begin);
  const std::size_t end_of_port = text.find_first_not_of("0123456789", colon + 1);
  if (at > slash && end_of_port != colon + 1 && (end_of_port == slash || text[end_of_port] == ','))
    return;
  reject("--from", text.substr(0, colon + 1) + "***" + text.substr(at),
         "must not have a password, which would be seen by others; REDISCLI_AUTH or a file of "
         "--broker-config may hold it");
}

}  // namespace

StreamAddress parse_address(const std::string& text) {
  const std::size_t end = text.find("://");
  if (end == std::string::npos) return {StreamKind::file, text, "", {text}};
  const std::size_t begin = end + 3;
  expect_no_password(text, begin);
  const std::optional<Scheme> scheme = scheme_of(text.substr(0, end));
  if (!scheme) reject("--from", text, kAccepted);
  std::string rest = text.substr(begin);
  const std::size_t slash = rest.find('/');
  if (slash == 0 || slash == std::string::npos) reject("--from", text, kAccepted);
  StreamAddress out{scheme->kind, text, rest.substr(0, slash)};
  out.is_encrypted = scheme->is_encrypted;
  rest.erase(0, slash + 1);
  if (const std::size_t at = out.host.rfind('@'); at != std::string::npos) {
    if (out.kind == StreamKind::kafka)
      reject("--from", text, "must not have a user: a file of --broker-config has sasl.username");
    out.user = out.host.substr(0, at);
    out.host.erase(0, at + 1);
    if (out.user.empty()) reject("--from", text, kAccepted);
  }
  names_of(out.host, text);
  if (scheme->has_master) {
    const std::size_t key = rest.find('/');
    if (key == 0 || key == std::string::npos) reject("--from", text, kAccepted);
    out.master = rest.substr(0, key);
    rest.erase(0, key + 1);
  }
  out.names = names_of(rest, text);
  return out;
}

namespace {

constexpr std::string_view kBeforeId = " id ";

}  // namespace

std::vector<TableModel::StreamPosition> known_sources(const TableModel& model) {
  std::vector<TableModel::StreamPosition> out;
  const std::vector<TableModel::Step>& history = model.history();
  for (auto step = history.rbegin(); step != history.rend(); ++step) {
    if (step->kind != TableModel::Step::Kind::follow) continue;
    const auto is_same = [&](const TableModel::StreamPosition& other) {
      return other.source == step->position.source;
    };
    if (std::none_of(out.begin(), out.end(), is_same)) out.push_back(step->position);
  }
  return out;
}

std::string source_name(const std::string& address, const std::string& id) {
  return id.empty() ? address : address + std::string(kBeforeId) + id;
}
std::string address_of_source(const std::string& name) {
  return name.substr(0, name.rfind(kBeforeId));
}
std::string id_of_source(const std::string& name) {
  const std::size_t at = name.rfind(kBeforeId);
  return at == std::string::npos ? "" : name.substr(at + kBeforeId.size());
}

const TableModel::StreamPosition* find_source(const std::vector<TableModel::StreamPosition>& known,
                                              const std::string& address, const std::string& id) {
  for (const TableModel::StreamPosition& each : known) {
    const std::string known_id = id_of_source(each.source);
    const bool is_same_address = address_of_source(each.source) == address;
    // Earlier versions, above all those of Python, know the address alone: what they wrote last counts.
    if (known_id.empty() || id.empty() ? is_same_address : known_id == id) return &each;
  }
  return nullptr;
}

std::string other_source(const std::vector<TableModel::StreamPosition>& known,
                         const StreamAddress& address) {
  for (const TableModel::StreamPosition& each : known) {
    StreamAddress other;
    try {
      other = parse_address(address_of_source(each.source));
    } catch (const InvalidArgument&) {
      continue;  // of another version
    }
    if (other.kind == address.kind && other.names == address.names)
      return "the model has followed " + other.text + " and not " + address.text +
             ": this is another source, whose events are learned from the first one on";
  }
  return {};
}

}  // namespace postrider::cli
