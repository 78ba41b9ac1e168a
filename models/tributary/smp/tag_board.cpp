// SPDX-License-Identifier: Apache-2.0
#include <tributary/smp/tag_board.h>

#include <optional>
#include <utility>

namespace tributary {
namespace {

/// It holds a block that is read while another one is written.
constexpr std::uint64_t blocks_held = 2;

cache_config small_cache(const cache_config& processors, line_size block) {
  cache_config config = processors;
  config.levels = {processors.last()};
  config.prefetches_wait = true;  // what is claimed must come
  config.levels[0].bytes = blocks_held * block.bytes() * config.levels[0].ways;
  return config;
}

/// How much a tag allows: nothing, to read, to write.
int rights(block_tag tag) {
  if (tag == block_tag::invalid) return 0;
  return tag == block_tag::read_only ? 1 : 2;
}

}  // namespace

tag_board::tag_board(const access_tags& tags, const cache_config& caches, agenda& time,
                     snooping_bus& bus, std::uint32_t number, word_memory& memory, std::uint64_t at)
    : tags_(tags),
      processors_(number - 1),
      memory_(memory),
      at_(at),
      line_(bus.config().line()),
      mover_(small_cache(caches, tags.line()), time, bus, number, "board") {
  mover_.set_client(*this);
}

/// It asks for all lines of the block before it waits for the first one.
void tag_board::move(const processor_steps& steps, cycle_t now) {
  processor_steps all;
  for (const processor_step& each : steps) {
    if (line_.offset(each.at) != 0) continue;
    const bool stores = each.does == processor_step::action::store;
    all.push_back(stores ? processor_step::claim(each.at) : processor_step::prefetch(each.at));
  }
  all.insert(all.end(), steps.begin(), steps.end());
  mover_.run(std::move(all), 0, now);
}

void tag_board::steps_done(std::uint32_t /*processor*/, std::uint64_t /*tag*/,
                           const std::vector<word_t>& found, cycle_t now) {
  client_->board_done(found, now);
}

device_answer tag_board::read(std::uint64_t address, cycle_t /*now*/) {
  return device_answer::word(memory_.read(address - at_));
}

bool tag_board::write(std::uint64_t address, word_t value, cycle_t now) {
  const std::uint64_t offset = address - at_;
  const word_t before = memory_.read(offset);
  memory_.write(offset, value);
  processor_steps steps;
  if (const std::optional<std::uint64_t> block = tags_.block_of_tag(offset)) {
    steps = purge(*block, static_cast<block_tag>(before), static_cast<block_tag>(value));
  }
  mover_.run(std::move(steps), 0, now);
  return true;
}

processor_steps tag_board::purge(std::uint64_t block, block_tag before, block_tag after) const {
  processor_steps steps;
  if (rights(after) >= rights(before)) return steps;
  const std::uint64_t end = block + tags_.line().bytes();
  if (rights(after) == 0) {
    for (std::uint64_t at = block; at < end; at += line_.bytes()) {
      steps.push_back(processor_step::claim(at));
    }
  }
  for (std::uint64_t at = block; at < end; at += line_.bytes()) {
    steps.push_back(processor_step::load(at));
  }
  return steps;
}

watch_verdict tag_board::watch(const watched_transaction& seen, cycle_t now) {
  if (seen.master >= processors_) return watch_verdict::pass;
  const bool store = seen.kind != bus_transaction::read;
  if (tags_.allows(seen.line, store)) {
    // A store to a line that is exclusive would not come over the bus.
    return tags_.allows(seen.line, true) ? watch_verdict::pass : watch_verdict::pass_shared;
  }
  client_->forbidden(static_cast<std::uint32_t>(seen.master), seen.line, now);
  return watch_verdict::refuse;
}

}  // namespace tributary
