// SPDX-License-Identifier: Apache-2.0
// Operations between nodes on combining switches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tributary/memory/request_events.h>
#include <tributary/network/message_network.h>
#include <tributary/network/omega/omega_network.h>
#include <tributary/network/port.h>
#include <tributary/sim/state.h>
#include <tributary/trace/identity.h>

namespace tributary {

/// One omega network for the operations of all nodes (`network_operation`): requests go the way of
/// requests and combine; what their homes answer goes back by the reverse queues, where wait
/// buffers yield an answer for each request that had joined another. A message is one packet that
/// holds a link as long as a train of the same bytes does.
class operation_network {
 public:
  /// A message that leaves its source in this cycle.
  struct departure {
    network_transfer transfer;
    cycle_t sent = 0;
  };
  /// One that has come out at the far end.
  struct arrival {
    network_transfer transfer;
    cycle_t sent = 0;

    TRIBUTARY_STATE(transfer, sent);
  };

  operation_network(const message_network_config& config, std::uint32_t nodes);

  /// Whether the first switch takes a message of the source in this cycle. To be asked between
  /// `depart` and `move`, as the switches stood at the start of the cycle.
  bool takes(const network_transfer& transfer) const;
  /// Whether requests for words of a node are on their way.
  bool heads_for(std::size_t node) const { return heading_[node] != 0; }
  /// Whether something is in the network that will move by itself.
  bool moves() const { return requests_ + answers_ != 0; }

  /// Decides what leaves every switch; `homes` says by node whether it takes a request.
  void depart(const std::vector<std::uint8_t>& homes) { switches_.depart(homes.data()); }
  /// Does it. Departures of requests, and of answers, each by ascending sources; arrivals are added
  /// to `into`.
  void move(const std::vector<departure>& requests, const std::vector<departure>& answers,
            std::vector<arrival>& into);

  void reset_statistics() { switches_.reset_statistics(); }
  void report(statistics_group& group) const { switches_.report(group); }

  /// Whether a state that was restored is of so many nodes.
  bool fits(std::size_t nodes) const {
    return heading_.size() == nodes && asked_.size() % nodes == 0 && asked_.size() != 0;
  }

  TRIBUTARY_STATE(switches_, asked_, heading_, requests_, answers_);

 private:
  /// A request without its answer.
  struct asked_operation {
    bool used = false;
    network_transfer transfer;
    cycle_t sent = 0;
    /// Once its answer is on its way.
    std::uint8_t lane = 0;
    cycle_t answered = 0;
    trace_identity identity;

    TRIBUTARY_STATE(used, transfer, sent, lane, answered, identity);
  };

  /// Keeps count of what combines and what comes out of wait buffers.
  struct watch {
    static constexpr bool enabled = true;
    operation_network& all;

    void request(const event_kind& kind, std::int32_t, std::size_t, const packet& request,
                 const request_id&) const {
      if (&kind == &request_events::combined) all.joined(request);
    }
    void response(const event_kind&, std::int32_t, std::size_t, const reply& response,
                  const request_id& first) const {
      all.parted(response, first);
    }
    void reply_departed(std::int32_t, std::size_t, const reply&) const {}
  };

  asked_operation& asked(const request_id& id);
  void joined(const packet& request);
  void parted(const reply& response, const request_id& first);
  packet packet_of(const departure& request);
  reply reply_of(const departure& answer);
  arrival request_at_home(const packet& request);
  arrival answer_at_asker(const reply& response);

  omega_network switches_;
  std::vector<asked_operation> asked_;  ///< by node and tag
  std::vector<std::uint64_t> heading_;  ///< requests in the network, by home
  std::uint64_t requests_ = 0;
  std::uint64_t answers_ = 0;
};

}  // namespace tributary
