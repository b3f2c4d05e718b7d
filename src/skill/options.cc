// The fields of SkillOptions as rows of a table.
#include "base/option.h"
#include "postrider/error.h"
#include "postrider/skill/history.h"

namespace postrider::skill {
using namespace internal;
namespace {

using Row = OptionRow<SkillOptions>;

Row any(OptionRow<SkillOptions> row) { return row; }

template <auto kMember>
Row positive(std::string_view name, std::string_view flag, std::string_view help) {
  return any(option_row<kMember>({.name = name,
                                  .command_line = flag,
                                  .python = name,
                                  .least = 0,
                                  .above_least = true,
                                  .help = help}));
}
template <auto kMember>
Row not_negative(std::string_view name, std::string_view flag, std::string_view help) {
  return any(option_row<kMember>(
      {.name = name, .command_line = flag, .python = name, .least = 0, .help = help}));
}
template <auto kMember>
Row signed_number(std::string_view name, std::string_view flag, std::string_view help) {
  return any(
      option_row<kMember>({.name = name, .command_line = flag, .python = name, .help = help}));
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      signed_number<&SkillOptions::mean>("mean", "--mean",
                                         "Skill of a player who has not played yet."),
      positive<&SkillOptions::std>(
          "std", "--std", "Standard deviation of that skill: the unit of all that follows."),
      positive<&SkillOptions::performance_std>(
          "performance_std", "--performance-std",
          "Standard deviation of the performance in one game around the skill."),
      not_negative<&SkillOptions::dynamics_std>("dynamics_std", "--dynamics-std",
                                                "Standard deviation of the drift of a skill in one "
                                                "unit of time; a day, if times are dates."),
      not_negative<&SkillOptions::draw_margin>(
          "draw_margin", "--draw-margin", "A game is drawn if the performances differ by less."),
      signed_number<&SkillOptions::newcomer_trend>(
          "newcomer_trend", "--newcomer-trend",
          "A newcomer's mean is lower by this for each unit of time since the first game of all."),
      signed_number<&SkillOptions::home_advantage>(
          "home_advantage", "--home-advantage", "What a team at home gains, the mean over teams."),
      not_negative<&SkillOptions::home_std>(
          "home_std", "--home-std",
          "Standard deviation over teams of what playing at home is worth."),
      not_negative<&SkillOptions::home_dynamics_std>(
          "home_dynamics_std", "--home-dynamics-std",
          "Standard deviation of the drift of a team's home advantage in one unit of time."),
      not_negative<&SkillOptions::score_unit>(
          "score_unit", "--score-unit",
          "By how much performances differ more where a win has a second point of margin; 0: "
          "scores only say who won."),
      positive<&SkillOptions::score_power>("score_power", "--score-power",
                                           "Exponent by which the points of a margin add up; below "
                                           "1, each counts less than the one before."),
  };
  return all;
}

const Row& row_of(std::string_view name) { return row_named(rows(), name, "setting"); }

}  // namespace

const std::vector<OptionInfo>& skill_options() {
  static const std::vector<OptionInfo> all = infos_of(rows());
  return all;
}

double get_skill_option(const SkillOptions& options, std::string_view name) {
  return std::get<double>(row_of(name).get(options));
}

void set_skill_option(SkillOptions& options, std::string_view name, double value,
                      OptionInfo::Spelling spelling) {
  const Row& row = row_of(name);
  row.info.expect(value, spelling);
  row.set(options, value);
}

void SkillOptions::validate() const { expect_options(rows(), *this, OptionInfo::Spelling::cpp); }

}  // namespace postrider::skill
