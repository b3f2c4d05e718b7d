// A SkillHistory as a safetensors file: names, games, sides, appearances with their messages, and the settings as metadata.
#include <cmath>
#include <cstring>
#include <map>

#include "base/number_text.h"
#include "data/safetensors.h"
#include "postrider/error.h"
#include "postrider/version.h"
#include "skill/state.h"

namespace postrider::skill {
using namespace internal;
namespace {

using games::Appearance;
using games::Games;
using games::Message;

constexpr const char* kFormat = "postrider skill history 1";
constexpr const char* kMarginGrows = "margin_grows";
constexpr std::size_t kMessageNumbers = 6;
constexpr std::uint32_t kRemoved = 1, kPending = 2;

// The same columns are written and read.
struct Columns {
  std::vector<std::uint32_t> name_end, name_bytes;  // ends in bytes; four bytes in each number
  std::vector<double> time, log_probability;
  std::vector<std::uint32_t> first_side, state;
  std::vector<double> rank, score, handicap, share, messages;
  std::vector<std::uint32_t> first_appearance, given, chain;

  template <class Do>
  void for_each(Do&& with) {
    with("names.end", name_end);
    with("names.bytes", name_bytes);
    with("games.time", time);
    with("games.log_probability", log_probability);
    with("games.first_side", first_side);
    with("games.state", state);
    with("sides.rank", rank);
    with("sides.score", score);
    with("sides.handicap", handicap);
    with("sides.first_appearance", first_appearance);
    with("sides.given", given);
    with("appearances.chain", chain);
    with("appearances.share", share);
    with("appearances.messages", messages);
  }
};

Columns columns_of(const Games& games) {
  Columns out;
  std::string text;
  for (const std::string& name : games.names) {
    text += name;
    out.name_end.push_back(static_cast<std::uint32_t>(text.size()));
  }
  text.resize((text.size() + 3) / 4 * 4);
  out.name_bytes.resize(text.size() / 4);
  std::memcpy(out.name_bytes.data(), text.data(), text.size());
  for (std::size_t g = 0; g < games.size(); ++g) {
    const games::GameRecord& game = games.games[g];
    out.time.push_back(game.time);
    out.log_probability.push_back(game.log_probability);
    out.first_side.push_back(game.first_side);
    out.state.push_back((game.removed ? kRemoved : 0) | (game.pending ? kPending : 0));
  }
  for (std::size_t k = 0; k + 1 < games.sides.size(); ++k) {
    const games::SideRecord& side = games.sides[k];
    out.rank.push_back(side.rank);
    out.score.push_back(side.score);
    out.handicap.push_back(side.handicap);
    out.first_appearance.push_back(side.first);
    out.given.push_back(side.given);
  }
  for (const Appearance& one : games.appearances) {
    out.chain.push_back(one.chain);
    out.share.push_back(one.share);
    for (const Message& message : {one.forward, one.backward, one.likelihood}) {
      out.messages.push_back(message.tau);
      out.messages.push_back(message.rho);
    }
  }
  return out;
}

// Rebuilds the games by the same calls that made them, so that whatever a file holds is checked as a caller's match is.
class Loader {
 public:
  Loader(const std::string& path, SafetensorsReader& file) : path_(path), file_(file) {
    if (text("format") != kFormat) fail("it is not a skill history of this version");
    columns_.for_each([&](const char* name, auto& values) { read(name, values); });
  }

  SkillOptions options() const {
    SkillOptions out;
    for (const OptionInfo& info : skill_options())
      set_skill_option(out, info.name, number(std::string(info.name)));
    out.margin_grows = number(kMarginGrows) != 0;
    return out;
  }

  Games games(const SkillOptions& options) {
    Games out;
    add_names(out);
    const std::size_t count = columns_.time.size();
    expect_size("games.log_probability", columns_.log_probability, count);
    expect_size("games.first_side", columns_.first_side, count);
    expect_size("games.state", columns_.state, count);
    for (std::size_t g = 0; g < count; ++g) {
      out.add(match(out, g), options);
      games::GameRecord& game = out.games[g];
      game.log_probability = columns_.log_probability[g];
      if ((columns_.state[g] & kPending) != 0) out.mark(static_cast<std::uint32_t>(g));
    }
    for (std::size_t g = 0; g < count; ++g)
      if ((columns_.state[g] & kRemoved) != 0) out.remove(static_cast<std::uint32_t>(g));
    add_messages(out);
    return out;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw CorruptFile("cannot read the skill history " + path_ + ": " + what);
  }
  const std::string& text(const std::string& key) const {
    const auto found = file_.metadata().find(key);
    if (found == file_.metadata().end()) fail("it does not say \"" + key + "\"");
    return found->second;
  }
  double number(const std::string& key) const {
    const std::string& value = text(key);
    const std::optional<double> out = number_of_text<double>(value);
    if (!out) fail("\"" + key + "\" is not a number");
    return *out;
  }
  template <class T>
  void read(const char* name, std::vector<T>& to) {
    const std::vector<std::size_t> shape = file_.shape(name);
    if (shape.size() != 1) fail(std::string("the array ") + name + " is not a list");
    to.resize(shape[0]);
    file_.read<T>(name, shape, to);
  }
  template <class T>
  void expect_size(const char* name, const std::vector<T>& values, std::size_t size) const {
    if (values.size() != size) fail(std::string("the array ") + name + " has another length");
  }

