// SPDX-License-Identifier: Apache-2.0
// The core at the ports of a switch implementation: the reference that others are compared with.
#pragma once

#include <tributary/network/omega/partner_pool.h>
#include <tributary/network/omega/switch_column.h>
#include <tributary/network/omega/switch_implementation.h>

namespace tributary {

/// One `switch_column` with a partner pool of its own.
class core_switch final : public switch_implementation {
 public:
  /// Throws `configuration_error` as `switch_column` does.
  core_switch(const combining_switch_config& config, unsigned route_bit)
      : route_bit_(route_bit), core_(config, route_bit) {}

  std::uint8_t request_ready(unsigned input) const override { return core_.request_ready()[input]; }
  bool reply_ready(unsigned output) const override { return core_.reply_ready()[output] != 0; }
  const switch_traffic& depart(const std::array<std::uint8_t, 2>& next_request_ready,
                               const std::array<bool, 2>& next_reply_ready) override;
  const switch_activity& commit(const switch_traffic& arriving) override;
  bool idle() const override { return core_.idle(); }
  void reset() override;
  std::optional<switch_occupancy> occupancy() const override;
  std::string state() const override;

  const switch_column& core() const { return core_; }
  const partner_pool& partners() const { return partners_; }

 private:
  unsigned route_bit_;
  switch_column core_;
  partner_pool partners_;
  switch_departures leaving_;
  switch_traffic departed_;
  switch_activity activity_;
};

}  // namespace tributary
