// SPDX-License-Identifier: Apache-2.0
// Where accesses to memory are asked for: what a processor, cache or bus stands on.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tributary/memory/operation.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/state.h>

namespace tributary {

/// Whether an access is for a hot word of its workload. It counts in statistics only.
enum class heat : std::uint8_t { unknown, cold, hot };

/// What an access is beyond its function. Ports without caches serve `word` only.
enum class access_kind : std::uint8_t {
  word,
  load_linked,         ///< a load that remembers its line
  store_conditional,   ///< a store if the line was there since; the completion is 1 if so, else 0
  prefetch,            ///< brings the line, to be read; no access waits for it
  prefetch_exclusive,  ///< the same, to be written
  operation            ///< a function that is performed below all caches
};
/// "load_linked", as in messages.
const char* name_of(access_kind kind);

/// An access to one word of memory.
struct access {
  std::uint64_t address = 0;    ///< byte address of a word, a multiple of 8
  word_function function = {};  ///< a load, a store or a fetch-and-phi
  /// Returned with the completion, for the client's own use.
  std::uint64_t tag = 0;
  /// A store that is complete once the port has it, with value 0, instead of when memory has done
  /// it, with the word before it. A port that answers every access may ignore this.
  bool posted = false;
  heat warmth = heat::unknown;
  access_kind kind = access_kind::word;  ///< who keeps other accesses than words stores it too
  /// What a program asks for it for, see `program_context::set_purpose`. It counts for observers
  /// only.
  std::uint8_t purpose = 0;

  TRIBUTARY_STATE(address, function.kind, function.a, function.b, tag, posted, warmth);
};

/// A store that is complete once the port has it.
inline access posted_store(std::uint64_t address, word_t value, std::uint64_t tag = 0) {
  return {address, {form::constant, value, 0}, tag, true, heat::unknown, access_kind::word, 0};
}

/// An access as an element offered it, for an observer that records a trace.
struct offered_request {
  cycle_t cycle = 0;
  pe_id pe{};
  access request;
};

/// The end of an access.
struct completion {
  pe_id pe{};             ///< whose access it was
  std::uint64_t tag = 0;  ///< of the access
  word_t value = 0;       ///< the word before the access; 0 of a posted store
};

/// A port of one or more elements, each with a number of its own; the elements share it as those
/// of a network interface array or of a bus do.
class memory_port {
 public:
  /// Throws `simulation_error` for an access that the port does not serve: an address that does
  /// not exist or is no multiple of 8, a function that it does not perform.
  virtual void check(std::size_t element, const access& request) const = 0;

  /// Whether the element may offer another access in the current cycle.
  virtual bool can_take(std::size_t element) const = 0;
  /// Takes an access in cycle `now`. Throws what `check` throws, and `simulation_error` while
  /// `can_take` is false.
  virtual void offer(std::size_t element, const access& request, cycle_t now) = 0;

  /// Accesses of the element that the port has taken and that wait for what is below it, and those
  /// that are under way there.
  virtual std::size_t waiting(std::size_t element) const = 0;
  virtual std::size_t outstanding(std::size_t element) const = 0;

  /// Whether it serves load-linked and store-conditional, by which a program then does what
  /// changes a word; else it serves functions, and `check` refuses those by name.
  virtual bool serves_pairs() const { return false; }
  /// Of one that serves pairs, whether what changes the word at an address is an access of kind
  /// `operation` nevertheless.
  virtual bool performs_operations(std::uint64_t) const { return false; }
  /// Stores of the element that are complete for it and not for all others yet.
  virtual std::uint64_t incomplete_stores(std::size_t) const { return 0; }

 protected:
  memory_port() = default;
  memory_port(const memory_port&) = default;
  memory_port& operator=(const memory_port&) = default;
  ~memory_port() = default;
};

class memory_client;

/// A port of one processor, whichever that is.
class processor_port : public memory_port {
 public:
  /// Who is told of completions; null for none.
  virtual void set_client(memory_client* client) = 0;

  /// Whether nothing is under way and a load of the word, in any cycle from now on, finds `value`
  /// in the time of a hit, until the port tells `memory_client::disturbed`.
  virtual bool watch(std::uint64_t /*address*/, word_t /*value*/) { return false; }
  /// Ends a watch, with the effects of `times` such loads, the last of them in cycle `last`.
  virtual void end_watch(const access& /*load*/, std::uint64_t /*times*/, cycle_t /*last*/) {}

 protected:
  processor_port() = default;
  processor_port(const processor_port&) = default;
  processor_port& operator=(const processor_port&) = default;
  ~processor_port() = default;
};

/// Who is interrupted, on a line, in a cycle to come.
class interrupt_client {
 public:
  virtual void interrupted(std::uint32_t line, cycle_t when) = 0;

 protected:
  interrupt_client() = default;
  interrupt_client(const interrupt_client&) = default;
  interrupt_client& operator=(const interrupt_client&) = default;
  ~interrupt_client() = default;
};

/// Who asks at a port: a processor, or what stands for one. Told in the cycle `now`; it may offer
/// the next access at once.
class memory_client {
 public:
  virtual void completed(const completion& ended, cycle_t now) = 0;
  /// `can_take` has become true again for the element.
  virtual void room(std::size_t element, cycle_t now) = 0;
  /// `memory_port::incomplete_stores` has become 0 for the element.
  virtual void settled(std::size_t, cycle_t) {}
  /// What `processor_port::watch` said no longer holds from this cycle on. The client ends the
  /// watch before it returns.
  virtual void disturbed(std::size_t, cycle_t) {}

 protected:
  memory_client() = default;
  memory_client(const memory_client&) = default;
  memory_client& operator=(const memory_client&) = default;
  ~memory_client() = default;
};

}  // namespace tributary
