#include "parts.h"

namespace postrider::experiments {
Part speed(const Settings&) { return {"speed", {}, {}}; }
}
