// SPDX-License-Identifier: Apache-2.0
// Messages out of a file: who sends what to whom, and when.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/network/traffic/traffic_kernel.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/state.h>

namespace tributary {

/// A message that is to be sent.
struct replayed_message {
  cycle_t at = 0;  ///< after the first cycle of the traffic
  node_id from{};
  node_id to{};
  std::uint64_t bytes = 0;
  std::uint64_t line = 0;  ///< of the file, for messages
};

/// Reads a text of one message a line, "cycle,source,destination,bytes", under a first line with
/// these names; plain or gzip. Empty lines and those that begin with # are left out. Throws
/// `input_error` with line and column for what is no such number, a message without bytes, and a
/// cycle that is less than that of the line before.
std::vector<replayed_message> read_replay(const std::string& path);

/// Hosts post the messages of a list in their cycles, whether or not those before have left.
class traffic_replay final : public traffic_kernel {
 public:
  /// `messages` in the order of their cycles.
  explicit traffic_replay(std::vector<replayed_message> messages);
  /// Throws `configuration_error`, which names `traffic.path` and the line, for a host that does
  /// not exist and a message of a host to itself.
  static void check(const std::vector<replayed_message>& messages, std::uint32_t hosts);

  void begin(traffic_hosts& hosts) override;
  void called(traffic_hosts& hosts, node_id host, cycle_t now) override;
  void arrived(traffic_hosts&, const traffic_message&, node_id, cycle_t) override { --left_; }
  bool finished() const override { return left_ == 0; }

  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  std::uint64_t sum() const;
  void call_for_next(traffic_hosts& hosts, node_id host);

  std::vector<replayed_message> messages_;
  std::vector<std::vector<std::size_t>> of_host_;
  std::vector<std::size_t> sent_;  ///< by host
  std::size_t left_ = 0;           ///< messages
};

}  // namespace tributary
