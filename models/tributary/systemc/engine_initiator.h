// SPDX-License-Identifier: Apache-2.0
// The socket by which the engines of a message interface reach memory.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <tributary/nic/engine_memory.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/fifo.h>
#include <tributary/systemc/payload_pool.h>
#include <tributary/systemc/socket_ends.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

class message_interface_module;

/// One transaction a word, by nb_transport, of each user one at a time.
///
/// BEGIN_REQ comes in the cycle in which the interface would move the word of a memory without
/// time. A target that answers within that call and without delay has the word moved in the same
/// cycle; else it is moved in the first cycle strictly after the response is effective. So a target
/// that responds within k periods adds k cycles a word.
class engine_initiator final : public initiator_end, public engine_memory {
 public:
  /// `owner` has the interface and the socket.
  explicit engine_initiator(message_interface_module& owner) : owner_(owner) {}

  bool read(memory_user user, std::uint64_t offset, word_t& word) override;
  bool write(memory_user user, std::uint64_t offset, word_t word, std::uint64_t bytes) override;

  /// Begins what waits for the end of another request.
  void resume();
  /// Whether no transaction is under way.
  bool idle() const { return under_way_ == 0; }

 private:
  /// What a user asked for.
  struct asked_word {
    tlm::tlm_generic_payload* payload = nullptr;  ///< under way
    bool is_there = false;
    cycle_t from = 0;  ///< it is there
    word_t word = 0;
  };

  /// Whether the word that was asked for has moved; it is asked for no more then.
  bool take(asked_word& own) const;
  void ask(asked_word& own, tlm::tlm_generic_payload& payload);
  void send(tlm::tlm_generic_payload& payload);

  const char* socket_name() const override;
  void request_ended(const sc_core::sc_time& delay) override;
  void message_ended(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay) override;

  message_interface_module& owner_;
  payload_pool payloads_;
  std::array<asked_word, memory_users> asked_;
  fifo<tlm::tlm_generic_payload*> waiting_;  // for the end of the request before
  std::uint64_t free_from_ = 0;
  const tlm::tlm_generic_payload* calling_ = nullptr;  // its BEGIN_REQ has not returned
  std::uint32_t under_way_ = 0;
};

}  // namespace tributary
