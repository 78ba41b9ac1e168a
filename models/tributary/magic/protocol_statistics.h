// SPDX-License-Identifier: Apache-2.0
// What the handlers of a node's protocols count, and the messages that they send.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/controller/handler_request.h>
#include <tributary/controller/message.h>
#include <tributary/controller/protocol_set.h>
#include <tributary/sim/block.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>

namespace tributary {

/// The statistics of a node's protocols, each in a group of its protocol's name: those that the
/// protocol declares (`protocol::statistics`), and the messages to the network by their type and
/// by the handler that sent them. They are no part of the hardware.
class protocol_statistics final : public block {
 public:
  /// The protocols must outlive it.
  explicit protocol_statistics(const protocol_set& protocols);

  /// A handler counts in a statistic of the protocol of `of`. Throws `simulation_error` for a
  /// number that the protocol has not declared, and a handler that no protocol has.
  void count(handler_id of, std::uint64_t number, std::uint64_t value);
  /// A handler has sent a message to the network.
  void sent(handler_id by, const message& header);

  const char* name() const override { return "protocols"; }
  void reset_statistics() override;
  void report(statistics_group& into, std::uint64_t cycles) const override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  /// Values that were counted, by any kind of statistic.
  struct counted {
    average values;
    std::uint64_t in_use = 0;
    std::uint64_t most_in_use = 0;

    TRIBUTARY_STATE(values, in_use, most_in_use);
  };
  /// Messages of one type that one handler sent.
  struct sent_messages {
    std::uint8_t type = 0;
    counter messages;
    counter payload;

    TRIBUTARY_STATE(type, messages, payload);
  };

  void report_counted(statistics_group& into, std::size_t place) const;
  void report_sent(statistics_group& into, std::size_t handler,
                   const std::vector<std::string>& types) const;

  TRIBUTARY_STATE(counted_, sent_);

  const protocol_set& protocols_;
  std::vector<std::uint8_t> owners_;                       // by handler: its protocol's place
  std::vector<std::vector<protocol_statistic>> declared_;  // by protocol
  std::vector<std::vector<counted>> counted_;              // the same
  std::vector<std::vector<sent_messages>> sent_;           // by handler
};

}  // namespace tributary
