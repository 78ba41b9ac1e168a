// SPDX-License-Identifier: Apache-2.0
// Copies on coherent nodes: by loads and stores, with prefetches, and by the block transfer.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <tributary/algorithms/bcopy.h>
#include <tributary/algorithms/fbcopy.h>

#include <support/coherent_transfers.h>
#include <support/failure.h>
#include <support/node_jobs.h>

namespace tributary {
namespace {

using testing::coherent_transfers;
using testing::coherent_transfers_config;
using testing::failure;
using testing::node_jobs;

constexpr std::uint64_t page = 4096;
constexpr std::uint64_t source = 0x4000;
constexpr std::uint64_t destination = 0x8000;

/// Three nodes: 0 copies from its memory to that of 1.
struct bench {
  explicit bench(consistency_kind order) : m(config_of(order)), jobs(m.nodes()) {
    m.fill_memory(0, source, page);
  }
  static coherent_transfers_config config_of(consistency_kind order) {
    coherent_transfers_config config(3);
    config.coherence.consistency = order;
    return config;
  }
  std::uint64_t from() const { return m.address(0, source); }
  std::uint64_t to() const { return m.address(1, destination); }
  word_t newest(std::uint64_t address) const { return m.machine.newest(address); }
  std::vector<word_t> words(std::uint32_t node, std::uint64_t offset) const {
    return m.newest_words(node, offset, page);
  }
  double copy(const std::function<void(program_context&)>& how) { return jobs.run(0, how); }

