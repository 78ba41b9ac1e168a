// SPDX-License-Identifier: Apache-2.0
// A predictor on the receive side of any interface.
#pragma once

#include <cstdint>
#include <string>

#include <tributary/network/port.h>
#include <tributary/nic/message_predictor.h>
#include <tributary/sim/block.h>

namespace tributary {

/// Stands between a network and the interface of a node: what comes goes on unchanged in the same
/// cycle, and a predictor observes it.
///
/// The network knows no more of a message than its source, lane and bytes: they identify it. Its
/// tag is the lane. Who knows more observes by a `message_predictor` of their own.
class predicted_endpoint final : public block, public network_endpoint {
 public:
  /// `receiver` must outlive it. Throws `configuration_error` as `message_predictor`.
  predicted_endpoint(network_endpoint& receiver, const message_predictor_config& config)
      : receiver_(receiver), predictor_(config) {}

  const message_predictor& predictor() const { return predictor_; }
  /// Source, lane and bytes in one number, different for different ones in a network of up to 2^24
  /// nodes.
  static message_identifier identifier(const network_transfer& transfer) {
    return std::uint64_t{index(transfer.source)} << 40U | std::uint64_t{transfer.lane} << 32U |
           transfer.bytes;
  }

  // network_endpoint
  void room(std::uint8_t lane, cycle_t at) override { receiver_.room(lane, at); }
  void arrive(const network_transfer& transfer, cycle_t head, cycle_t tail) override {
    predictor_.observe(transfer.lane, identifier(transfer));
    receiver_.arrive(transfer, head, tail);
  }

  // block
  const char* name() const override { return "predictor"; }
  void reset_statistics() override { predictor_.reset_statistics(); }
  void report(statistics_group& into, std::uint64_t) const override {
    predictor_.counts().report(into);
  }
  std::string save() const override { return predictor_.save(); }
  void restore(const std::string& state) override { predictor_.restore(state); }

 private:
  network_endpoint& receiver_;
  message_predictor predictor_;
};

}  // namespace tributary
