#include "graph/outbox.h"

#include <algorithm>
#include <utility>

#include "postrider/error.h"

namespace postrider::internal {

Outbox::Outbox(GraphState& state, double damping, graph::Record& record)
    : state_(state), room_(state.outbox_room()), damping_(damping), record_(record) {
  room_.waiting.clear();  // an exception may have left some
}

void Outbox::send(Index edge) {
  const Index factor = state_.factor_of(edge);
  const Plate* plate = &state_.plate(factor);
  const Index first = state_.first_edge_of_factor(factor);
  if (!room_.waiting.empty()) {
    const bool is_alike = plate == plate_ && edge - first == position_;
    const bool has_room = room_.waiting.size() < plate->rows_per_call;
    if (is_alike && has_room && !hears_waiting(first)) {
      if (room_.waiting.size() == 1) begin_round();
      room_.waiting.push_back({edge, address(edge)});
      return;
    }
    flush();
  }
  plate_ = plate;
  position_ = edge - first;
  room_.waiting.push_back({edge, false});
}

// Only with the second message: in a chain, where no two ever wait together, none pays for the books.
void Outbox::begin_round() {
  room_.addressed.resize(state_.variable_count(), 0);
  ++room_.round;
  address(room_.waiting.front().edge);
}

bool Outbox::address(Index edge) {
  return std::exchange(room_.addressed[state_.variable_of(edge)], room_.round) == room_.round;
}

// A factor reads what comes in at the edge it sends to by conditioned rules only: rows that send to
// one variable otherwise need not wait for each other.
bool Outbox::hears_waiting(Index first_edge) const {
  const Index front = state_.variable_of(room_.waiting.front().edge);
  const bool is_alone = room_.waiting.size() == 1;
  for (Index k = 0; k < plate_->arity; ++k) {
    if (k == position_ && plate_->rules[k] != Rule::conditioned) continue;
    const Index variable = state_.variable_of(first_edge + k);
    const bool is_addressed =
        is_alone ? variable == front : room_.addressed[variable] == room_.round;
    if (is_addressed && !state_.is_observed(variable)) return true;
  }
  return false;
}

double Outbox::finish() {
  flush();
  return std::exchange(largest_, 0);
}

void Outbox::flush() {
  if (room_.waiting.size() > 1)
    send_together();
  else
    send_singly();  // at most one
  room_.waiting.clear();
}

void Outbox::send_singly() {
  for (const OutboxRoom::Waiting& row : room_.waiting)
    largest_ = std::max(largest_, state_.send(row.edge, damping_, record_));
}

void Outbox::send_together() {
  const std::size_t rows = room_.waiting.size(), arity = plate_->arity;
  try {
    room_.incoming.resize(rows * arity);
    room_.messages.resize(rows);
    room_.events.resize(rows);
    Gaussian* incoming = room_.incoming.data();
    for (const OutboxRoom::Waiting& row : room_.waiting)
      for (Index k = 0; k < arity; ++k) *incoming++ = state_.to_factor(row.edge - position_ + k);
    plate_->factor->send_many(position_, plate_->rules[position_], room_.incoming,
                              {room_.messages, room_.events});
  } catch (const Error&) {
    // One of the rows has no message. Nothing was stored yet: singly, those before it are sent. What
    // is not the library's goes on to the caller as it is: it may be an interrupt.
    return send_singly();
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const auto [edge, own_changed] = room_.waiting[i];
    const Gaussian own =
        own_changed ? state_.to_factor(edge) : room_.incoming[i * arity + position_];
    largest_ = std::max(
        largest_, state_.store(edge, own, room_.messages[i], room_.events[i], damping_, record_));
  }
}

}  // namespace postrider::internal
