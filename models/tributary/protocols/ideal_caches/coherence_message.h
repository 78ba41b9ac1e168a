// SPDX-License-Identifier: Apache-2.0
// What nodes with coherent ideal caches send each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tributary/memory/line.h>
#include <tributary/network/cargo_pool.h>
#include <tributary/protocols/ideal_caches/node_set.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/state.h>
#include <tributary/trace/communication_events.h>
#include <tributary/trace/identity.h>

namespace tributary {

/// A message about a line.
struct coherence_message {
  communication_message type = communication_message::fetch_line;
  std::uint8_t purpose = 0;  ///< of the access that caused it
  bool cold = false;         ///< the node that asks never had the line
  bool writes = false;       ///< the line is asked for to be written
  bool keeps_copy = false;   ///< who asks to write has a copy
  bool takes_over = false;   ///< a home asks for a line that is replaced, and leaves all copies
  bool ahead = false;        ///< no access needs the line yet
  std::optional<request_part> part;  ///< none of an answer, unless it is `replacing`
  node_id requester{};
  std::uint64_t line = 0;    ///< address of its first byte
  std::uint32_t bytes = 0;   ///< of data
  std::uint32_t copies = 0;  ///< of a home: others' that are invalidated, whose answers are awaited
  std::uint64_t seen = 0;    ///< of a home: requests of the receiver before it
  node_set sharers;          ///< of a line that is taken over: nodes with copies
  line_data words{};
  line_data bits{};  ///< of an update: those of the words that change
  trace_identity identity;

  TRIBUTARY_STATE(type, purpose, cold, writes, keeps_copy, takes_over, ahead, part, requester, line,
                  bytes, copies, seen, sharers, words, bits, identity);
};

class coherent_node;

/// The messages of the nodes of a machine that are on their way, and the nodes themselves, for who
/// looks at their memory as a whole.
class coherence_message_pool final : public cargo_pool<coherence_message> {
 public:
  /// Each node adds itself; it is used as long as it exists.
  void add(coherent_node& node) { nodes_.push_back(&node); }
  const std::vector<coherent_node*>& nodes() const { return nodes_; }

  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  std::vector<coherent_node*> nodes_;
};

}  // namespace tributary
