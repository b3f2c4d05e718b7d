#include <fmt/format.h>

#include <iostream>

#include "cli/commands/commands.h"
#include "cli/row_watch.h"
#include "postrider/error.h"
#include "postrider/report.h"
#include "text/model_facts.h"

namespace postrider::cli {

ExitCode certify(const CertifyRequest& request) {
  const TableModel model = TableModel::load(request.model);
  const std::size_t members = members_of(model);
  if (request.member == 0 || request.member > members)
    reject("--member", request.member, fmt::format("must be from 1 to {}", members));
  const NetworkCertificate certificate = certify_model(
      model, read_watched(request.data, model).table, request.member - 1, request.options);
  if (request.json)
    std::cout << to_json(certificate);
  else
    std::cout << "member " << request.member << " of " << members << ": " << to_text(certificate);
  return certificate.passed() ? ExitCode::ok : ExitCode::check_failed;
}

}  // namespace postrider::cli
