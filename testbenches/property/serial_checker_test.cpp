// SPDX-License-Identifier: Apache-2.0
// The checker is checked: histories and machines are damaged, and each damage must be noticed. A
// checker that cannot notice one deleted decombining is no checker.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <tributary/sim/error.h>

#include "support/observed_machine.h"

namespace tributary {
namespace {

using testing::find_repeated_reply;
using testing::find_violation;
using testing::history;
using testing::observed_machine;

ultracomputer_config hot_machine(operation what) {
  ultracomputer_config config;
  config.network.processing_elements = 16;
  config.network.switches.type = queue_type::a;
  config.network.switches.coupled = true;
  config.processor.start_window = 1;
  config.processor.turnaround = 1;
  config.workload.traffic.hot_spot = 1;
  config.workload.traffic.operations = {{what, 1}};
  return config;
}

history good_history(operation what = operation::fetch_add) {
  observed_machine observed(hot_machine(what), 3);
  observed.run(2000, 100000);
  observed.machine().drain();
  return observed.finish();
}

std::size_t position_of(const history& seen, const request_id& id) {
  const auto at = std::find_if(seen.requests.begin(), seen.requests.end(),
                               [&](const auto& each) { return each.id == id; });
  return static_cast<std::size_t>(at - seen.requests.begin());
}

TEST(serial_checker, accepts_what_a_sound_machine_did) {
  EXPECT_EQ(find_violation(good_history()), "");
  EXPECT_EQ(find_repeated_reply(good_history().requests), "");
  EXPECT_EQ(find_violation(good_history(operation::swap)), "");
}

TEST(serial_checker, notices_each_altered_reply) {
  history seen = good_history();
  for (std::size_t i = 0; i < seen.requests.size(); i += 97) {
    seen.requests[i].value ^= 1;
    EXPECT_NE(find_violation(seen).find("was answered with"), std::string::npos) << i;
    seen.requests[i].value ^= 1;
  }
}

TEST(serial_checker, notices_a_dropped_and_a_duplicated_reply) {
  history seen = good_history();
  seen.requests[40].answers = 0;
  EXPECT_NE(find_violation(seen).find("answered 0 times"), std::string::npos);
  EXPECT_NE(find_repeated_reply(seen.requests).find("answered 0 times"), std::string::npos);
  seen.requests[40].answers = 2;
  EXPECT_NE(find_violation(seen).find("answered 2 times"), std::string::npos);
}

TEST(serial_checker, notices_two_swapped_places_in_the_order) {
  history seen = good_history();
  for (std::size_t i = 0; i + 1 < seen.order.size(); i += 101) {
    std::swap(seen.order[i], seen.order[i + 1]);
    EXPECT_NE(find_violation(seen), "") << i;
    std::swap(seen.order[i], seen.order[i + 1]);
  }
}

TEST(serial_checker, notices_two_replies_exchanged) {
  history seen = good_history();
  std::swap(seen.requests[70].value, seen.requests[71].value);
  EXPECT_NE(find_violation(seen), "");
  EXPECT_EQ(find_repeated_reply(seen.requests), "") << "distinct all the same";
}

TEST(serial_checker, notices_an_order_that_is_no_permutation) {
  history seen = good_history();
  seen.order.pop_back();
  EXPECT_NE(find_violation(seen).find("is not in the order"), std::string::npos);
  seen.order.push_back(seen.order.front());
  EXPECT_NE(find_violation(seen).find("in the order twice"), std::string::npos);
  seen.order.back() = {0, 999};
  EXPECT_NE(find_violation(seen).find("never accepted"), std::string::npos);
}

TEST(serial_checker, notices_wrong_final_memory) {
  history seen = good_history();
  ASSERT_FALSE(seen.final_memory.empty());
  ++seen.final_memory[0].second;
  EXPECT_NE(find_violation(seen).find("final memory"), std::string::npos);
  --seen.final_memory[0].second;
  seen.final_memory.emplace_back(seen.final_memory[0].first + 8, 5);
  EXPECT_NE(find_violation(seen).find("final memory"), std::string::npos) << "a word too many";
  seen.final_memory.clear();
  EXPECT_NE(find_violation(seen).find("final memory"), std::string::npos) << "a word lost";
}

/// Loads all see 0, so only times can contradict their order.
TEST(serial_checker, notices_an_order_against_real_time) {
  history seen = good_history(operation::load);
  EXPECT_EQ(find_violation(seen), "");
  std::rotate(seen.order.begin(), seen.order.end() - 1, seen.order.end());
  EXPECT_NE(find_violation(seen).find("was delivered before"), std::string::npos);
}

TEST(serial_checker, real_time_compares_delivery_with_acceptance) {
  history seen;
  seen.requests.resize(2);
  seen.requests[0] = {{0, 0}, 8, {form::identity, 0, 0}, 10, 20, 0, 1};
  seen.requests[1] = {{0, 1}, 8, {form::identity, 0, 0}, 20, 30, 0, 1};
  seen.order = {{0, 1}, {0, 0}};
  EXPECT_EQ(find_violation(seen), "") << "accepted in the cycle of the other's delivery: parallel";
  seen.requests[1].accepted = 21;
  EXPECT_NE(find_violation(seen), "");
}

TEST(serial_checker, notices_program_order_where_it_is_promised) {
  history seen;
  seen.requests.resize(2);
  seen.requests[0] = {{0, 0}, 8, {form::identity, 0, 0}, 10, 40, 0, 1};
  seen.requests[1] = {{1, 0}, 8, {form::identity, 0, 0}, 12, 30, 0, 1};
  seen.order = {{1, 0}, {0, 0}};
  EXPECT_EQ(find_violation(seen), "");
  seen.keeps_program_order = true;
  EXPECT_NE(find_violation(seen).find("later request"), std::string::npos);
}

/// Two processors store to a word each and load the other's, which neither has found stored to.
history store_buffering(std::uint32_t fences) {
  history seen;
  seen.requests = {{{0, 0}, 8, {form::constant, 1, 0}, 10, 20, 0, 1, 0},
                   {{1, 0}, 16, {form::identity, 0, 0}, 30, 40, 0, 1, fences},
                   {{0, 1}, 16, {form::constant, 1, 0}, 10, 20, 0, 1, 0},
                   {{1, 1}, 8, {form::identity, 0, 0}, 30, 40, 0, 1, fences}};
  seen.order = {{1, 1}, {0, 0}, {1, 0}, {0, 1}};
  seen.final_memory = {{8, 1}, {16, 1}};
  seen.loads_may_be_late = true;
  return seen;
}

TEST(serial_checker, notices_words_whose_orders_do_not_agree_with_fences) {
  EXPECT_EQ(find_violation(store_buffering(0)), "");
  const std::string breach = find_violation(store_buffering(1));
  EXPECT_NE(breach.find("no order of all words agrees with the fences"), std::string::npos)
      << breach;
  history seen = store_buffering(1);
  seen.requests[3].fences = 0;
  EXPECT_EQ(find_violation(seen), "") << "one of the two has no fence";
  seen.requests[3].fences = 7;
  EXPECT_NE(find_violation(seen), "") << "seven fences are as good as one";
}

TEST(serial_checker, loads_are_late_only_where_they_may_be) {
  history seen = store_buffering(0);
  seen.loads_may_be_late = false;
  EXPECT_NE(find_violation(seen).find("was delivered before"), std::string::npos);
  seen = store_buffering(0);
  std::swap(seen.order[0], seen.order[1]);
  seen.requests[3].value = 1;
  seen.requests[3].delivered = 9;
  seen.requests[3].accepted = 5;
  EXPECT_NE(find_violation(seen).find("was delivered before"), std::string::npos)
      << "no load finds what is not stored yet";
}

TEST(serial_checker, notices_equal_replies_of_fetch_and_adds) {
  history seen = good_history();
  seen.requests[10].value = seen.requests[500].value;
  EXPECT_NE(find_repeated_reply(seen.requests).find("both answered"), std::string::npos);
}

/// A partner that waits in the wait buffer of a port of the machine.
struct waiting_partner {
  std::size_t stage;
  std::size_t port;
  partner record;
};

std::optional<waiting_partner> find_waiting(const omega_network& network) {
  for (std::size_t stage = 0; stage < network.stages(); ++stage) {
    const wait_buffer& buffers = network.column(stage).wait_buffers();
    for (std::size_t port = 0; port < buffers.count(); ++port) {
      if (buffers.empty(port)) continue;
      return waiting_partner{stage, port, buffers.contents(port, network.partners()).front()};
    }
  }
  return std::nullopt;
}

/// Restores a network but for one partner: as an archive that is told the state's parts.
class damaging_archive {
 public:
  using is_loading = std::false_type;

