// A page about skills: who leads, how the leaders came there, and which games surprised.
#pragma once

#include <string>
#include <vector>

#include "postrider/skill_history.h"

namespace postrider::cli {

struct RatePage {
  std::string title;
  const SkillHistory& history;
  const std::vector<Standing>& board;  // all that are shown
  const LearnReport& learned;
  bool has_dates;
};
std::string render_rate_page(const RatePage& page);

}  // namespace postrider::cli
