// Attacks files and writers, and counts what came of it: bench/results/attack.json.
//
//   attack [--quick] [--out FILE]
//
// serve.py and arrow.py in this folder, and tests/cli/stream_answers.py --result, add to the same file.
//
// Per attack: tries, refused (an error with a message), same (the result of the file before, to the bit),
// silently_different, nan, aborts, and other_model. The last is for `structured mutation` and for a third
// of `checkpoint mutation` alone: there the checksums are computed anew, so that the bounds behind them are
// tested. Such a file is a valid other file, and nothing could tell that its numbers are not meant; what
// must not happen is NaN or an abort. For writers, `same` means that the file is, to the byte, one that a
// writer meant to leave. Exit code 1 if a goal is not reached.
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/attack/content.h"
#include "postrider/error.h"
#include "postrider/file.h"
#include "postrider/version.h"

namespace postrider::attack {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Attack& attack) {
  Json out{{"name", attack.name},
           {"what", attack.what},
           {"tries", attack.outcomes.size()},
           {"refused", attack.count(Outcome::refused)},
           {"same", attack.count(Outcome::same)},
           {"other_model", attack.count(Outcome::other_model)},
           {"silently_different", attack.count(Outcome::silently_different)},
           {"nan", attack.count(Outcome::not_finite)},
           {"aborts", attack.count(Outcome::aborted)}};
  if (!attack.skipped.empty()) out["skipped"] = attack.skipped;
  return out;
}

Json totals_of(const Json& attacks) {
  Json out;
  for (const char* key :
       {"tries", "refused", "same", "other_model", "silently_different", "nan", "aborts"}) {
    std::size_t sum = 0;
    for (const Json& attack : attacks) sum += attack[key].get<std::size_t>();
    out[key] = sum;
  }
  return out;
}

// What other programs of this folder have written to the result file stays: they sign their attacks.
Json with_those_of_others(const Json& attacks, const std::string& path) {
  Json out{{"program", "bench/attack"}, {"version", kVersion}, {"attacks", attacks}};
  std::ifstream file(path);
  const Json before = Json::parse(file, nullptr, false);
  if (before.is_object() && before.contains("attacks"))
    for (const Json& attack : before["attacks"])
      if (attack.contains("by")) out["attacks"].push_back(attack);
  out["totals"] = totals_of(out["attacks"]);
  for (const char* const part : {"serve", "brokers"})
    if (before.is_object() && before.contains(part)) out[part] = before[part];
  return out;
}

int run(bool quick, const std::string& path) {
  const std::size_t content = quick ? 60 : 2200, checkpoints = quick ? 30 : 1500;
  const std::size_t writers = quick ? 6 : 250;
  Json attacks = Json::array();
  const auto add = [&](const std::vector<Attack>& more) {
    for (const Attack& attack : more) {
      attacks.push_back(json_of(attack));
      std::cout << attacks.back().dump() << "\n" << std::flush;
    }
  };
  add(attack_models(content));
  add(attack_checkpoints(checkpoints));
  add(attack_writers(writers));
  const Json totals = totals_of(attacks);
  std::cout << "totals " << totals.dump() << "\n";
  if (!path.empty()) write_file(path, with_those_of_others(attacks, path).dump(1) + "\n");
  const bool is_reached =
      totals["silently_different"] == 0 && totals["nan"] == 0 && totals["aborts"] == 0;
  return is_reached ? 0 : 1;
}

}  // namespace
}  // namespace postrider::attack

int main(int count, char** arguments) {
  bool quick = false;
  std::string path = POSTRIDER_RESULTS "/attack.json";
  for (int a = 1; a < count; ++a) {
    const std::string argument = arguments[a];
    if (argument == "--quick") {
      quick = true;
      path.clear();
    } else if (argument == "--out" && a + 1 < count) {
      path = arguments[++a];
    } else {
      std::cerr << "attack [--quick] [--out FILE]\n";
      return 2;
    }
  }
  try {
    return postrider::attack::run(quick, path);
  } catch (const postrider::Error& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}