  explicit damaging_archive(const waiting_partner& victim) : victim_(victim) {}

  template <class... Parts>
  void operator()(Parts&... parts) {
    (visit(parts), ...);
  }
  /// Takes the partner out of its wait buffer.
  partner_index take() { return buffers().take(victim_.port, victim_.record.first, *partners_); }
  /// Puts it back with another operand.
  void put_back_wrong(partner_index at) {
    partner wrong = (*partners_)[at];
    wrong.kept.a += 1;
    partners_->release(at);
    buffers().insert(victim_.port, partners_->acquire(wrong), *partners_);
  }

 private:
  void visit(switch_column& column) { columns_.push_back(&column); }
  void visit(partner_pool& partners) { partners_ = &partners; }
  // A switch shows its parts for reading only.
  wait_buffer& buffers() {
    return const_cast<wait_buffer&>(columns_[victim_.stage]->wait_buffers());
  }

  const waiting_partner& victim_;
  std::vector<switch_column*> columns_;
  partner_pool* partners_ = nullptr;
};

waiting_partner run_until_combined(observed_machine& observed, std::uint64_t requests) {
  observed.run(requests, 100000);
  for (;;) {
    if (const auto found = find_waiting(observed.machine().network())) return *found;
    observed.machine().step();
  }
}

/// Lets every other request end, though the machine can never be idle again.
void run_out(ultracomputer& machine) { EXPECT_THROW(machine.drain({}, 2000), simulation_error); }

TEST(serial_checker, notices_one_deleted_decombining) {
  for (const std::uint64_t when : {50U, 500U, 1500U}) {
    observed_machine observed(hot_machine(operation::fetch_add), 5);
    const waiting_partner victim = run_until_combined(observed, when);
    damaging_archive damage(victim);
    observed.machine().network().serialize(damage);
    ASSERT_NE(damage.take(), no_partner);
    run_out(observed.machine());
    const std::string breach = find_violation(observed.finish());
    EXPECT_NE(breach.find("answered 0 times"), std::string::npos) << breach;
    EXPECT_NE(breach.find(to_string(victim.record.second)), std::string::npos)
        << "blames another: " << breach;
  }
}

TEST(serial_checker, notices_a_decombining_that_answers_wrongly) {
  observed_machine observed(hot_machine(operation::fetch_add), 5);
  const waiting_partner victim = run_until_combined(observed, 300);
  damaging_archive damage(victim);
  observed.machine().network().serialize(damage);
  const partner_index at = damage.take();
  ASSERT_NE(at, no_partner);
  damage.put_back_wrong(at);
  observed.machine().drain();
  const history& seen = observed.finish();
  const std::string breach = find_violation(seen);
  EXPECT_NE(breach.find("was answered with"), std::string::npos) << breach;
  EXPECT_LT(position_of(seen, victim.record.second), seen.requests.size());
}

TEST(serial_checker, notices_a_word_changed_behind_the_requests) {
  observed_machine observed(hot_machine(operation::fetch_add), 5);
  observed.run(500, 100000);
  word_store& words = observed.machine().memories().words();
  const std::uint64_t location = location_of(mm_id{0}, 0);
  words.write(location, words.read(location) + 1);
  observed.machine().drain();
  EXPECT_NE(find_violation(observed.finish()).find("was answered with"), std::string::npos);
}

}  // namespace
}  // namespace tributary
