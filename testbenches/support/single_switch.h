// SPDX-License-Identifier: Apache-2.0
// A switch_column of one switch, with the ports of the golden model.
#pragma once

#include <array>
#include <cstdint>

#include <tributary/network/omega/switch_column.h>

#include "golden_switch.h"

namespace tributary::testing {

/// One switch stepped by `depart` and `commit`, with a partner pool of its own.
class single_switch {
 public:
  single_switch(const combining_switch_config& config, unsigned route_bit)
      : core_(config, route_bit, 1) {}

  std::uint8_t request_ready(unsigned input) const { return core_.request_ready()[input]; }
  bool reply_ready() const {
    // One bit per memory-side port, and both say the same.
    return core_.reply_ready()[0] != 0 && core_.reply_ready()[1] != 0;
  }

  /// What leaves; remembered for `commit`.
  switch_traffic depart(const std::array<std::uint8_t, 2>& next_request_ready,
                        const std::array<bool, 2>& next_reply_ready) {
    const std::array<std::uint8_t, 2> sinks{
        next_reply_ready[0] ? std::uint8_t{1} : std::uint8_t{0},
        next_reply_ready[1] ? std::uint8_t{1} : std::uint8_t{0}};
    core_.depart(next_request_ready.data(), sinks.data(), leaving_);
    switch_traffic traffic;
    for (unsigned i = 0; i < 2; ++i) {
      if (const packet* request = core_.departing_request(i, leaving_)) {
        traffic.requests[i] = *request;
      }
      if (const reply* response = core_.departing_reply(i, leaving_)) {
        traffic.replies[i] = *response;
      }
    }
    return traffic;
  }

  void commit(const switch_traffic& arriving) {
    switch_column::arrivals arrivals;
    arrivals.requests.assign(arriving.requests.begin(), arriving.requests.end());
    arrivals.replies.assign(arriving.replies.begin(), arriving.replies.end());
    core_.commit(leaving_, arrivals, pool_);
  }

  bool idle() const { return core_.idle(); }
  const switch_column& core() const { return core_; }
  const partner_pool& pool() const { return pool_; }

 private:
  switch_column core_;
  partner_pool pool_;
  switch_departures leaving_;
};

}  // namespace tributary::testing
