#include "postrider/report.h"

#include <fmt/format.h>

#include <iostream>

#include "cli/commands/commands.h"
#include "cli/row_watch.h"
#include "io/output.h"
#include "postrider/error.h"
#include "text/model_facts.h"
#include "text/text_table.h"

namespace postrider::cli {
namespace {

std::string finding_text(const network::NetworkCertificate& certificate) {
  if (certificate.passed())
    return fmt::format("no inconsistency found in {} messages", certificate.compared());
  return fmt::format("INCONSISTENT: {} of {} messages; see the certificate on the page",
                     certificate.inconsistent(), certificate.compared());
}

}  // namespace

ExitCode report(const ReportRequest& request) {
  if (!(request.level > 0 && request.level < 1))
    reject("--level", request.level, "must be above 0 and below 1");
  expect_writable({"--out", request.output, {request.model, request.data.path}, request.force},
                  text_kind("a report", {"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"}));
  const TableModel model = TableModel::load(request.model);
  DataRequest data = request.data;
  for (const std::string& column : {request.time, request.group})
    if (!column.empty()) data.keys.push_back(column);
  const WatchedTable rows = read_watched(data, model);
  tell_repeated("report", rows.repeated);
  const TableReport found = report_on(model, rows.table,
                                      {.title = request.title,
                                       .level = request.level,
                                       .keys = request.data.keys,
                                       .time = request.time,
                                       .group = request.group,
                                       .model_path = request.model,
                                       .rows_path = request.data.path});
  Output output(request.output);
  output.stream() << found.page;
  output.finish();
  if (!request.quiet && request.output != "-")
    std::cout << request.output << ": " << counted(found.rows, "row") << "\n"
              << "  " << found.coverage << "\n"
              << "  " << finding_text(found.certificate) << "\n";
  return ExitCode::ok;
}

ExitCode certify(const CertifyRequest& request) {
  const TableModel model = TableModel::load(request.model);
  const std::size_t members = members_of(model);
  if (request.member == 0 || request.member > members)
    reject("--member", request.member, fmt::format("must be from 1 to {}", members));
  const network::NetworkCertificate certificate = certify_model(
      model, read_watched(request.data, model).table, request.member - 1, request.options);
  if (request.json)
    std::cout << to_json(certificate);
  else
    std::cout << "member " << request.member << " of " << members << ": " << to_text(certificate);
  return certificate.passed() ? ExitCode::ok : ExitCode::check_failed;
}

}  // namespace postrider::cli
