// One HTML page about a model that needs nothing else: no script, no font, no picture from elsewhere.
#pragma once

#include <string>
#include <vector>

#include "cli/report/content.h"

namespace postrider {

// A part of a page: an id for links, a heading, and its HTML; one that is empty is left out.
struct PagePart {
  std::string id, heading, body;
  bool is_folded = false;  // for experts: shown once it is opened
};
std::string render_page(const std::string& title, const std::string& subtitle,
                        const std::vector<PagePart>& parts);

// Throws InvalidArgument if lists that belong together have different lengths.
std::string render_report(const ReportContent& content);

}  // namespace postrider