  void add_names(Games& to) const {
    const auto* const bytes = reinterpret_cast<const char*>(columns_.name_bytes.data());
    std::size_t begin = 0;
    for (const std::uint32_t end : columns_.name_end) {
      if (end < begin || end > columns_.name_bytes.size() * 4) fail("the names make no sense");
      to.add_player(std::string(bytes + begin, bytes + end));
      begin = end;
    }
  }

  // A range of a list whose parts begin where another list says.
  struct Range {
    std::size_t begin, end;
  };
  Range range(const std::vector<std::uint32_t>& first, std::size_t at, std::size_t size) const {
    const Range out{first[at], at + 1 < first.size() ? first[at + 1] : size};
    if (out.begin > out.end || out.end > size) fail("its lists do not fit each other");
    return out;
  }

  SkillHistory::Match match(const Games& games, std::size_t g) const {
    const std::size_t sides = columns_.rank.size(), appearances = columns_.chain.size();
    expect_size("sides.score", columns_.score, sides);
    expect_size("sides.handicap", columns_.handicap, sides);
    expect_size("sides.first_appearance", columns_.first_appearance, sides);
    expect_size("sides.given", columns_.given, sides);
    expect_size("appearances.share", columns_.share, appearances);
    const Range own = range(columns_.first_side, g, sides);
    SkillHistory::Match out;
    out.time = columns_.time[g];
    out.teams.resize(own.end - own.begin);
    for (std::size_t k = own.begin; k < own.end; ++k) {
      if (columns_.given[k] >= out.teams.size()) fail("a team is numbered wrongly");
      SkillHistory::Team& team = out.teams[columns_.given[k]];
      team.rank = columns_.rank[k];
      team.score = columns_.score[k];
      team.handicap = columns_.handicap[k];
      const Range entrants = range(columns_.first_appearance, k, appearances);
      for (std::size_t i = entrants.begin; i < entrants.end; ++i) {
        const games::ChainId chain = columns_.chain[i];
        if (games::is_ground(chain))
          team.at_home = true;
        else
          team.players.push_back({{(chain - 1) / 2}, columns_.share[i]});
      }
    }
    // What is rebuilt must have its messages at the same places.
    if (games.appearances.size() != (own.begin < sides ? columns_.first_appearance[own.begin] : 0))
      fail("its games are not in order");
    return out;
  }

  void add_messages(Games& to) const {
    expect_size("appearances.messages", columns_.messages, to.appearances.size() * kMessageNumbers);
    expect_size("appearances.chain", columns_.chain, to.appearances.size());
    for (std::size_t i = 0; i < to.appearances.size(); ++i) {
      if (to.appearances[i].chain != columns_.chain[i]) fail("its games are not in order");
      const double* const at = &columns_.messages[i * kMessageNumbers];
      to.appearances[i].forward = message(at);
      to.appearances[i].backward = message(at + 2);
      to.appearances[i].likelihood = message(at + 4);
    }
  }
  Message message(const double* at) const {
    if (!std::isfinite(at[0]) || !(at[1] >= 0)) fail("a message is not a Gaussian");
    return {at[0], at[1]};
  }

  const std::string& path_;
  SafetensorsReader& file_;
  Columns columns_;
};

}  // namespace

void SkillHistory::save(const std::string& path) const {
  std::map<std::string, std::string> metadata{{"format", kFormat},
                                              {"writer", std::string("postrider ") + kVersion},
                                              {kMarginGrows, options().margin_grows ? "1" : "0"}};
  for (const OptionInfo& info : skill_options())
    metadata[std::string(info.name)] = shortest_text(get_skill_option(options(), info.name));
  Columns columns = columns_of(state_->games);
  std::vector<TensorView> tensors;
  columns.for_each([&](const char* name, const auto& values) {
    using T = typename std::decay_t<decltype(values)>::value_type;
    tensors.push_back(view_of<T>(name, {values.size()}, std::span<const T>(values)));
  });
  write_safetensors(path, tensors, metadata);
}

SkillHistory SkillHistory::load(const std::string& path) {
  SafetensorsReader file(path);
  Loader loader(path, file);
  try {
    const SkillOptions options = loader.options();
    SkillHistory out(options);
    out.state_->games = loader.games(options);
    return out;
  } catch (const InvalidArgument& error) {
    throw CorruptFile("cannot read the skill history " + path + ": " + error.what());
  }
}

}  // namespace postrider::skill
