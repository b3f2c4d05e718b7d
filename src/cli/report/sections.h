// The parts of a report, one file each. A part about which the content says nothing is empty.
#pragma once

#include <string>
#include <string_view>

#include "cli/report/content.h"

namespace postrider {

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

}  // namespace postrider
