// SPDX-License-Identifier: Apache-2.0
// The data-parallel run-time on the traditional interface.
#pragma once

#include <array>
#include <cstdint>

#include <tributary/algorithms/message_data_parallel.h>

namespace tributary {

/// Processors compose and take every message, answer reads and count what has come (Klaiber 6.2).
class traditional_data_parallel final : public message_data_parallel {
 public:
  traditional_data_parallel(program_context& context, const message_runtime_place& place)
      : message_data_parallel(context, place) {}

  void broadcast(node_id owner, std::uint64_t offset, std::uint32_t bytes) override;
  word_t reduce(word_t value, combining_operation operation, std::uint32_t bytes) override;
  void barrier() override;

 private:
  void follow_read(interface_header&) override { ++open_; }
  void follow_write(interface_header& header) override;
  void take(const interface_header& header) override;

  void finish_open();
  void answer_read(const interface_header& header);
  void take_write(const interface_header& header);
  void take_tagged(const interface_header& header);
  void pass_packet(const interface_header& header);
  void contribute(std::uint32_t parity, std::uint32_t from, word_t value, std::uint32_t bytes);
  void combine_contributions(std::uint32_t parity, std::uint32_t bytes);
  void take_result(std::uint32_t parity, word_t value, std::uint32_t bytes);
  void pass_result(std::uint32_t parity, word_t value, std::uint32_t bytes);
  void signal(std::uint32_t destination, std::uint8_t tag);

  std::uint64_t open_ = 0;  // messages of this node without an answer
  std::uint32_t reductions_ = 0;
  std::uint32_t barriers_ = 0;
  std::uint32_t broadcasts_ = 0;
  std::array<combining_operation, 2> operation_{};  // by parity of reductions
  std::array<bool, 2> has_result_{};
  std::array<std::uint32_t, 2> came_up_{};  // to barriers, by parity
  std::array<std::uint32_t, 2> came_down_{};
  std::array<std::uint64_t, 256> broadcast_bytes_{};  // that have come, by number modulo 256
};

}  // namespace tributary
