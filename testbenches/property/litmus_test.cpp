// SPDX-License-Identifier: Apache-2.0
// What a program may rely on, and what it may not, shown by litmus programs over random timing.
// The long form, fifty times as many rounds: TRIBUTARY_LONG=1 litmus_test
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "documentation/page_sections.h"
#include "support/litmus.h"
#include "support/sizes.h"

namespace tributary {
namespace {

using testing::all_litmus;
using testing::context_fault;
using testing::litmus;
using testing::litmus_counts;
using testing::litmus_form;
using testing::litmus_kind;
using testing::litmus_machines;
using testing::litmus_setup;

constexpr std::uint32_t rounds = 60;
constexpr std::uint64_t page_seeds = 2;

/// What was counted, by machine.
using table = std::map<std::string, litmus_counts>;

/// Of one seed. Tests of one process that ask for the same run share it.
const table& run_seed(litmus_setup setup, std::uint64_t seed) {
  using asked = std::tuple<litmus_form, context_fault, issue_policy, std::uint32_t, std::uint64_t>;
  static std::map<asked, table> all;
  table& counted =
      all[{setup.form, setup.fault, setup.interface.policy, setup.interface.outstanding, seed}];
  if (!counted.empty()) return counted;
  setup.rounds = rounds;
  setup.elements = seed % 4 < 2 ? 16 : 32;
  setup.turnaround = seed % 2 == 0 ? 1 : 10;
  table made;
  for (const std::string& machine : litmus_machines()) {
    made[machine] = run_litmus(machine, setup, seed);
  }
  return counted = std::move(made);
}

table run(const litmus_setup& setup, std::uint64_t seeds) {
  table counted;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    for (const auto& [machine, counts] : run_seed(setup, seed)) add(counted[machine], counts);
  }
  return counted;
}

std::uint64_t all_seeds() {
  if (testing::sanitized) return page_seeds;  // both sizes and turnarounds
  return testing::long_form() ? 600 : testing::halved(16);
}

litmus_setup with(litmus_form form) {
  litmus_setup setup;
  setup.form = form;
  return setup;
}

litmus_setup unordered() {
  litmus_setup setup;
  setup.interface.policy = issue_policy::unordered;
  return setup;
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

/// The outcomes of all machines, for a message.
std::string text_of(const table& counted) {
  std::string text = "how often each outcome was seen, of so many runs of each machine\n";
  for (std::size_t i = 0; i < all_litmus().size(); ++i) {
    text += padded(all_litmus()[i].name, 30);
    for (const auto& [machine, counts] : counted) {
      text += " " + machine + " " + std::to_string(counts[i].seen) + "/" +
              std::to_string(counts[i].runs);
    }
    text += "\n";
  }
  return text;
}

std::uint64_t seen(const table& counted, std::size_t i) {
  std::uint64_t sum = 0;
  for (const auto& each : counted) sum += each.second[i].seen;
  return sum;
}

std::uint64_t runs(const table& counted, std::size_t i) {
  std::uint64_t sum = 0;
  for (const auto& each : counted) sum += each.second[i].runs;
  return sum;
}

/// No machine has shown an outcome of that kind.
void expect_none(const table& counted, litmus_kind kind) {
  for (std::size_t i = 0; i < all_litmus().size(); ++i) {
    if (all_litmus()[i].kind != kind) continue;
    EXPECT_EQ(seen(counted, i), 0U) << all_litmus()[i].name << ": " << all_litmus()[i].text;
  }
}

/// Each outcome of that kind was seen on some machine.
void expect_each_somewhere(const table& counted, litmus_kind kind) {
  if (testing::sanitized) return;
  for (std::size_t i = 0; i < all_litmus().size(); ++i) {
    if (all_litmus()[i].kind != kind) continue;
    EXPECT_GT(seen(counted, i), 0U) << all_litmus()[i].name << ": " << all_litmus()[i].text;
  }
}

/// The part of the table that the ideal memory has, or the designs.
table ideal_of(const table& counted) {
  return {{testing::ideal_memory, counted.at(testing::ideal_memory)}};
}
table designs_of(table counted) {
  counted.erase(testing::ideal_memory);
  return counted;
}

/// Each machine has shown some outcome of that kind.
void expect_some_on_each(const table& counted, litmus_kind kind) {
  if (testing::sanitized) return;
  for (const auto& [machine, counts] : counted) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (all_litmus()[i].kind == kind) sum += counts[i].seen;
    }
    EXPECT_GT(sum, 0U) << machine;
  }
}

/// Machines on which two requests of one element to one word may be served in either order.
bool reorders_a_word(const std::string& machine) {
  return machine != "no combining" && machine != "baseline, ordered";
}

TEST(litmus, with_a_fence_no_forbidden_outcome_is_seen) {
  const table counted = run(with(litmus_form::fenced), all_seeds());
  SCOPED_TRACE(text_of(counted));
  expect_none(counted, litmus_kind::across_words);
  expect_none(counted, litmus_kind::one_word);
  expect_none(counted, litmus_kind::atomic);
  expect_each_somewhere(designs_of(counted), litmus_kind::allowed);
  for (std::size_t i = 0; i < all_litmus().size(); ++i) {
    EXPECT_GE(runs(counted, i) * 12, 1000 * all_seeds()) << all_litmus()[i].name;
  }
}

TEST(litmus, where_each_reference_is_awaited_no_forbidden_outcome_is_seen) {
  const table counted = run(with(litmus_form::awaited), all_seeds());
  SCOPED_TRACE(text_of(counted));
  expect_none(counted, litmus_kind::across_words);
  expect_none(counted, litmus_kind::one_word);
  expect_none(counted, litmus_kind::atomic);
}

