// SPDX-License-Identifier: Apache-2.0
// Units of a node, and what a list of them does.
#include <tributary/sim/block.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include <tributary/sim/checkpoint.h>
#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>

#include "support/text_checks.h"

namespace tributary {
namespace {

using testing::begins_with;
using testing::contains;
using testing::message_of;

/// Counts; idle at a multiple of ten.
class tally final : public block {
 public:
  explicit tally(const char* name) : name_(name) {}

  const char* name() const override { return name_; }
  bool idle() const override { return count % 10 == 0; }
  void reset_statistics() override { seen.reset(); }
  void report(statistics_group& into, std::uint64_t cycles) const override {
    into.add("seen", seen, "", "What it saw.");
    into.add("cycles", cycles, "cycles", "What it was told.");
  }
  std::string save() const override { return save_state(count, seen); }
  void restore(const std::string& state) override { restore_state(state, count, seen); }

  std::uint64_t count = 0;
  counter seen;

 private:
  const char* name_;
};

/// The problem with restoring a state, or nothing.
std::string refusal(block_list& blocks, const std::string& state) {
  return message_of<input_error>([&] { blocks.restore(state); });
}

TEST(block_list, is_idle_when_all_are) {
  tally a("a");
  tally b("b");
  const block_list blocks({&a, &b});
  EXPECT_TRUE(blocks.idle());
  b.count = 7;
  EXPECT_FALSE(blocks.idle());
  b.count = 20;
  EXPECT_TRUE(blocks.idle());
}

TEST(block_list, reports_each_block_under_its_name_in_order) {
  tally a("a");
  tally b("b");
  block_list blocks({&b, &a});
  a.seen.add(3);
  b.seen.add(5);
  statistics_tree tree;
  blocks.report(tree.root(), 12);
  const auto flat = tree.flatten();
  ASSERT_EQ(flat.size(), 4U);
  EXPECT_EQ(flat[0].path, "b.seen");
  EXPECT_EQ(flat[0].value, 5);
  EXPECT_EQ(flat[2].path, "a.seen");
  EXPECT_EQ(flat[2].value, 3);
  EXPECT_EQ(flat[3].value, 12);
  blocks.reset_statistics();
  EXPECT_EQ(a.seen.value() + b.seen.value(), 0U);
}

TEST(block_list, restores_what_it_saved) {
  tally a("a");
  tally b("b");
  a.count = 4;
  b.count = 9;
  b.seen.add(2);
  const std::string state = block_list({&a, &b}).save();
  tally c("a");
  tally d("b");
  block_list others({&c, &d});
  others.restore(state);
  EXPECT_EQ(c.count, 4U);
  EXPECT_EQ(d.count, 9U);
  EXPECT_EQ(d.seen.value(), 2U);
  EXPECT_EQ(others.save(), state);
}

TEST(block_list, refuses_a_state_of_other_blocks) {
  tally a("a");
  tally b("b");
  tally c("c");
  const std::string state = block_list({&a, &b}).save();
  block_list renamed({&a, &c});
  EXPECT_TRUE(contains(refusal(renamed, state), "other blocks"));
  block_list turned({&b, &a});
  EXPECT_TRUE(contains(refusal(turned, state), "other blocks"));
  block_list longer({&a, &b, &c});
  EXPECT_TRUE(contains(refusal(longer, state), "other blocks"));
  block_list same({&a, &b});
  EXPECT_NE(refusal(same, state.substr(0, state.size() - 1)), "");
  EXPECT_EQ(refusal(same, state), "");
}

TEST(block_list, names_the_block_whose_state_does_not_fit) {
  class short_tally final : public block {
   public:
    const char* name() const override { return "b"; }
    void reset_statistics() override {}
    void report(statistics_group&, std::uint64_t) const override {}
    std::string save() const override { return save_state(std::uint8_t{1}); }
    void restore(const std::string&) override {}
  };
  tally a("a");
  tally b("b");
  short_tally other;
  const std::string state = block_list({&a, &other}).save();
  block_list blocks({&a, &b});
  EXPECT_TRUE(begins_with(refusal(blocks, state), "b: "));
}

TEST(block_list, refuses_two_of_one_name) {
  tally a("a");
  tally b("a");
  EXPECT_THROW(block_list({&a, &b}), error);
}

/// Why a checkpoint is refused, or what state it has.
std::string opened(const std::string& layout, const std::string& parameters, std::uint64_t seed,
                   const std::string& sealed) {
  try {
    return open_checkpoint(layout, parameters, seed, sealed);
  } catch (const input_error& problem) {
    return problem.what();
  }
}

TEST(checkpoint_seal, opens_for_the_same_machine_and_says_what_differs) {
  const std::string sealed = seal_checkpoint("machine/1", "{\"nodes\": 2}", 7, "the state");
  EXPECT_EQ(opened("machine/1", "{\"nodes\": 2}", 7, sealed), "the state");
  EXPECT_TRUE(contains(opened("machine/2", "{\"nodes\": 2}", 7, sealed), "layout"));
  EXPECT_TRUE(contains(opened("machine/1", "{\"nodes\": 3}", 7, sealed), "configuration"));
  EXPECT_TRUE(contains(opened("machine/1", "{\"nodes\": 2}", 8, sealed), "seed 7"));
  std::string damaged = sealed;
  damaged.back() = 'x';
  EXPECT_TRUE(contains(opened("machine/1", "{\"nodes\": 2}", 7, damaged), "damaged"));
  for (std::size_t length = 0; length < sealed.size(); ++length) {
    EXPECT_NE(opened("machine/1", "{\"nodes\": 2}", 7, sealed.substr(0, length)), "the state");
  }
}

}  // namespace
}  // namespace tributary
