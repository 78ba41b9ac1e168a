// SPDX-License-Identifier: Apache-2.0
// The same random programs of fetch-and-phi operations on FLASH nodes, on the omega network with
// combining switches and without. In both, one order of each word explains all answers and the
// memory at the end; words whose operations commute end with the same value in both.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <flash/flash_machine.h>
#include <tributary/sim/random_stream.h>

#include <support/random_choice.h>
#include <support/serial_checker.h>
#include <support/sizes.h>

namespace tributary {
namespace {

using testing::between;
using testing::history;
using testing::observed_request;
using testing::one_of;

/// What programs do with a word: one operation that commutes with itself, or all that combine.
const std::vector<std::vector<operation>> uses = {
    {operation::fetch_add},
    {operation::fetch_or},
    {operation::fetch_xor},
    {operation::fetch_max},
    {operation::fetch_min},
    {operation::fetch_max_unsigned},
    {operation::store, operation::swap, operation::test_and_set, operation::fetch_add,
     operation::fetch_and, operation::fetch_or, operation::fetch_xor, operation::fetch_max,
     operation::fetch_min, operation::fetch_max_unsigned, operation::fetch_min_unsigned,
     operation::load, operation::compare_and_swap}};

struct random_case {
  explicit random_case(std::uint64_t number) : seed(number) {
    random_stream draws(number, 6U, 21U);
    config.machine.nodes = 1U << between(draws, 1, 4);
    config.machine.node.memory.bytes = std::uint64_t{1} << 17;
    config.machine.node.network_interface.out_depth = between(draws, 4, 8);
    message_network_config& network = config.machine.network;
    network.topology = topology_kind::omega;
    design = one_of(draws, {combining_design::baseline, combining_design::improved,
                            combining_design::aggressive});
    network.omega.slots = between(draws, design == combining_design::aggressive ? 3 : 2, 6);
    network.endpoint_buffers = between(draws, 1, 6);
    network.router_buffers = between(draws, 1, 4);
    config.processor.turnaround = one_of(draws, {1U, 10U, 40U});
    references = between(draws, 20, 60);
    outstanding = between(draws, 1, 4);
    // Mostly one word of all operations, where most of them meet.
    for (std::uint32_t i = between(draws, 1, 3); i-- > 0;) {
      words.push_back(draws.below(2) == 0 ? uses.size() - 1 : draws.below(uses.size()));
    }
  }

  std::string text() const {
    return "case " + std::to_string(seed) + ", " + std::to_string(config.machine.nodes) +
           " nodes, combining " + std::to_string(static_cast<int>(design)) + ", " +
           std::to_string(words.size()) + " words";
  }

  std::uint64_t seed;
  flash_config config;
  combining_design design = combining_design::none;
  std::uint64_t references = 0;
  std::size_t outstanding = 1;
  std::vector<std::size_t> words;  ///< by word, its place in `uses`
};

/// An order of a word's requests that gives every answer, as far as there is one. Requests of a
/// processor keep their order, and one that was answered before another was asked comes first.
class order_search {
 public:
  explicit order_search(std::map<std::uint16_t, std::vector<const observed_request*>> requests) {
    for (auto& [processor, each] : requests) left_.push_back(std::move(each));
    next_.assign(left_.size(), 0);
  }

  std::vector<request_id> find() {
    extend(0);
    return longest_;
  }

 private:
  /// Whether the order can be completed from a word.
  bool extend(word_t word) {
    if (order_.size() > longest_.size()) longest_ = order_;
    std::vector<std::size_t> fitting = fitting_next(word);
    if (fitting.empty()) return ended();
    if (!seen_.insert({next_, word}).second) return false;
    // Nothing is lost by doing at once what leaves the word as it is.
    const auto idle = std::find_if(fitting.begin(), fitting.end(), [&](std::size_t i) {
      return apply(next_of(i).function, word) == word;
    });
    if (idle != fitting.end()) fitting = {*idle};
    for (const std::size_t i : fitting) {
      const observed_request& each = next_of(i);
      ++next_[i];
      order_.push_back(each.id);
      if (extend(apply(each.function, word))) return true;
      order_.pop_back();
      --next_[i];
    }
    return false;
  }

  const observed_request& next_of(std::size_t i) const { return *left_[i][next_[i]]; }
  bool ended_of(std::size_t i) const { return next_[i] == left_[i].size(); }
  bool ended() const {
    for (std::size_t i = 0; i < left_.size(); ++i) {
      if (!ended_of(i)) return false;
    }
    return true;
  }
  /// Processors whose next request found the word, and may come now.
  std::vector<std::size_t> fitting_next(word_t word) const {
    cycle_t first_answer = never;
    for (std::size_t i = 0; i < left_.size(); ++i) {
      if (!ended_of(i)) first_answer = std::min(first_answer, next_of(i).delivered);
    }
    std::vector<std::size_t> fitting;
    for (std::size_t i = 0; i < left_.size(); ++i) {
      const bool fits =
          !ended_of(i) && next_of(i).value == word && next_of(i).accepted <= first_answer;
      if (fits) fitting.push_back(i);
    }
    return fitting;
  }

