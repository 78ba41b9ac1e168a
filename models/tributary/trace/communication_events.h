// SPDX-License-Identifier: Apache-2.0
// What processors and interfaces tell of communication, on every architecture: what is counted of
// it, an observer of these events counts (communication_account.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/trace/event.h>

namespace tributary {

/// What communication is for: a primitive of a data-parallel language (Klaiber 4.2.2). Programs
/// give it as the purpose of their references, and messages carry it on.
enum class communication_purpose : std::uint8_t {
  computing,  ///< none
  get,
  send,
  combining_send,
  broadcast,
  reduce,
  barrier,
  bookkeeping  ///< of a program: counting what has come
};
/// Their names, as in traces.
std::vector<std::string> names_of_purposes();

/// What a message is.
enum class communication_message : std::uint8_t {
  read,             ///< asks for data
  write,            ///< brings data to an address, asked for or not
  acknowledgement,  ///< of a write
  tagged,           ///< for a program
  fetch_line,       ///< asks for a line of a cache
  line,             ///< brings one
  invalidate,
  invalidated,  ///< the answer
  update,       ///< words of a line that is written
  forward,      ///< a home asks an owner in another's name
  replace       ///< an owner has no room for a line: its home is to take it
};
/// Their names, as in traces.
std::vector<std::string> names_of_messages();

/// What a message of caches is in the request for which it is sent. Answers have no part, except
/// those that are `ahead` or `replacing`.
enum class request_part : std::uint8_t {
  asks,       ///< the first message of the node that asks
  ahead,      ///< any message about a line that no access needs yet
  further,    ///< goes out together with another one of the same request
  passed_on,  ///< a home sends it in the name of the node that asks
  at_home,    ///< a home sends it for its own store to a line of which it has a copy
  replacing   ///< of a line for which an owner has no room; nobody waits
};
/// Their names, as in traces.
std::vector<std::string> names_of_request_parts();

/// What an access of a processor to its interface's registers moves or does.
enum class register_part : std::uint8_t {
  send_header,
  send_body,
  receive_header,
  receive_body,
  dma_command,
  status,   ///< polling
  counter,  ///< a counter is read or counted
  control   ///< everything else: interrupts, translations
};
std::vector<std::string> names_of_register_parts();

/// Why a processor is interrupted by its interface.
enum class interrupt_cause : std::uint8_t {
  synchronization,  ///< a message that is to be looked at, a counter that is zero
  translation,      ///< a page without a translation
  buffer_full
};
std::vector<std::string> names_of_causes();

/// What happened to a counter of an interface.
enum class counter_change : std::uint8_t {
  set,      ///< software wrote it
  loaded,   ///< it was 0, became the initial value of a message or command, and was counted
  counted,  ///< up by a message that was sent, down by one that came or by a command
  zero      ///< it was counted down to 0
};
/// Their names, as in traces.
std::vector<std::string> names_of_counter_changes();

namespace communication_events {

inline constexpr event_detail purpose{"purpose", 0, 4};  ///< `communication_purpose`
inline constexpr event_detail message{"message", 4, 4};  ///< `communication_message`
inline constexpr event_detail part{"part", 8, 4};        ///< `register_part`
inline constexpr event_detail cause{"cause", 12, 2};     ///< `interrupt_cause`
inline constexpr event_detail to{"to", 14, 12};          ///< node
inline constexpr event_detail bytes{"bytes", 26, 17};    ///< of data: without headers
/// 1: an access that writes, or a message because of one; 0: one that reads.
inline constexpr event_detail writes{"writes", 43, 2};
/// 1: a message about a line that the node that asks for it never had; 0: that it had.
inline constexpr event_detail cold{"cold", 45, 2};
inline constexpr event_detail change{"change", 50, 3};    ///< `counter_change`
inline constexpr event_detail request{"request", 47, 3};  ///< `request_part`

/// A detail that an event has not.
inline constexpr std::uint64_t none = ~std::uint64_t{0};

constexpr event_kind kind_of(const char* name, unsigned order) {
  event_kind kind;
  kind.name = name;
  kind.order = order;
  return kind;
}

constexpr event_kind sent_kind(const char* name, unsigned order, bool lasts) {
  event_kind kind = kind_of(name, order);
  kind.lasts = lasts;
  kind.has_address = true;
  kind.is_step = true;
  kind.title = &message;
  kind.details = {&message, &purpose, &to, &bytes, &writes, &cold, &request};
  return kind;
}
/// A message entered the network; it occupies the node's link until the last cycle.
inline constexpr event_kind sent = sent_kind("sent", 2, true);
/// A message has left the network, at the node.
inline constexpr event_kind arrived = sent_kind("arrived", 0, false);
/// An interface's engine was at work on a message.
inline constexpr event_kind served = sent_kind("served", 6, true);

constexpr event_kind handled_kind(const char* name, unsigned order) {
  event_kind kind = kind_of(name, order);
  kind.title = &message;
  kind.details = {&message, &purpose, &bytes};
  return kind;
}
/// A processor has given its interface the last word of a message, or the command that sends it.
inline constexpr event_kind composed = handled_kind("composed", 3);
/// A processor has taken the last word of a message from its interface, or given the command that
/// stores it.
inline constexpr event_kind taken = handled_kind("taken", 3);

constexpr event_kind register_kind() {
  event_kind kind = kind_of("register", 4);
  kind.has_address = true;
  kind.title = &part;
  kind.details = {&part, &purpose, &bytes, &writes};
  return kind;
}
/// A processor accessed a register of its interface.
inline constexpr event_kind register_access = register_kind();

constexpr event_kind memory_kind() {
  event_kind kind = kind_of("memory", 5);
  kind.has_address = true;
  kind.title = &purpose;
  kind.details = {&purpose, &bytes, &writes};
  return kind;
}
/// A processor accessed its memory.
inline constexpr event_kind memory_access = memory_kind();

constexpr event_kind interrupt_kind() {
  event_kind kind = kind_of("interrupt", 1);
  kind.title = &cause;
  kind.details = {&cause, &purpose};
  return kind;
}
/// The interface interrupts its processor.
inline constexpr event_kind interrupt = interrupt_kind();

constexpr event_kind counter_kind() {
  event_kind kind = kind_of("counter", 7);
  kind.has_value = true;
  kind.details = {&change};
  return kind;
}
/// A counter of an interface has another value; its parent is the message that counted it. The
/// address, which is not shown, is the number of the change among those of the interface in the
/// cycle, so that the last is told last.
inline constexpr event_kind counter_value = counter_kind();

/// Of the catalog of tracks.
inline std::vector<const event_kind*> all_kinds() {
  return {&sent,          &arrived,   &served,       &composed, &taken, &register_access,
          &memory_access, &interrupt, &counter_value};
}

}  // namespace communication_events

class trace_catalog;
/// Gives the details of these events their names.
void set_communication_names(trace_catalog& catalog);

}  // namespace tributary
