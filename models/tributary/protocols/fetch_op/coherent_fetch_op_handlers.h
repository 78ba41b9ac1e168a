// SPDX-License-Identifier: Apache-2.0
// The handlers of fetch-and-phi at the home of a word that caches may have.
#pragma once

#include <cstdint>

#include <tributary/protocols/coherence/owned_line.h>
#include <tributary/protocols/coherence/transferred_line.h>
#include <tributary/protocols/fetch_op/fetch_op_handlers.h>
#include <tributary/protocols/fetch_op/fetch_op_memory.h>

namespace tributary::fetch_ops {

/// What the handlers know in addition.
struct coherent_settings : handler_settings {
  operation_memory memory;
  /// Of the node's coherence.
  const coherence::handler_settings* coherence = nullptr;
  handler_id perform_later = no_handler;
  handler_id perform_owned = no_handler;
};

/// The home's protocol processor owns the line while it changes the word (FLASH 4.4.2, 7.2.1): by
/// the fast path in one handler if memory has the line and no other node shares it; else the
/// operation is kept in memory until the robust path has brought the line, or the fast path is open
/// again. There is a place for every operation, because one that was refused, and came again at
/// once, could keep the data buffers from those who are to finish before it.
template <class Node>
class coherent_handlers : private handlers<Node> {
  using base = handlers<Node>;
  using base::node_;

 public:
  coherent_handlers(Node& node, const coherent_settings& with)
      : base(node, with), with_(with), at_(with.memory) {}

  void perform() { serve(true); }
  void perform_for_another() { serve(false); }
  void forward() { base::forward(); }
  void take_reply() { base::take_reply(); }

  // --- put off -----------------------------------------------------------------------------------

  /// Looks at the first of those that wait.
  void perform_later() {
    const auto data = node_.allocate();
    if (!data) {
      look_again();
      return;
    }
    const std::uint64_t number = first_waiting();
    const kept_operation kept = load(number);
    if (is_open(kept.address)) {
      const word_t before = change_by_fast_path(*data, kept.address, kept.function);
      take_first();
      answer(number, kept.address, before, *data);
      end_look();
      return;
    }
    node_.release(*data);
    take_first();
    if (ask_to_own(number, kept.address)) {
      end_look();
    } else {
      append(number);
      look_again();
    }
  }

  /// The line is here.
  void perform_owned() {
    const auto data = node_.allocate();
    if (!data) {
      look_again();
      return;
    }
    coherence::owned_line<Node> line(node_, *with_.coherence, node_.arrived().address);
    const std::uint64_t number = line.argument();
    const kept_operation kept = load(number);
    line.take(*data);
    node_.spend(with_.coherence->ownership_costs.take);
    const word_t before = base::change_in(*data, kept.address, kept.function);
    node_.spend(with_.costs.perform + with_.coherence->ownership_costs.give_back);
    // The answer has a use for the buffer behind the line's way home.
    node_.retain(*data);
    line.give_back(*data);
    answer(number, kept.address, before, *data);
    node_.done();
  }

 private:
  struct kept_operation {
    std::uint64_t address = 0;
    word_function function;
  };

  void serve(bool is_own) {
    const message& arrived = node_.arrived();
    const word_function function = base::asked();
    if (is_open(arrived.address)) {
      const word_t before = change_by_fast_path(arrived.data, arrived.address, function);
      if (is_own) {
        node_.answer(before);
      } else {
        base::answer_asker(before);
      }
      return;
    }
    node_.spend(with_.costs.keep);
    const std::uint64_t number = is_own ? at_.number(node_.here(), node_.keep_read())
                                        : at_.number(arrived.source, tag_in(arrived.aux));
    keep(number, arrived.address, function);
    if (ask_to_own(number, arrived.address)) return;
    const bool is_first = append(number);
    if (is_first) {
      node_.later(
          at_.looking(), with_.perform_later,
          message_to(node_.here(), common_type{}, message_lane::request, arrived.address, 0));
    }
  }

  // --- the line ----------------------------------------------------------------------------------

