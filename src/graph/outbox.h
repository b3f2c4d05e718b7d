// Messages that wait to be sent together.
#pragma once

#include <vector>

#include "graph/state.h"

namespace postrider::internal {

// Rows of one plate that follow each other with a message to the same edge are gathered in flat
// arrays and go to the factor in one call. What comes out, to the bit, is what GraphState::send gives
// for each edge in this order: messages, counters, and what is thrown. To that end a row that would
// hear a message that still waits lets those that wait go first.
class Outbox {
 public:
  Outbox(GraphState& state, double damping, graph::Record& record);

  void send(Index edge);
  // Sends what still waits, and returns the largest change of a message since the last call.
  double finish();

 private:
  void begin_round();
  // Notes that a message to the variable of this edge waits; returns whether one did before.
  bool address(Index edge);
  bool hears_waiting(Index first_edge) const;
  void flush();
  void send_together();
  void send_singly();

  GraphState& state_;
  OutboxRoom& room_;
  double damping_;
  graph::Record& record_;
  double largest_ = 0;
  // What all that wait have in common:
  const Plate* plate_ = nullptr;
  Index position_ = 0;  // of the edge among those of its factor
};

}  // namespace postrider::internal
