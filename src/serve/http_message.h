// A request and its answer, apart from how they travel.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace postrider::cli {

inline constexpr const char* kJsonType = "application/json";

// Texts are as the client sent them, and may be any bytes.
struct HttpRequest {
  std::string id;              // of this request, for the log and the client
  std::string method, target;  // as sent
  std::string path;            // of the target, decoded
  std::vector<std::pair<std::string, std::string>> query;  // of the target, decoded, in their order
  std::optional<std::string> host;
  std::string content_type, content_encoding, authorization;
  std::string body;

  // The first of this name.
  std::optional<std::string_view> asked(std::string_view name) const;
};

struct HttpAnswer {
  int status = 200;
  std::string body = {};
  std::string content_type = kJsonType;
  std::vector<std::pair<std::string, std::string>> headers = {};  // further ones
  std::size_t rows = 0;                                           // that were predicted
  bool is_counted = false;                                        // among requests for predictions
};

// {"error": ...}, with what is not UTF-8 replaced and long messages cut.
std::string error_body(std::string_view message);
HttpAnswer refusal(int status, std::string_view message);

// Fills in path and query; false if the target makes no sense.
bool read_target(HttpRequest& request);

// Whether the name of a Host line is one that the server goes by: an address, localhost, or one of these names; "*" is
// any. A page in a browser can lead a name of its own to this machine, but not an address.
bool is_own_host(std::string_view host, const std::vector<std::string>& names);

// All before the body.
std::string head_of(const HttpAnswer& answer, const std::string& id, bool stays_open);

}  // namespace postrider::cli
