#include "parts.h"

namespace postrider::experiments {
Part forgetting(const Settings&) { return {"forgetting", {}, {}}; }
}