  coherence::transferred_line<Node> line(std::uint64_t address) {
    return {node_, *with_.coherence, address};
  }
  /// To the fast path.
  bool is_open(std::uint64_t address) {
    const line_holders holders = line(address).holders();
    return holders.place == line_place::memory && holders.others == 0;
  }
  word_t change_by_fast_path(payload_handle data, std::uint64_t address,
                             const word_function& function) {
    // Memory is current, so this node's processor, if it shares the line, only has to lose it; it
    // has lost it when the word is changed.
    if (line(address).holders().local) line(address).take_sharing();
    node_.fill(data, with_.line.start(address));
    node_.spend(with_.coherence->ownership_costs.acquire);
    const word_t before = base::change_in(data, address, function);
    node_.spill_word(data, with_.line.word(address), address);
    node_.spend(with_.costs.perform + with_.coherence->ownership_costs.release);
    return before;
  }
  /// Takes the robust path for an operation that is kept; false if others are at the line, or the
  /// table is full.
  bool ask_to_own(std::uint64_t number, std::uint64_t address) {
    if (line(address).place() == line_place::pending) return false;
    coherence::owned_line<Node> asked(node_, *with_.coherence, address);
    if (!asked.ask(with_.perform_owned, number)) return false;
    node_.spend(with_.coherence->ownership_costs.enter);
    return true;
  }

  // --- operations that are kept ------------------------------------------------------------------

  void keep(std::uint64_t number, std::uint64_t address, const word_function& function) {
    const word_t where = operation_fields::address.put(0, address);
    node_.store(at_.place(number) + operation_memory::what,
                operation_fields::form.put(where, static_cast<word_t>(function.kind)));
    node_.store(at_.place(number) + operation_memory::operand_a, function.a);
    node_.store(at_.place(number) + operation_memory::operand_b, function.b);
  }
  kept_operation load(std::uint64_t number) {
    const word_t what = node_.load(at_.place(number) + operation_memory::what);
    return {operation_fields::address.in(what),
            {static_cast<form>(operation_fields::form.in(what)),
             node_.load(at_.place(number) + operation_memory::operand_a),
             node_.load(at_.place(number) + operation_memory::operand_b)}};
  }

  // --- the list of those that wait ---------------------------------------------------------------

  std::uint64_t first_waiting() { return operation_fields::first.in(node_.load(at_.ends())) - 1; }
  word_t next_of(std::uint64_t number) {
    return operation_fields::next.in(node_.load(at_.place(number) + operation_memory::what));
  }
  void set_next(std::uint64_t number, word_t next) {
    const std::uint64_t place = at_.place(number) + operation_memory::what;
    node_.store(place, operation_fields::next.put(node_.load(place), next));
  }
  void set_ends(word_t first, word_t last) {
    const word_t ends = operation_fields::first.put(0, first);
    node_.store(at_.ends(), operation_fields::last.put(ends, last));
  }
  /// Whether nothing waited before.
  bool append(std::uint64_t number) {
    const word_t ends = node_.load(at_.ends());
    const word_t first = operation_fields::first.in(ends);
    set_next(number, 0);
    if (first != 0) set_next(operation_fields::last.in(ends)-1, number + 1);
    set_ends(first != 0 ? first : number + 1, number + 1);
    return first == 0;
  }
  void take_first() {
    const word_t ends = node_.load(at_.ends());
    const word_t next = next_of(operation_fields::first.in(ends)-1);
    set_ends(next, next == 0 ? 0 : operation_fields::last.in(ends));
  }
  void end_look() {
    if (operation_fields::first.in(node_.load(at_.ends())) == 0) {
      node_.done();
    } else {
      node_.again(node_.arrived());
    }
  }
  void look_again() {
    node_.spend(with_.costs.again);
    node_.again(node_.arrived());
  }

  // --- answers -----------------------------------------------------------------------------------

  /// With the buffer, which is used up.
  void answer(std::uint64_t number, std::uint64_t address, word_t before, payload_handle data) {
    const node_id asker = at_.asker(number);
    if (asker == node_.here()) {
      node_.release(data);
      node_.answer(at_.tag(number), before);
      return;
    }
    node_.set_word(data, 0, before);
    message reply = message_to(asker, common_type::operation_answer, message_lane::reply, address,
                               aux_of(0, at_.tag(number)));
    reply.data = data;
    reply.length = word_bytes;
    node_.send(reply);
  }

  const coherent_settings& with_;
  const operation_memory& at_;
};

}  // namespace tributary::fetch_ops
