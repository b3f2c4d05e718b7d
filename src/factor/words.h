// What factors are said in, without the prefix of their door: every formula, both engines and the certifier speak of these.
#pragma once

#include "postrider/graph/factor.h"

namespace postrider::internal {

using graph::Claim;
using graph::EdgeInfo;
using graph::Event;
using graph::Factor;
using graph::FactorInfo;
using graph::FactorKind;
using graph::kEventCount;
using graph::Parameter;
using graph::Replies;
using graph::Reply;
using graph::Rule;
using graph::RuleInfo;

}  // namespace postrider::internal
