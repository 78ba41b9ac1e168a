// SPDX-License-Identifier: Apache-2.0
// Programs on processing elements: straight C++ that loads, stores and fetches-and-adds.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <tributary/memory/line.h>
#include <tributary/memory/operation.h>
#include <tributary/memory/port.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/ids.h>

namespace tributary {

/// A reference that was issued and whose reply is awaited later.
struct pending {
  std::uint64_t number = 0;
};

/// A condition on a word, by reference; it must hold or not by the word alone.
class word_predicate {
 public:
  template <class Predicate>
  explicit word_predicate(const Predicate& predicate)
      : object_(&predicate), call_([](const void* object, word_t value) -> bool {
          return (*static_cast<const Predicate*>(object))(value);
        }) {}

  bool operator()(word_t value) const { return call_(object_, value); }

 private:
  const void* object_;
  bool (*call_)(const void*, word_t);
};

/// What a program sees of its processing element. Addresses are byte addresses of words, multiples
/// of 8; every operation returns the word that memory held before it.
///
/// Time passes only in references, `fence`, `delay` and `random`: computing between them is free. A
/// reply that was delivered in cycle d lets the program go on in cycle d + turnaround (cycle
/// contract, rule 9, and section 6: local references and stores included).
class program_context {
 public:
  program_context(const program_context&) = delete;
  program_context& operator=(const program_context&) = delete;

  /// Number of this element, from 0, and how many run the program.
  std::uint32_t rank() const { return rank_; }
  std::uint32_t size() const { return size_; }
  /// Elements on each node, or memory module: processes of one processor. Process p of node n has
  /// rank n x `processes` + p.
  std::uint32_t processes() const { return processes_; }
  node_id node() const { return node_id{rank_ / processes_}; }
  std::uint32_t nodes() const { return size_ / processes_; }

  // One reference each, awaited at once.
  word_t load(std::uint64_t address) { return perform(operation::load, address); }
  word_t store(std::uint64_t address, word_t value) {
    return perform(operation::store, address, value);
  }
  word_t swap(std::uint64_t address, word_t value) {
    return perform(operation::swap, address, value);
  }
  word_t test_and_set(std::uint64_t address) { return perform(operation::test_and_set, address); }
  /// Stores `desired` if the word is `expected`, which the old word tells.
  word_t compare_and_swap(std::uint64_t address, word_t expected, word_t desired) {
    return perform(operation::compare_and_swap, address, expected, desired);
  }
  word_t fetch_add(std::uint64_t address, word_t value) {
    return perform(operation::fetch_add, address, value);
  }
  word_t fetch_and(std::uint64_t address, word_t value) {
    return perform(operation::fetch_and, address, value);
  }
  word_t fetch_or(std::uint64_t address, word_t value) {
    return perform(operation::fetch_or, address, value);
  }
  word_t fetch_xor(std::uint64_t address, word_t value) {
    return perform(operation::fetch_xor, address, value);
  }
  /// Of words read as two's complement.
  word_t fetch_max(std::uint64_t address, std::int64_t value) {
    return perform(operation::fetch_max, address, static_cast<word_t>(value));
  }
  word_t fetch_min(std::uint64_t address, std::int64_t value) {
    return perform(operation::fetch_min, address, static_cast<word_t>(value));
  }
  word_t fetch_max_unsigned(std::uint64_t address, word_t value) {
    return perform(operation::fetch_max_unsigned, address, value);
  }
  word_t fetch_min_unsigned(std::uint64_t address, word_t value) {
    return perform(operation::fetch_min_unsigned, address, value);
  }
  /// Stores the bytes of `value` that `byte_enables` selects (bit i: byte i, the least significant
  /// first).
  word_t store_bytes(std::uint64_t address, word_t value, std::uint8_t byte_enables) {
    return perform(operation::narrow_store, address, value, byte_mask(byte_enables));
  }

  // Of a processor with caches only; elsewhere they throw `simulation_error`. There what changes a
  // word above, but `store` and `store_bytes`, is a loop of the first two.

  /// Loads a word and remembers its line.
  word_t load_linked(std::uint64_t address) { return refer(access_kind::load_linked, address, 0); }
  /// Stores if no other processor has written the line since it was remembered; whether it did.
  bool store_conditional(std::uint64_t address, word_t value) {
    return refer(access_kind::store_conditional, address, value) != 0;
  }
  /// Asks for a line, to be read or written, and goes on.
  void prefetch(std::uint64_t address) { refer(access_kind::prefetch, address, 0); }
  void prefetch_exclusive(std::uint64_t address) {
    refer(access_kind::prefetch_exclusive, address, 0);
  }
  /// Any kind of access, awaited at once.
  virtual word_t refer(access_kind kind, std::uint64_t address, word_t value) = 0;

  /// Any operation with its operands (`function_of`), awaited at once.
  virtual word_t perform(operation op, std::uint64_t address, word_t e = 0, word_t f = 0) {
    return wait(issue(op, address, e, f));
  }

  /// Hands a reference to the network interface and goes on in the same cycle. How many are in the
  /// network together is the interface's to say (interface.outstanding); the others queue there.
  virtual pending issue(operation op, std::uint64_t address, word_t e = 0, word_t f = 0) = 0;
  /// The old word of a reference of this program, waited for once.
  virtual word_t wait(const pending& reference) = 0;
  /// A reference whose reply is not waited for.
  virtual void post(operation op, std::uint64_t address, word_t e = 0, word_t f = 0) = 0;

  /// Waits until every reference of this program has been answered, posted ones included, as if it
  /// awaited each: the last one delivered in cycle d lets it go on in cycle d + turnaround.
  /// References that were issued are still there to be waited for, which takes no more time.
  virtual void fence() = 0;

