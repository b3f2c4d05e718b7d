#include <fmt/format.h>

#include <limits>

#include "factor/scalar.h"
#include "factor/words.h"
#include "postrider/error.h"

namespace postrider::internal {

void expect_rows(const FactorInfo& info, std::span<const Gaussian> incoming,
                 const Replies& replies) {
  const std::size_t rows = replies.messages.size(), edges = info.edges.size();
  if (incoming.size() != rows * edges)
    reject(info.name + ".incoming", fmt::format("{} messages", incoming.size()),
           fmt::format("must hold one message per edge and row, {} for {} rows of {} edges",
                       rows * edges, rows, edges));
  const auto expect_one_per_row = [&](std::string_view field, std::size_t size) {
    if (size != 0 && size != rows)
      reject(fmt::format("{}.replies.{}", info.name, field), size,
             fmt::format("must be empty or as long as the messages, {}", rows));
  };
  expect_one_per_row("events", replies.events.size());
  expect_one_per_row("log_scales", replies.log_scales.size());
}

}  // namespace postrider::internal

namespace postrider::graph {
using namespace internal;

void Factor::send_many(std::size_t edge, Rule rule, std::span<const Gaussian> incoming,
                       const Replies& replies) const {
  const std::size_t edges = info().edges.size();
  expect_rows(info(), incoming, replies);
  for (std::size_t row = 0; row < replies.messages.size(); ++row) {
    const Reply reply = send(edge, rule, incoming.subspan(row * edges, edges));
    replies.messages[row] = reply.message;
    if (!replies.events.empty()) replies.events[row] = reply.event;
    if (!replies.log_scales.empty())
      replies.log_scales[row] = reply.log_scale.value_or(std::numeric_limits<double>::quiet_NaN());
  }
}

}  // namespace postrider::graph
