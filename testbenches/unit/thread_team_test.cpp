// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <tributary/sim/thread_team.h>

namespace tributary {
namespace {

TEST(thread_team, does_each_part_once_in_every_round) {
  for (const std::size_t size : {1U, 2U, 3U, 8U}) {
    thread_team team(size);
    ASSERT_EQ(team.size(), size);
    std::vector<int> done(size);
    for (int round = 1; round <= 2000; ++round) {
      team.run([&](std::size_t part) { ++done[part]; });
      // What all parts did is seen here, and no part is ahead.
      for (const int each : done) ASSERT_EQ(each, round);
    }
  }
}

TEST(thread_team, gives_each_part_a_thread_of_its_own) {
  thread_team team(3);
  std::vector<std::thread::id> first(3);
  team.run([&](std::size_t part) { first[part] = std::this_thread::get_id(); });
  EXPECT_EQ(first[0], std::this_thread::get_id());
  EXPECT_NE(first[1], first[0]);
  EXPECT_NE(first[2], first[1]);
  team.run([&](std::size_t part) { EXPECT_EQ(std::this_thread::get_id(), first[part]); });
}

TEST(thread_team, goes_on_after_a_pause_in_which_threads_fall_asleep) {
  thread_team team(2);
  for (int round = 1; round <= 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::vector<int> done(2);
    team.run([&](std::size_t part) { ++done[part]; });
    EXPECT_EQ(done, std::vector<int>(2, 1));
  }
}

TEST(thread_team, throws_what_the_first_part_threw_and_goes_on) {
  thread_team team(3);
  const auto fail = [](std::size_t part) {
    if (part != 0) throw std::runtime_error("part " + std::to_string(part));
  };
  for (int round = 0; round < 20; ++round) {
    try {
      team.run(fail);
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& problem) {
      EXPECT_EQ(std::string(problem.what()), "part 1");
    }
    int done = 0;
    team.run([&](std::size_t part) {
      if (part == 0) ++done;
    });
    EXPECT_EQ(done, 1);
  }
}

}  // namespace
}  // namespace tributary
