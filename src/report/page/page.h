// One HTML page about a model that needs nothing else: no script, no font, no picture from elsewhere.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/content.h"

namespace postrider::internal {

// A part of a page: an id for links, a heading, and its HTML; one that is empty is left out.
struct PagePart {
  std::string id, heading, body;
  bool is_folded = false;  // for experts: shown once it is opened
};
std::string render_page(const std::string& title, const std::string& subtitle,
                        const std::vector<PagePart>& parts);

// Throws InvalidArgument if lists that belong together have different lengths.
std::string render_report(const ReportContent& content);

// --- The parts of a report, one file each. A part about which the content says nothing is empty.

std::string headline_part(const ReportContent& content);
std::string dependence_part(const ReportContent& content);
std::string error_part(const ReportContent& content);
std::string summary_part(const ReportContent& content);
std::string prediction_part(const ReportContent& content);
std::string class_part(const ReportContent& content);
std::string importance_part(const ReportContent& content);
std::string row_part(const ReportContent& content);
std::string training_part(const ReportContent& content);
std::string data_part(const ReportContent& content);
std::string weight_part(const ReportContent& content);
std::string certificate_part(const ReportContent& content);
std::string fact_part(const ReportContent& content);

// --- what they share ------------------------------------------------------------------------------

// A picture or table with a heading and what it shows. `what` and `body` are HTML.
std::string card(std::string_view heading, std::string_view what, std::string_view body);

// An entry of a legend: a mark in the style of the picture's.
enum class LegendMark { line, dashed, dot, diamond, hollow, ring, square };
std::string legend_entry(LegendMark mark, std::string_view style, std::string_view text);
std::string legend(std::string_view entries);

// The style sheet of a report: light, dark, phone and paper.
std::string_view report_style();

// --- Whether predictions hold what they promise, in one sentence: it stands wherever a report could be
// taken for praise.

double share_inside(const ReportPredictions& predictions);  // of the rows with an observed value
// "95 % of the rows lie inside their 90 % interval", or for classes how often the predicted one was
// right and how probable it was said to be. Empty if the content has no predictions.
std::string coverage_text(const ReportContent& content);

}  // namespace postrider::internal
