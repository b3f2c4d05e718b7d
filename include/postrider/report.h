// Pages of HTML about models, each one file that needs nothing else: no script, no font, no picture from elsewhere.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "postrider/export.h"
#include "postrider/network/audit.h"
#include "postrider/skill/history.h"
#include "postrider/table_model.h"

namespace postrider {

struct TableReport {
  struct Options {
    std::string title = {};  // empty: "Predicting" and the target
    double level = 0.9;      // of intervals; above 0 and below 1
    // Columns that the table has as keys (TableOptions::keys), in this order: those that name rows on the page, a column of times,
    // over which errors are told, and one by whose values they are. The last two may be empty.
    std::vector<std::string> keys = {};
    std::string time = {}, group = {};
    // The files of model and rows, which the page names; empty: it does not.
    std::string model_path = {}, rows_path = {};
  };

  std::string page;
  std::size_t rows = 0;  // those with a target, of which the page tells
  std::string coverage;  // such as "91 % of the rows lie inside their 90 % interval"
  network::NetworkCertificate certificate;  // of the first member
};

// How far to trust a model, by rows that it should not have learned: what it predicts and how well, its intervals, which inputs
// matter, where it errs, how it was trained. Rows without a target are passed over. Throws InvalidArgument for options, and CorruptFile
// if no row has a target.
POSTRIDER_EXPORT TableReport report_on(const TableModel& model, const Table& rows,
                                       const TableReport::Options& options = {});

// How exact the messages of one member are, at these rows with their targets. Throws as report_on(), and for a member that is not
// there.
POSTRIDER_EXPORT network::NetworkCertificate certify_model(
    const TableModel& model, const Table& rows, std::size_t member = 0,
    const network::NetworkCertificate::Options& options = {});

// Who leads, how the leaders came there, and which games surprised. The board is all that are shown, the best first.
POSTRIDER_EXPORT std::string skill_page(const std::string& title,
                                        const skill::SkillHistory& history,
                                        const std::vector<skill::Standing>& board,
                                        const skill::SkillHistory::LearnReport& learned,
                                        bool has_dates);

}  // namespace postrider