  /// Loads the word until `predicate(word)` holds and returns it: the same requests in the same
  /// cycles as a loop around `load`, without waking the program for each. The predicate must give
  /// the same answer for the same word.
  template <class Predicate>
  word_t spin(std::uint64_t address, const Predicate& predicate) {
    static_assert(std::is_invocable_r_v<bool, const Predicate&, word_t>);
    return spin_until(address, word_predicate(predicate));
  }

  /// Asks outside of the machine's memory, and again every `period` cycles until `look` has a word.
  /// In a program that is brought back from a checkpoint, `look` is not called: the word is known.
  virtual word_t outside(std::uint64_t period,
                         const std::function<std::optional<word_t>()>& look) = 0;

  /// Has `handler` serve the interrupts of a line, 0 to 30, from here on. An interrupt stops a
  /// `delay` or a `spin` in the cycle in which it is raised; the handler runs on a stack of its
  /// own, with this context, and then the rest of the delay, or the spin, goes on. One that is
  /// raised at another time waits for the next delay or spin. Handlers are not interrupted; of
  /// several lines the lowest comes first. A line without a handler keeps its interrupt. Of several
  /// processes of a node, the first one that runs and has a handler for the line is interrupted,
  /// else process 0: a handler should be there before the interrupt is.
  virtual void interrupts(std::uint32_t line, std::function<void(program_context&)> handler) = 0;
  /// Interrupts of the line wait from here on, or no longer.
  virtual void mask(std::uint32_t line) = 0;
  virtual void unmask(std::uint32_t line) = 0;

  /// What the references from here on are for, a number of the program's own: observers of
  /// accesses count by it, and nothing else depends on it. 0 at first.
  virtual void set_purpose(std::uint8_t purpose) { purpose_ = purpose; }
  virtual std::uint8_t purpose() const { return purpose_; }

  /// Computes for so many cycles; 0 does nothing.
  virtual void delay(std::uint64_t cycles) = 0;
  /// A number from 0 to n - 1 from the element's own stream (0 for n = 0), which costs
  /// `program.random_cycles`.
  virtual std::uint64_t random(std::uint64_t n) = 0;
  /// The current cycle.
  virtual cycle_t now() = 0;

  /// Byte address of a word of the region "shared", interleaved over the modules from word 0 on,
  /// and of the `row`-th word that a module holds of it.
  virtual std::uint64_t shared_address(std::uint64_t word) const = 0;
  virtual std::uint64_t shared_address(mm_id module, std::uint64_t row) const = 0;
  /// Byte address of a word in this element's own part of the region "local", and in that of
  /// another. Processes of one node share its part (`local_words`).
  std::uint64_t local_address(std::uint64_t word) const {
    return local_address(pe_id{rank_}, word);
  }
  virtual std::uint64_t local_address(pe_id owner, std::uint64_t word) const = 0;

  /// Says where the program is, for the report about programs that do not progress; counts, and
  /// averages the cycles from one mark of that name to the same element's next. Names of marks,
  /// intervals and samples are of lower case, digits and underscores, else `simulation_error`.
  virtual void mark(std::string_view name) = 0;
  /// An interval of that name begins and ends: its cycles go into a histogram, and it is a span in
  /// a trace. Of one name and element one is open at a time, of different names any; one that is
  /// open already, or ends without having begun, throws `simulation_error`.
  virtual void begin(std::string_view name) = 0;
  virtual void end(std::string_view name) = 0;
  /// Adds to the average of that name, as of cycles waited for a lock.
  virtual void sample(std::string_view name, std::uint64_t value) = 0;

 protected:
  program_context(std::uint32_t rank, std::uint32_t size, std::uint32_t processes)
      : rank_(rank), size_(size), processes_(processes) {}
  ~program_context() = default;

  virtual word_t spin_until(std::uint64_t address, const word_predicate& predicate) = 0;

 private:
  std::uint32_t rank_;
  std::uint32_t size_;
  std::uint32_t processes_;
  std::uint8_t purpose_ = 0;
};

/// Words of the region "local" that each process of a node has, of so many of the node: whole
/// lines, so that no line is of two.
constexpr std::uint64_t local_words(std::uint64_t words, std::uint32_t processes) {
  if (processes == 1) return words;
  const std::uint64_t share = words / processes;
  return share - share % most_line_words;
}

/// What the processing elements run: the same program on each, which tells itself apart by rank.
///
/// Programs talk to each other by memory operations only. What they keep in the object between
/// them must not depend on the order in which elements run, because a checkpoint is restored by
/// running one element after the other.
class program {
 public:
  program() = default;
  program(const program&) = delete;
  program& operator=(const program&) = delete;
  virtual ~program() = default;

  /// Forgets what earlier runs left in the object; called before the elements begin.
  virtual void reset() {}
  /// Marks that the statistics count even where no element has passed them.
  virtual std::vector<std::string> marks() const { return {}; }
  /// Whether it goes on until it is stopped.
  virtual bool endless() const { return false; }
  /// What one element does. An exception that leaves it ends the simulation.
  virtual void run(program_context& context) = 0;
};

/// Throws `simulation_error` if it can be no name of a mark, an interval or a sample.
void check_program_name(std::string_view name);
/// Throws `simulation_error` about an interval that begins while it is open.
[[noreturn]] void refuse_beginning(std::string_view interval_name);
/// Throws `simulation_error` about an interval that ends and has not begun.
[[noreturn]] void refuse_end(std::string_view interval_name);

/// A program without state of its own.
std::unique_ptr<program> make_program(std::function<void(program_context&)> run);

}  // namespace tributary
