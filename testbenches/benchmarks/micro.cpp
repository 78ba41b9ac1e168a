// SPDX-License-Identifier: Apache-2.0
#include "micro.h"

#include <cstddef>
#include <cstdint>

#include <benchmark/benchmark.h>

#include <tributary/memory/operation.h>
#include <tributary/memory/word_store.h>
#include <tributary/network/omega/combining_queue.h>
#include <tributary/network/omega/reverse_queue.h>
#include <tributary/network/omega/wait_buffer.h>
#include <tributary/sim/event_queue.h>
#include <tributary/sim/fiber.h>
#include <tributary/sim/random_stream.h>

namespace tributary::benchmarks {
namespace {

void apply_operation(benchmark::State& state) {
  word_function add = function_of(operation::fetch_add, 3);
  word_t x = 1;
  for (auto _ : state) {
    benchmark::DoNotOptimize(add);
    x = apply(add, x);
    benchmark::DoNotOptimize(x);
  }
}

void compose_operations(benchmark::State& state) {
  word_function first = function_of(operation::fetch_or, 3);
  word_function second = function_of(operation::fetch_xor, 5);
  for (auto _ : state) {
    benchmark::DoNotOptimize(first);
    benchmark::DoNotOptimize(second);
    benchmark::DoNotOptimize(compose(first, second));
  }
}

void draw_random_word(benchmark::State& state) {
  random_stream stream(1, 2, 3);
  for (auto _ : state) benchmark::DoNotOptimize(stream.next_u32());
}

void draw_below(benchmark::State& state) {
  random_stream stream(1, 2, 3);
  for (auto _ : state) benchmark::DoNotOptimize(stream.below(1000));
}

void schedule_and_pop(benchmark::State& state) {
  event_queue<std::uint32_t> events;
  for (cycle_t cycle = 1; cycle <= 1000; ++cycle) events.schedule(cycle, 0);
  cycle_t now = 0;
  std::uint32_t event = 0;
  for (auto _ : state) {
    ++now;
    benchmark::DoNotOptimize(events.pop_due(now, event));
    events.schedule(now + 1000, event);
  }
}

/// There and back again: two switches.
void resume_fiber(benchmark::State& state) {
  fiber_stacks stacks(1, 64 * 1024);
  fiber endless(stacks.stack(0), [](fiber& self) {
    for (;;) self.suspend();
  });
  for (auto _ : state) endless.resume();
}

packet request_for(std::uint64_t word, std::uint32_t sequence) {
  packet request;
  request.location = word;
  request.set_function(function_of(operation::fetch_add, 1));
  request.sequence = sequence;
  return request;
}

void insert_and_release(benchmark::State& state) {
  combining_queue queue(combining_queue_config{});
  partner_pool pool;
  std::uint32_t sequence = 0;
  for (auto _ : state) {
    queue.accept(0, request_for(sequence, sequence), {}, pool);
    ++sequence;
    benchmark::DoNotOptimize(queue.release(0));
  }
}

/// A request waits behind another; a third joins it, and both entries leave.
void combine_and_release(benchmark::State& state) {
  combining_queue queue(combining_queue_config{});
  partner_pool pool;
  for (auto _ : state) {
    queue.accept(0, request_for(1, 0), {}, pool);
    queue.accept(0, request_for(2, 1), {}, pool);
    queue.accept(0, request_for(2, 2), {}, pool);
    benchmark::DoNotOptimize(queue.release(0));
    const combining_queue::released pair = queue.release(0);
    pool.release(pair.partner);
  }
}

void reverse_accept_and_release(benchmark::State& state) {
  reverse_queue queue(16);
  std::uint32_t sequence = 0;
  for (auto _ : state) {
    queue.accept(0, {1, sequence++, 0});
    benchmark::DoNotOptimize(queue.release(0));
  }
}

/// The oldest entry of a buffer that holds `state.range(0)`.
void wait_buffer_insert_and_take(benchmark::State& state) {
  const auto entries = static_cast<std::uint32_t>(state.range(0));
  wait_buffer buffer(entries + 1);
  partner_pool pool;
  std::uint32_t newest = 0;
  const auto insert = [&] {
    buffer.insert(0, pool.acquire({{newest, 0}, {newest, 1}, {form::add, 1, 0}}), pool);
    ++newest;
  };
  for (std::uint32_t i = 0; i < entries; ++i) insert();
  for (auto _ : state) {
    insert();
    pool.release(buffer.take(0, {newest - entries - 1, 0}, pool));
  }
}

void read_word(benchmark::State& state) {
  word_store words;
  for (std::uint64_t location = 0; location < 1000; ++location) words.write(location, location);
  std::uint64_t location = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(words.read(location));
    location = (location + 7) % 1000;
  }
}

}  // namespace

void register_micro_benchmarks(unsigned repetitions) {
  const auto add = [&](const char* name, void (*body)(benchmark::State&)) {
    return benchmark::RegisterBenchmark(name, body)
        ->Repetitions(static_cast<int>(repetitions))
        ->MinTime(0.05)
        ->ReportAggregatesOnly(false);
  };
  add("apply an operation", apply_operation);
  add("compose two operations", compose_operations);
  add("random 32-bit word", draw_random_word);
  add("random number below n", draw_below);
  add("event queue of 1,000: pop, schedule", schedule_and_pop);
  add("fiber: resume, suspend", resume_fiber);
  add("combining queue: insert, release", insert_and_release);
  add("combining queue: insert 2, combine 1, release", combine_and_release);
  add("reverse queue: accept, release", reverse_accept_and_release);
  add("wait buffer, 1 waiting: insert, take", wait_buffer_insert_and_take)->Arg(1);
  add("wait buffer, 100 waiting: insert, take", wait_buffer_insert_and_take)->Arg(100);
  add("memory word: read", read_word);
}

}  // namespace tributary::benchmarks