TEST(litmus, without_a_fence_words_are_seen_in_any_order) {
  const table counted = run(with(litmus_form::issued), all_seeds());
  SCOPED_TRACE(text_of(counted));
  expect_each_somewhere(designs_of(counted), litmus_kind::across_words);
  expect_some_on_each(counted, litmus_kind::across_words);
  expect_none(counted, litmus_kind::one_word);
  expect_none(counted, litmus_kind::atomic);
}

TEST(litmus, without_one_per_word_references_to_a_word_keep_their_order_on_some_machines) {
  table counted = run(unordered(), all_seeds());
  SCOPED_TRACE(text_of(counted));
  expect_none(counted, litmus_kind::atomic);
  expect_each_somewhere(ideal_of(counted), litmus_kind::one_word);
  table keeping;
  table reordering;
  for (const auto& each : designs_of(counted)) {
    (reorders_a_word(each.first) ? reordering : keeping).insert(each);
  }
  ASSERT_EQ(keeping.size(), 2U);
  expect_none(keeping, litmus_kind::one_word);
  if (testing::sanitized) return;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < all_litmus().size(); ++i) {
    if (all_litmus()[i].kind == litmus_kind::one_word) sum += seen(reordering, i);
  }
  EXPECT_GT(sum, 0U) << "no switch has let a request overtake another to its word";
}

TEST(litmus, one_reference_outstanding_hides_what_has_no_fence) {
  litmus_setup setup;
  setup.interface.outstanding = 1;
  const table counted = run(setup, testing::sanitized ? 1 : 2);
  SCOPED_TRACE(text_of(counted));
  expect_none(counted, litmus_kind::one_word);
  expect_none(counted, litmus_kind::atomic);
  for (std::size_t i = 0; i < all_litmus().size(); ++i) {
    const litmus& each = all_litmus()[i];
    if (each.kind != litmus_kind::across_words) continue;
    if (each.name == "real time") {
      EXPECT_GT(seen(counted, i), 0U) << each.name;
    } else {
      EXPECT_EQ(seen(counted, i), 0U) << each.name;
    }
  }
}

TEST(litmus, operations_that_are_not_atomic_are_found) {
  litmus_setup setup;
  setup.fault = context_fault::split_updates;
  const table counted = run(setup, 1);
  SCOPED_TRACE(text_of(counted));
  expect_each_somewhere(counted, litmus_kind::atomic);
}

std::string seen_text(const table& counted, std::size_t i) {
  return " " + std::to_string(seen(counted, i)) + " |";
}

/// Seen by the ideal memory, and by the designs, by how many of them.
std::string cells(const table& counted, std::size_t i) {
  const table designs = designs_of(counted);
  std::size_t machines = 0;
  for (const auto& each : designs) machines += each.second[i].seen != 0 ? 1 : 0;
  std::string text = seen_text(ideal_of(counted), i);
  if (machines == 0) return text + " 0 |";
  return text + " " + std::to_string(seen(designs, i)) + " on " + std::to_string(machines) + " |";
}

/// What was counted for the page, by how the references are made.
struct page_tables {
  table issued;
  table unordered;
  table fenced;
  table awaited;
};

/// Outcomes that no fence forbids have no columns for the forms with fences.
std::string outcome_table(litmus_kind kind, const page_tables& counted) {
  const bool fences = kind != litmus_kind::allowed;
  std::string text =
      "| Litmus | x = y = 0, then | Outcome | Runs | Ideal memory | Designs | Ideal memory, "
      "`unordered` | Designs, `unordered` |";
  text += fences ? " Fence | Awaited |\n" : "\n";
  text += "|---|---|---|---|---|---|---|---|";
  text += fences ? "---|---|\n" : "\n";
  for (std::size_t i = 0; i < all_litmus().size(); ++i) {
    const litmus& each = all_litmus()[i];
    if (each.kind != kind) continue;
    std::string threads;
    for (const char letter : each.text)
      threads += letter == '|' ? "\\|\\|" : std::string(1, letter);
    text += "| " + each.name + " | `" + threads + "` | `" + each.outcome + "` | " +
            std::to_string(runs(ideal_of(counted.issued), i)) + " |" + cells(counted.issued, i) +
            cells(counted.unordered, i);
    if (fences) text += seen_text(counted.fenced, i) + seen_text(counted.awaited, i);
    text += "\n";
  }
  return text;
}

std::string designs_text() {
  std::string text;
  for (const std::string& machine : litmus_machines()) {
    if (machine == testing::ideal_memory) continue;
    text += (text.empty() ? "The designs: " : "; ") + machine;
  }
  return text + ".\n";
}

void expect_section(const std::string& name, const std::string& text) {
  const std::string page = std::string(TRIBUTARY_SOURCE_DIR) + "/docs/models/memory-order.md";
  EXPECT_EQ(documentation::section_in_file(page, name, text), text)
      << "section " << name
      << ": run the test with TRIBUTARY_UPDATE_PAGES=1 to write it, and read it";
}

TEST(litmus, the_page_shows_what_was_seen) {
  const page_tables counted{
      run(with(litmus_form::issued), page_seeds), run(unordered(), page_seeds),
      run(with(litmus_form::fenced), page_seeds), run(with(litmus_form::awaited), page_seeds)};
  expect_section("designs", designs_text());
  expect_section("across_words", outcome_table(litmus_kind::across_words, counted));
  expect_section("one_word", outcome_table(litmus_kind::one_word, counted));
  expect_section("atomic", outcome_table(litmus_kind::atomic, counted));
  expect_section("allowed", outcome_table(litmus_kind::allowed, counted));
}

}  // namespace
}  // namespace tributary