  coherent_transfers m;
  node_jobs jobs;
};

class copies : public ::testing::TestWithParam<consistency_kind> {};

INSTANTIATE_TEST_SUITE_P(both, copies,
                         ::testing::Values(consistency_kind::relaxed,
                                           consistency_kind::sequential));

/// Every second line of the source is dirty on node 2, every third of the destination on node 1 or
/// shared by 2.
void scatter(bench& b) {
  b.jobs.run(2, [&](program_context& c) {
    for (std::uint64_t at = 0; at < page; at += 256) c.store(b.from() + at, at + 5);
    for (std::uint64_t at = 128; at < page; at += 384) c.load(b.to() + at);
  });
  b.jobs.run(1, [&](program_context& c) {
    for (std::uint64_t at = 0; at < page; at += 384) c.store(b.to() + at, at + 7);
  });
}

TEST_P(copies, have_the_words_of_the_source) {
  const copy_loop loop;
  const std::vector<std::pair<const char*, std::function<void(program_context&, bench&)>>> ways{
      {"bcopy", [&](program_context& c, bench& b) { bcopy(c, loop, b.from(), b.to(), page); }},
      {"prefetched_bcopy",
       [&](program_context& c, bench& b) {
         prefetched_bcopy(c, loop, line_size(), b.from(), b.to(), page);
       }},
      {"fbcopy", [](program_context& c, bench& b) {
         program_port port(c);
         const std::uint64_t flag = b.m.address(0, coherent_transfers::flag_offset);
         c.store(flag, 41);
         const fbcopy_outcome outcome =
             fbcopy(port, physical_mapping(b.m.nodes().config().node.addresses, node_id{0}),
                    b.from(), b.to(), page, flag);
         EXPECT_EQ(outcome.result, block_transfer_result::accepted);
         fbcopy_wait(port, flag, 42);
       }}};
  for (const auto& [name, way] : ways) {
    SCOPED_TRACE(name);
    bench b(GetParam());
    scatter(b);
    const std::vector<word_t> wanted = b.words(0, source);
    EXPECT_EQ(wanted[32], 261U) << "node 2 has changed it";
    const auto& copies_words = way;  // C++17 captures no structured binding
    b.copy([&](program_context& c) { copies_words(c, b); });
    EXPECT_EQ(b.words(1, destination), wanted);
    EXPECT_EQ(b.words(0, source), wanted);
    EXPECT_EQ(b.m.left(), "");
  }
}

TEST_P(copies, of_edges_by_the_processor_and_of_lines_by_the_controller) {
  bench b(GetParam());
  scatter(b);
  const std::uint64_t length = page - 200;
  std::vector<word_t> wanted = b.words(1, destination);
  const std::vector<word_t> words = b.words(0, source);
  for (std::size_t i = 0; i < length / word_bytes; ++i) wanted[i + 5] = words[i + 5];
  b.copy([&](program_context& c) {
    program_port port(c);
    const std::uint64_t flag = b.m.address(0, coherent_transfers::flag_offset);
    fbcopy(port, physical_mapping(b.m.nodes().config().node.addresses, node_id{0}), b.from() + 40,
           b.to() + 40, length, flag);
    fbcopy_wait(port, flag, 1);
  });
  EXPECT_EQ(b.words(1, destination), wanted);
}

TEST(bcopy, prefetches_shorten_a_copy) {
  const copy_loop loop;
  bench plain(consistency_kind::relaxed);
  const double cycles =
      plain.copy([&](program_context& c) { bcopy(c, loop, plain.from(), plain.to(), page); });
  bench prefetched(consistency_kind::relaxed);
  const double fewer = prefetched.copy([&](program_context& c) {
    prefetched_bcopy(c, loop, line_size(), prefetched.from(), prefetched.to(), page);
  });
  EXPECT_LT(fewer, cycles / 2);
}

/// Lines of a node's processor that were asked for by prefetches, and all that were asked for.
std::pair<double, double> asked_lines(bench& b) {
  statistics_tree tree;
  b.m.nodes().report(tree.root());
  double all = 0;
  for (const char* want : {"shared", "exclusive", "upgrade"}) {
    all += tree.find(std::string("node.0.cache.misses.") + want);
  }
  return {tree.find("node.0.cache.prefetches"), all};
}

TEST(bcopy, every_line_is_prefetched_once_wherever_buffers_begin) {
  for (const std::uint64_t from : {0U, 40U, 120U}) {
    for (const std::uint64_t to : {0U, 8U, 120U}) {
      for (const std::uint64_t length : {8U, 128U, 136U, 1000U}) {
        SCOPED_TRACE(std::to_string(from) + ", " + std::to_string(to) + ", " +
                     std::to_string(length));
        bench b(consistency_kind::relaxed);
        b.m.nodes().reset_statistics();
        b.copy([&](program_context& c) {
          prefetched_bcopy(c, copy_loop(), line_size(), b.from() + from, b.to() + to, length);
        });
        for (std::uint64_t at = 0; at < length; at += word_bytes) {
          ASSERT_EQ(b.newest(b.to() + to + at), b.newest(b.from() + from + at)) << "byte " << at;
        }
        const auto lines = [length](std::uint64_t start) {
          return static_cast<double>((start + length - 1) / 128 + 1);
        };
        const auto [prefetched, all] = asked_lines(b);
        EXPECT_EQ(prefetched, lines(from) + lines(to));
        EXPECT_EQ(all, prefetched) << "no load or store finds its line neither there nor asked for";
      }
    }
  }
}

TEST(bcopy, a_read_spends_half_of_the_loops_cycles) {
  const auto cycles = [](std::uint32_t a_word) {
    copy_loop loop;
    loop.doubleword_cycles = a_word;
    bench b(consistency_kind::relaxed);
    const auto read = [&](program_context& c) { read_buffer(c, loop, b.from(), page); };
    b.copy(read);
    return b.copy(read);
  };
  // All in the caches: 512 doublewords, 4 cycles of the processor in one of the node.
  EXPECT_DOUBLE_EQ(cycles(12) - cycles(10), 512 * 1 / 4.0);
  EXPECT_DOUBLE_EQ(cycles(11) - cycles(10), 256 * 1 / 4.0) << "half a cycle is not lost";
}

TEST(bcopy, the_loop_costs_its_cycles) {
  const auto cycles = [](std::uint32_t a_word) {
    copy_loop loop;
    loop.doubleword_cycles = a_word;
    bench b(consistency_kind::relaxed);
    const auto copy = [&](program_context& c) { bcopy(c, loop, b.from(), b.to(), page); };
    b.copy(copy);
    return b.copy(copy);
  };
  // All in the caches: 512 doublewords, 4 cycles of the processor in one of the node.
  EXPECT_DOUBLE_EQ(cycles(14) - cycles(10), 512);
}

TEST(bcopy, only_doublewords_are_copied) {
  bench b(consistency_kind::relaxed);
  const std::string problem = failure([&] {
    b.copy([&](program_context& c) { bcopy(c, copy_loop(), b.from() + 4, b.to(), page); });
  });
  EXPECT_NE(problem.find("multiples of 8"), std::string::npos) << problem;
}

/// MAGIC must find what the processor's stores before its commands have left in other caches.
TEST_P(copies, commands_come_behind_the_programs_stores) {
  bench b(GetParam());
  b.jobs.run(2, [&](program_context& c) {
    for (std::uint64_t at = 0; at < page; at += 128) c.load(b.from() + at);
  });
  b.copy([&](program_context& c) {
    for (std::uint64_t at = 0; at < page; at += word_bytes) c.store(b.from() + at, at + 3);
    program_port port(c);
    const std::uint64_t flag = b.m.address(0, coherent_transfers::flag_offset);
    fbcopy(port, physical_mapping(b.m.nodes().config().node.addresses, node_id{0}), b.from(),
           b.to(), page, flag);
    fbcopy_wait(port, flag, 1);
  });
  for (std::uint64_t at = 0; at < page; at += word_bytes) EXPECT_EQ(b.newest(b.to() + at), at + 3);
}

}  // namespace
}  // namespace tributary
