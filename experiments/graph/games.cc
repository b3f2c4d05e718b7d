#include "games.h"

#include <charconv>
#include <chrono>
#include <map>

#include "common/text_table.h"
#include "postrider/error.h"

namespace postrider::experiments {
namespace {

// Scores may be negative: a Halo player loses a point by his own hand.
int number(const std::string& text, const std::string& line) {
  int out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size())
    reject("score or date", text, "must be a number in: " + line);
  return out;
}

double days_of(const std::string& date, const std::string& line) {
  const auto part = [&](std::size_t at, std::size_t length) {
    return number(date.size() >= at + length ? date.substr(at, length) : "", line);
  };
  const std::chrono::sys_days day = std::chrono::year(part(0, 4)) / part(5, 2) / part(8, 2);
  double days = static_cast<double>(day.time_since_epoch().count());
  if (date.size() > 10) days += (part(11, 2) + part(14, 2) / 60.0 + part(17, 2) / 3600.0) / 24;
  return days;
}

Outcome outcome_of(int score_a, int score_b) {
  if (score_a == score_b) return Outcome::draw;
  return score_a > score_b ? Outcome::win : Outcome::loss;
}

// Numbers players in the order in which they appear.
class Numbering {
 public:
  std::uint32_t operator()(const std::string& name) {
    return numbers_.try_emplace(name, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }
  std::size_t size() const { return numbers_.size(); }
  std::vector<std::string> names() const {
    std::vector<std::string> out(numbers_.size());
    for (const auto& [name, number] : numbers_) out[number] = name;
    return out;
  }

 private:
  std::map<std::string, std::uint32_t> numbers_;
};

}  // namespace

Games read_halo2(const std::string& data) {
  Games out;
  Numbering numbers;
  // The fields that we use come before any quoted one, or last.
  for (const std::string& line : read_lines(existing(data, "skill/halo2-beta/head_to_head.csv"))) {
    const std::vector<std::string> field = fields_of(line);
    const std::uint32_t a = numbers(field.at(3)), b = numbers(field.at(4));
    out.games.push_back({a, b, outcome_of(number(field.at(5), line), number(field.at(6), line)),
                         days_of(field.at(1), line), false});
  }
  out.players = numbers.size();
  out.names = numbers.names();
  out.first_test = out.games.size() / 2;
  return out;
}

Games read_football(const std::string& data) {
  Games out;
  Numbering numbers;
  for (const std::string& line :
       read_lines(existing(data, "skill/international-football/results.csv"))) {
    const std::vector<std::string> field = fields_of(line);
    const std::uint32_t a = numbers(field.at(1)), b = numbers(field.at(2));
    out.games.push_back({a, b, outcome_of(number(field.at(3), line), number(field.at(4), line)),
                         days_of(field.at(0), line), field.back() == "FALSE"});
    if (field.at(0) < "2018") out.first_test = out.games.size();
  }
  out.players = numbers.size();
  out.names = numbers.names();
  return out;
}

}  // namespace postrider::experiments
