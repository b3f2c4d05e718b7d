// Whether predictions hold what they promise, in one sentence: it stands wherever a report could be
// taken for praise.
#pragma once

#include <string>

#include "cli/report/content.h"

namespace postrider {

double share_inside(const ReportPredictions& predictions);  // of the rows with an observed value
// "95 % of the rows lie inside their 90 % interval", or for classes how often the predicted one was
// right and how probable it was said to be. Empty if the content has no predictions.
std::string coverage_text(const ReportContent& content);

}  // namespace postrider
