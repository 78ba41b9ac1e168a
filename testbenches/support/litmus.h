// SPDX-License-Identifier: Apache-2.0
// Litmus programs: what elements may see of each other's references, over random timing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tributary/nic/network_interface.h>
#include <tributary/processor/program.h>
#include <tributary/protocols/coherence/coherence.h>
#include <tributary/sim/random_stream.h>

#include "faulty_context.h"

namespace tributary::testing {

/// How a thread of a litmus makes its references.
enum class litmus_form : std::uint8_t {
  issued,  ///< one behind the other, nothing between them; what is read is awaited at the end
  fenced,  ///< the same with a fence between any two
  awaited  ///< each is awaited before the next
};

/// One reference of a litmus thread. A load is also made as a fetch-and-phi operation that leaves
/// the word as it is, a store also as a swap: which is drawn.
struct litmus_reference {
  operation what = operation::load;
  unsigned word = 0;  ///< 0: x, 1: y
  word_t value = 0;
  bool spins = false;  ///< a load that is repeated until the word is not 0, and awaited
};

struct litmus_thread {
  std::vector<litmus_reference> references;
  /// The form that the thread always has, whatever the others have.
  std::optional<litmus_form> always;
};

/// What was seen of a litmus: the replies of all references, thread by thread, the words in the
/// end, and when each thread began and was done with its last reference.
struct litmus_observation {
  std::vector<word_t> replies;
  word_t words[2] = {0, 0};
  std::vector<cycle_t> began;
  std::vector<cycle_t> done;
};

/// What an outcome says about the memory.
enum class litmus_kind : std::uint8_t {
  across_words,  ///< forbidden by a fence, or by waiting, and by nothing else
  one_word,      ///< forbidden wherever the references of one element to a word keep their order
  atomic,        ///< never, in no form
  allowed        ///< no fence in it forbids it
};

struct litmus {
  std::string name;
  std::string text;     ///< the threads
  std::string outcome;  ///< the outcome looked for
  litmus_kind kind = litmus_kind::across_words;
  std::vector<litmus_thread> threads;
  std::function<bool(const litmus_observation&)> seen;
};

/// All litmus programs; x and y are 0 before.
const std::vector<litmus>& all_litmus();

/// How often each litmus was run and its outcome seen, in the order of `all_litmus`.
struct litmus_count {
  std::uint64_t runs = 0;
  std::uint64_t seen = 0;
};
using litmus_counts = std::vector<litmus_count>;

/// Many litmus programs beside each other on one machine, round after round: each round on new
/// words, by other elements, with other delays; the elements left over send random references to
/// the same words, and most of them to one word or to one or two modules.
class litmus_program final : public program {
 public:
  /// Everything random is drawn from `seed`; `elements` is the machine's number, at least 8.
  /// `pace`: how many times as slow it is as on the Ultracomputer; above 1 there are caches, and
  /// threads read their words before.
  litmus_program(litmus_form form, std::uint64_t seed, std::uint32_t elements, std::uint32_t rounds,
                 context_fault fault = context_fault::none, std::uint32_t pace = 1);

  void run(program_context& context) override;

  /// Of a machine that has come to the end.
  litmus_counts counts() const;

 private:
  struct place {
    bool local = false;
    std::uint32_t owner = 0;  ///< the module, or the element whose local memory it is in
    std::uint64_t row = 0;
  };
  struct instance {
    std::size_t what = 0;  ///< in `all_litmus`
    place words[2];
    litmus_observation observed;
  };
  struct role {
    std::int32_t instance = -1;  ///< of the round; -1: traffic
    std::uint32_t thread = 0;
    std::uint32_t delay = 0;
  };
  struct round {
    std::vector<instance> instances;
    std::vector<role> roles;  ///< by element
    std::uint32_t hot = 0;    ///< the first of the hot modules
    std::uint32_t hot_modules = 1;
    bool combines = false;  ///< most traffic is for one word, that of the first instance
  };

  bool is_cached() const { return pace_ != 1; }
  void plan_round(round& planned, std::uint64_t number, random_stream& random) const;
  std::uint64_t thread_window(random_stream& random) const;
  place draw_place(const std::vector<std::uint32_t>& threads, std::uint32_t hot, std::uint64_t row,
                   random_stream& random) const;
  static std::uint64_t address_of(const program_context& context, const place& where);
  void fill_caches(program_context& context, const instance& filled,
                   const litmus_thread& thread) const;
  void take_part(program_context& context, instance& what, const role& own, random_stream& random);
  void send_traffic(program_context& context, const round& now, random_stream& random) const;
  void read_words(program_context& context);

  litmus_form form_;
  std::uint64_t seed_;
  std::uint32_t elements_;
  std::vector<round> rounds_;
  context_fault fault_;
  std::uint32_t pace_;
};

/// Where litmus programs run.
struct litmus_setup {
  litmus_form form = litmus_form::issued;
  std::uint32_t elements = 32;
  std::uint32_t rounds = 100;
  std::uint32_t turnaround = 10;
  context_fault fault = context_fault::none;
  network_interface_config interface { 4, issue_policy::one_per_word };
};

/// The name of the ideal memory among the machines.
extern const char* const ideal_memory;

/// The ideal memory, and every design.
const std::vector<std::string>& litmus_machines();

/// Runs them once. Throws `simulation_error` as the machines do.
litmus_counts run_litmus(const std::string& machine, const litmus_setup& setup, std::uint64_t seed);

/// Runs them on FLASH nodes with caches. Of the setup's interface nothing is used.
litmus_counts run_coherent_litmus(consistency_kind consistency, const litmus_setup& setup,
                                  std::uint64_t seed);

/// Adds another run's counts.
void add(litmus_counts& sum, const litmus_counts& more);

}  // namespace tributary::testing
