// SPDX-License-Identifier: Apache-2.0
// The data-parallel run-time on the language-oriented interface.
#pragma once

#include <array>
#include <cstdint>

#include <tributary/algorithms/message_data_parallel.h>

namespace tributary {

/// Gets, sends and broadcasts are served by the interfaces; counters tell when they are over, and
/// processors are interrupted once a hop of a tree (Klaiber 6.3).
class language_data_parallel final : public message_data_parallel {
 public:
  language_data_parallel(program_context& context, const message_runtime_place& place)
      : message_data_parallel(context, place) {}

  void broadcast(node_id owner, std::uint64_t offset, std::uint32_t bytes) override;
  word_t reduce(word_t value, combining_operation operation, std::uint32_t bytes) override;
  void barrier() override;

 private:
  struct data_place {
    std::uint64_t offset = 0;
    std::uint32_t bytes = 0;
  };

  bool has_open_messages();
  void follow_read(interface_header& header) override;
  void follow_write(interface_header& header) override;
  void take(const interface_header& header) override;
  void zeroed(std::uint32_t which) override;

  std::uint32_t packets(std::uint32_t bytes) const { return (bytes + packet() - 1) / packet(); }
  bool is_zero(std::uint32_t remote_counter);
  void finish_open();
  void write_to(std::uint32_t destination, const data_place& data, communication_purpose purpose,
                const counter_command& count);
  void write_to_children(const data_place& data, communication_purpose purpose,
                         const counter_command& count);
  void signal(std::uint32_t destination, const counter_command& count);
  void broadcast_by_network(node_id owner, const data_place& data, std::uint32_t number);
  void contribute(std::uint32_t parity);
  void combine_contributions(std::uint32_t parity);
  void pass_result(std::uint32_t parity);

  bool gets_ = false;  // since the last barrier
  bool sends_ = false;
  std::uint32_t reductions_ = 0;
  std::uint32_t barriers_ = 0;
  std::uint32_t broadcasts_ = 0;
  std::array<combining_operation, 2> operation_{};  // by parity of reductions
  std::array<std::uint32_t, 2> reduced_bytes_{};
  std::array<bool, 2> has_result_{};
  std::array<std::uint32_t, 8> arrived_{};  // broadcasts, by counter
};

}  // namespace tributary
