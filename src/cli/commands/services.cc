#include "cli/commands/commands.h"
#include "cli/interrupt.h"

namespace postrider::cli {

ExitCode stream(const StreamRequest& request) {
  const InterruptWatch watch;
  follow(request, [&watch] { return watch.interrupted(); });
  return watch.exit_code_of_service();
}

ExitCode serve(const ServeRequest& request) {
  const InterruptWatch watch;
  HangUpWatch hang_up;
  serve_models(request,
               {.should_end = [&] { return watch.interrupted() || hang_up.has_lost_terminal(); },
                .should_look = [&] { return hang_up.is_asked_to_look(); }});
  if (!watch.interrupted() && hang_up.has_lost_terminal()) return ExitCode::hung_up;
  return watch.exit_code_of_service();
}

}  // namespace postrider::cli