  std::vector<std::vector<const observed_request*>> left_;  // by processor
  std::vector<std::size_t> next_;                           // of each
  std::vector<request_id> order_;
  std::vector<request_id> longest_;
  std::set<std::pair<std::vector<std::size_t>, word_t>> seen_;
};

/// The programs of a case on one of its two machines.
class played_case {
 public:
  played_case(const random_case& drawn, combining_design design)
      : case_(drawn),
        machine_(config_of(drawn, design), drawn.seed,
                 make_program([this](auto& c) { refer(c); })) {
    seen_.keeps_program_order = true;
  }

  const history& run() {
    machine_.run_until(20'000'000);
    if (!machine_.finished()) throw error("a program does not end");
    machine_.drain({});
    for (std::size_t word = 0; word < case_.words.size(); ++word) {
      const word_t left = at_end(word);
      if (left != 0) seen_.final_memory.emplace_back(addresses_[word], left);
    }
    std::sort(seen_.final_memory.begin(), seen_.final_memory.end());
    find_order();
    return seen_;
  }

  word_t at_end(std::size_t word) {
    const address_layout& layout = machine_.config().machine.node.addresses;
    const std::uint64_t address = addresses_[word];
    return machine_.nodes()
        .node(index(layout.node_of(address)))
        .memory()
        .read(layout.offset_of(address));
  }
  /// Requests that joined another on their way.
  double combined() const {
    double all = 0;
    const statistics_tree statistics = machine_.statistics();
    for (const flat_statistic& each : statistics.flatten()) {
      const bool counts = each.path.find("network.operations.stage.") != std::string::npos &&
                          each.path.rfind(".combined") + 9 == each.path.size();
      if (counts) all += each.value;
    }
    return all;
  }

 private:
  static flash_config config_of(const random_case& drawn, combining_design design) {
    flash_config config = drawn.config;
    config.machine.network.omega.combining = design;
    return config;
  }

  struct open_request {
    pending reference;
    std::size_t place;
  };

  void refer(program_context& context) {
    random_stream draws(case_.seed, context.rank(), 23U);
    std::vector<open_request> open;
    for (std::uint32_t i = 0; i < case_.references; ++i) {
      if (open.size() == case_.outstanding) end_first(context, open);
      const std::size_t word = draws.below(case_.words.size());
      const std::vector<operation>& use = uses[case_.words[word]];
      const operation what = use[draws.below(use.size())];
      const word_t e = draws.next_u64();
      const word_t f = draws.next_u64();
      const std::uint64_t address = address_of(context, word);
      observed_request asked;
      asked.id = {i, static_cast<std::uint16_t>(context.rank())};
      asked.address = address;
      asked.function = function_of(what, e, f);
      asked.accepted = context.now();
      const std::size_t place = seen_.requests.size();
      seen_.requests.push_back(asked);
      open.push_back({context.issue(what, address, e, f), place});
      if (draws.below(8) == 0) context.delay(draws.below(100));
    }
    while (!open.empty()) end_first(context, open);
  }
  void end_first(program_context& context, std::vector<open_request>& open) {
    const word_t value = context.wait(open.front().reference);
    observed_request& asked = seen_.requests[open.front().place];
    asked.value = value;
    asked.delivered = context.now();
    ++asked.answers;
    open.erase(open.begin());
  }
  std::uint64_t address_of(const program_context& context, std::size_t word) {
    const auto home = static_cast<std::uint32_t>((case_.seed + word) % context.size());
    return addresses_[word] = context.local_address(pe_id{home}, word);
  }

  void find_order() {
    std::map<std::uint64_t, std::map<std::uint16_t, std::vector<const observed_request*>>> by_word;
    for (const observed_request& each : seen_.requests)
      by_word[each.address][each.id.pe].push_back(&each);
    for (auto& [address, requests] : by_word) {
      for (const request_id& each : order_search(std::move(requests)).find()) {
        seen_.order.push_back(each);
      }
    }
  }

  const random_case& case_;
  std::map<std::size_t, std::uint64_t> addresses_;  // by word
  history seen_;
  flash_machine machine_;
};

/// Returns how many operations combined.
double run_case(const random_case& drawn) {
  SCOPED_TRACE(drawn.text());
  played_case plain(drawn, combining_design::none);
  played_case combining(drawn, drawn.design);
  EXPECT_EQ(testing::find_violation(plain.run()), "") << "without combining";
  EXPECT_EQ(testing::find_violation(combining.run()), "") << "with combining";
  for (std::size_t word = 0; word < drawn.words.size(); ++word) {
    if (uses[drawn.words[word]].size() != 1) continue;
    EXPECT_EQ(combining.at_end(word), plain.at_end(word)) << "word " << word;
  }
  return combining.combined();
}

/// TRIBUTARY_SEED=n runs case n alone.
TEST(fetch_op_combining, answers_and_memory_are_those_without_combining) {
  if (const char* asked = std::getenv("TRIBUTARY_SEED")) {
    run_case(random_case(std::strtoull(asked, nullptr, 10)));
    return;
  }
  double combined = 0;
  const std::uint64_t count = testing::halved(200);
  for (std::uint64_t seed = 0; seed < count && !HasFailure(); ++seed) {
    combined += run_case(random_case(seed));
  }
  if (HasFailure()) return;
  RecordProperty("combined", std::to_string(combined));
  EXPECT_GT(combined, static_cast<double>(10 * count)) << "hardly any operations combined";
}

}  // namespace
}  // namespace tributary
