// SPDX-License-Identifier: Apache-2.0
// The handlers of coherence, barriers, locks, fetch-and-phi, reductions, primitives and active
// messages for a processor without a C++ run time: this file is compiled with -ffreestanding
// -fno-exceptions -fno-rtti, and never linked.
#include <tributary/protocols/active_messages/active_handlers.h>
#include <tributary/protocols/barriers/barrier_handlers.h>
#include <tributary/protocols/coherence/handlers.h>
#include <tributary/protocols/coherence/owned_line.h>
#include <tributary/protocols/coherence/transferred_line.h>
#include <tributary/protocols/fetch_op/coherent_fetch_op_handlers.h>
#include <tributary/protocols/fetch_op/fetch_op_handlers.h>
#include <tributary/protocols/locks/lock_handlers.h>
#include <tributary/protocols/primitives/primitive_handlers.h>
#include <tributary/protocols/reductions/reduction_handlers.h>

namespace tributary::testing {

/// What handlers ask of a node, by functions that somebody else has.
struct bare_node {
  struct maybe_buffer {
    payload_handle data;
    explicit operator bool() const { return data != no_payload; }
    payload_handle operator*() const { return data; }
  };
  struct layout {
    node_id node_of(std::uint64_t address) const;
    std::uint64_t offset_of(std::uint64_t address) const;
    std::uint64_t address_of(node_id node, std::uint32_t space, std::uint64_t offset) const;
  };

  const message& arrived() const;
  node_id here() const;
  const layout& addresses() const;
  void spend(std::uint64_t cycles);
  std::uint64_t space(message_lane over);
  void send(const message& sent);
  void answer(word_t value);
  void answer(std::uint8_t tag, word_t value);
  std::uint8_t keep_read();
  word_t word(payload_handle data, std::uint64_t place);
  void set_word(payload_handle data, std::uint64_t place, word_t value);
  maybe_buffer allocate();
  void retain(payload_handle data);
  void release(payload_handle data);
  void fill(payload_handle data, std::uint64_t line);
  void spill(payload_handle data, std::uint64_t line);
  void spill_word(payload_handle data, std::uint64_t place, std::uint64_t address);
  word_t load(std::uint64_t address);
  void store(std::uint64_t address, word_t value);
  void later(std::uint64_t record, handler_id run, const message& with);
  void again(const message& with);
  void done();
  void interrupt(std::uint64_t line);
  void after(std::uint64_t cycles, handler_id run, const message& with);
  void intervene(intervention wanted, std::uint64_t line, payload_handle data, bool wants_state);
  void count(handler_id of, std::uint64_t statistic, std::uint64_t value);
  line_state state_reply();
};

}  // namespace tributary::testing

template class tributary::active_messages::handlers<tributary::testing::bare_node>;
template class tributary::barriers::handlers<tributary::testing::bare_node>;
template class tributary::coherence::handlers<tributary::testing::bare_node>;
template class tributary::coherence::owned_line<tributary::testing::bare_node>;
template class tributary::coherence::transferred_line<tributary::testing::bare_node>;
template class tributary::fetch_ops::coherent_handlers<tributary::testing::bare_node>;
template class tributary::fetch_ops::handlers<tributary::testing::bare_node>;
template class tributary::locks::handlers<tributary::testing::bare_node>;
template class tributary::primitives::handlers<tributary::testing::bare_node>;
template class tributary::reductions::handlers<tributary::testing::bare_node>;
