// SPDX-License-Identifier: Apache-2.0
// What goal G10 times does the work that it is said to do.
#include "socket_parts.h"

#include <gtest/gtest.h>

#include <ultracomputer/ultracomputer.h>

#include "opponents.h"

namespace tributary::benchmarks {
namespace {

template <class Machine>
void expect_what_the_loop_does(std::uint32_t elements) {
  SCOPED_TRACE(elements);
  const bench_case chosen = uniform_case(elements);
  ultracomputer loop(chosen.machine, 1);
  Machine sockets(chosen.machine, 1);
  loop.step(2000);
  sockets.step(2001);  // what initiators begin at an edge is seen at the next
  EXPECT_GT(sockets.completed(), 0U);
  EXPECT_EQ(sockets.completed(), sockets.interfaces().latency().count());
  EXPECT_EQ(sockets.interfaces().latency(), loop.interfaces().latency());
  for (unsigned stage = 0; stage < loop.network().stages(); ++stage) {
    EXPECT_EQ(sockets.network().column(stage).counters().departed,
              loop.network().column(stage).counters().departed);
  }
}

TEST(processor_socket_machine, does_what_the_loop_does) {
  expect_what_the_loop_does<processor_socket_machine>(2);
  expect_what_the_loop_does<processor_socket_machine>(64);
}

TEST(bare_pairs, do_as_many_transactions_as_they_are_told) {
  bare_pairs pairs(3);
  pairs.run(10);
  pairs.run(5);
  EXPECT_EQ(pairs.completed(), 45U);
}

TEST(blocking_machine, reads_with_and_without_a_network) {
  const ultracomputer_config config = uniform_case(16).machine;
  for (const bool through_network : {false, true}) {
    for (const unsigned length : {8U, 4096U}) {
      blocking_machine machine(config, through_network, length);
      EXPECT_NO_THROW(machine.read(100));
      EXPECT_NO_THROW(machine.read(100));
    }
  }
}

}  // namespace
}  // namespace tributary::benchmarks
