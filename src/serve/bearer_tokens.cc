#include "serve/bearer_tokens.h"

#include <cerrno>
#include <fstream>
#include <utility>

#include "postrider/error.h"

namespace postrider::cli {
namespace {

constexpr std::size_t kShortest = 16;  // bytes; shorter ones can be guessed

// Neither the place of the first difference nor the length of the token shows in the time.
bool is_same(std::string_view sent, std::string_view token) {
  unsigned char different = sent.size() == token.size() ? 0 : 1;
  for (std::size_t i = 0; i < sent.size(); ++i)
    different = static_cast<unsigned char>(different |
                                           (static_cast<unsigned char>(sent[i]) ^
                                            static_cast<unsigned char>(token[i % token.size()])));
  return different == 0;
}

std::vector<std::string> read_tokens(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw FileError("--tokens: cannot open " + path, path, errno);
  std::vector<std::string> out;
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (line.empty() || line.starts_with('#')) continue;
    // The line itself stays a secret.
    if (line.size() < kShortest)
      throw CorruptFile("--tokens: " + path + ", line " + std::to_string(number) +
                        ": a token must have at least " + std::to_string(kShortest) +
                        " characters");
    out.push_back(std::move(line));
  }
  if (out.empty()) throw CorruptFile("--tokens: " + path + " has no token; must have one a line");
  return out;
}

}  // namespace

BearerTokens::BearerTokens(const std::string& path) : path_(path) {
  if (path.empty()) return;
  file_.emplace(path);
  tokens_ = std::make_shared<const List>(read_tokens(path));
}

bool BearerTokens::accept(std::string_view authorization) const {
  std::shared_ptr<const List> tokens;
  {
    const std::lock_guard lock(lock_);
    tokens = tokens_;
  }
  if (!tokens) return true;
  constexpr std::string_view kScheme = "Bearer ";
  if (!authorization.starts_with(kScheme)) return false;
  authorization.remove_prefix(kScheme.size());
  bool out = false;
  for (const std::string& token : *tokens) out = is_same(authorization, token) || out;
  return out;
}

bool BearerTokens::refresh(std::string& why) {
  if (!file_ || file_->is_current()) return true;
  try {
    FileWriter::Version version(path_);
    auto tokens = std::make_shared<const List>(read_tokens(path_));
    const std::lock_guard lock(lock_);
    file_ = std::move(version);
    tokens_ = std::move(tokens);
    return true;
  } catch (const Error& error) {
    why = error.what();
    return false;
  }
}

}  // namespace postrider::cli
