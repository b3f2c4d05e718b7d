#include "serve/http_message.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "text/json_text.h"

namespace postrider::cli {
namespace {

constexpr std::size_t kLongestMessage = 2000;  // bytes; a message may quote what a client sent

std::optional<std::string> decoded(std::string_view text, bool plus_is_blank) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += plus_is_blank && text[i] == '+' ? ' ' : text[i];
      continue;
    }
    unsigned char byte = 0;
    const char* digits = text.data() + i + 1;
    if (i + 2 >= text.size() || std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2)
      return std::nullopt;
    out += static_cast<char>(byte);
    i += 2;
  }
  return out;
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// "name", "name:8080", "[::1]:8080".
std::string without_port(std::string_view host) {
  if (host.starts_with('['))
    return std::string(host.substr(1, std::min(host.find(']'), host.size()) - 1));
  return std::string(host.substr(0, host.find(':')));
}

bool is_address(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

const char* reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 413:
      return "Payload Too Large";
    case 415:
      return "Unsupported Media Type";
    case 421:
      return "Misdirected Request";
    case 431:
      return "Request Header Fields Too Large";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    default:
      return status < 500 ? "Refused" : "Internal Server Error";
  }
}

}  // namespace

std::optional<std::string_view> HttpRequest::asked(std::string_view name) const {
  for (const auto& [found, value] : query)
    if (found == name) return value;
  return std::nullopt;
}

std::string error_body(std::string_view message) {
  std::string text(message.substr(0, kLongestMessage));
  if (message.size() > text.size()) text += " ...";
  return json_line({{"error", 0, text, true}});
}

HttpAnswer refusal(int status, std::string_view message) { return {status, error_body(message)}; }

bool read_target(HttpRequest& request) {
  const std::string_view target = request.target;
  if (!target.starts_with('/')) return false;
  const std::size_t end = target.find('?');
  const std::optional<std::string> path = decoded(target.substr(0, end), false);
  if (!path) return false;
  request.path = *path;
  for (std::size_t at = end; at < target.size();) {
    const std::size_t next = target.find('&', ++at);
    const std::string_view one = target.substr(at, next - at);
    at = next;
    if (one.empty()) continue;
    const std::size_t equals = std::min(one.find('='), one.size());
    const auto name = decoded(one.substr(0, equals), true);
    const auto value = decoded(one.substr(std::min(equals + 1, one.size())), true);
    if (!name || !value) return false;
    request.query.emplace_back(*name, *value);
  }
  return true;
}

bool is_own_host(std::string_view host, const std::vector<std::string>& names) {
  const std::string name = lower_case(without_port(host));
  if (name == "localhost" || is_address(name)) return true;
  return std::any_of(names.begin(), names.end(), [&](const std::string& one) {
    return one == "*" || (!name.empty() && lower_case(one) == name);
  });
}

std::string head_of(const HttpAnswer& answer, const std::string& id, bool stays_open) {
  std::string out = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nX-Request-Id: {}\r\n",
      answer.status, reason_of(answer.status), answer.content_type, answer.body.size(), id);
  for (const auto& [name, value] : answer.headers) out += fmt::format("{}: {}\r\n", name, value);
  out += stays_open ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  return out;
}

}  // namespace postrider::cli
