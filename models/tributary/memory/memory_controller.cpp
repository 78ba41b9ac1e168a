// SPDX-License-Identifier: Apache-2.0
#include <tributary/memory/memory_controller.h>

#include <algorithm>

#include <fmt/format.h>

#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/state_archive.h>
#include <tributary/trace/catalog.h>

namespace tributary {
namespace {

// Beyond this the bytes are kept sparsely, so that a machine of large memories fits the host.
constexpr std::uint64_t largest_flat = std::uint64_t{1} << 30;

// Of a line, however long.
constexpr std::uint32_t every_word = ~std::uint32_t{0};

}  // namespace

void memory_controller_config::bind(parameter_set& parameters) {
  using u32 = tributary::interval<std::uint32_t>;
  using u64 = tributary::interval<std::uint64_t>;
  parameters.add("bytes", bytes, u64{least_line_bytes, std::uint64_t{1} << 40}, "bytes",
                 "Size of a node's memory (not published).");
  parameters.add("line_bytes", line_bytes, u32{least_line_bytes, most_line_bytes}, "bytes",
                 "Line of the memory and of all that moves its lines, a power of two (FLASH 2.3.4: "
                 "128).");
  parameters.add("first_word", first_word, u32{1, 60000}, "cycles",
                 "From accepting an address to the first doubleword (FLASH 5.4.1: 14).");
  parameters.add("next_word", next_word, u32{1, 1000}, "cycles",
                 "From a doubleword of a line to the next (FLASH 5.4.1: 1).");
  parameters.add("overlap", overlap,
                 "The next address is accepted while the access before it transfers its words "
                 "(FLASH 5.4.1: yes), else after that.");
}

void memory_controller_config::validate() const {
  check_ranges(*this);
  if (!line_size::allows(line_bytes)) {
    throw configuration_error({"memory.line_bytes", "",
                               std::to_string(line_bytes) + " is not a power of two",
                               "32, 64, 128 or 256 bytes", "choose one of them"});
  }
  if (line().offset(bytes) != 0) {
    throw configuration_error({"memory.bytes", "", std::to_string(bytes) + " is not whole lines",
                               "a multiple of " + std::to_string(line_bytes),
                               "round it up to " + std::to_string(line().next_start(bytes))});
  }
}

memory_controller::memory_controller(const memory_controller_config& config, agenda& clockwork,
                                     node_id node)
    : config_((config.validate(), config)),
      line_(config.line()),
      agenda_(clockwork),
      node_(node),
      bytes_(config.bytes, config.bytes <= largest_flat) {
  agenda_.enroll(*this);
}

void memory_controller::refuse(const char* action, std::uint64_t offset,
                               const std::string& problem) const {
  throw simulation_error(fmt::format("node {}, cycle {}: memory: {} at offset {}{}", index(node_),
                                     agenda_.now(), action, offset, problem));
}

void memory_controller::check(const char* action, std::uint64_t offset) const {
  if (offset % word_bytes != 0) {
    refuse(action, offset, fmt::format(", which is not a multiple of {}", word_bytes));
  }
  if (offset >= config_.bytes) {
    refuse(action, offset, fmt::format(", beyond its {} bytes", config_.bytes));
  }
}

cycle_t memory_controller::earliest(const char* action, std::uint64_t offset, cycle_t now) const {
  if (now < agenda_.now()) {
    refuse(action, offset, fmt::format(" was asked for in cycle {}, which has passed", now));
  }
  return now + config_.first_word;
}

memory_transfer memory_controller::place_access(std::uint64_t offset, std::size_t words,
                                                cycle_t allowed) {
  // An address is accepted first_word before the first word moves, and not before the words of the
  // access before it begin to move, or have moved. So each access keeps the others' first words
  // away for a fixed time.
  const std::uint64_t moving = words * std::uint64_t{config_.next_word};
  const std::uint64_t held = config_.overlap ? std::max(moving, std::uint64_t{config_.first_word})
                                             : moving + config_.first_word;
  const cycle_t reachable = agenda_.now() + config_.first_word;
  slots_.erase(slots_.begin(), std::find_if(slots_.begin(), slots_.end(),
                                            [&](const slot& s) { return s.end > reachable; }));

  const std::uint64_t line = line_.start(offset);
  cycle_t begin = allowed;
  for (const slot& each : slots_) {
    if (each.line == line) begin = std::max(begin, each.end);
  }
  auto next = slots_.begin();
  for (; next != slots_.end() && begin + held > next->begin; ++next) {
    begin = std::max(begin, next->end);
  }
  slots_.insert(next, {begin, begin + held, line});

  waiting_.add(begin - allowed);
  busy_cycles_.add(moving);
  return {begin, begin + (words - 1) * config_.next_word};
}

memory_transfer memory_controller::read_line(std::uint64_t offset, cycle_t now, line_data& out) {
  constexpr const char* action = "a line is read";
  check(action, offset);
  const memory_transfer transfer =
      place_access(offset, line_.words(), earliest(action, offset, now));
  const std::uint64_t start = line_.start(offset);
  bytes_.read_words(start, line_.words(), out.data());
  for (const pending_write& each : writes_) {
    if (each.line != start) continue;
    for (std::size_t i = 0; i < line_.words(); ++i) {
      if ((each.mask >> i & 1U) != 0) out[i] = each.words[i];
    }
  }
  ++line_reads_;
  return transfer;
}

memory_transfer memory_controller::read_word(std::uint64_t offset, cycle_t now, word_t& out) {
  constexpr const char* action = "a doubleword is read";
  check(action, offset);
  const memory_transfer transfer = place_access(offset, 1, earliest(action, offset, now));
  out = bytes_.word(offset);
  const std::size_t i = line_.word(offset);
  for (const pending_write& each : writes_) {
    if (each.line == line_.start(offset) && (each.mask >> i & 1U) != 0) out = each.words[i];
  }
  ++word_reads_;
  return transfer;
}

memory_transfer memory_controller::write_line(std::uint64_t offset, cycle_t now,
                                              const line_data& words, const line_stamps& valid) {
  constexpr const char* action = "a line is written";
  check(action, offset);
  const cycle_t accepted = earliest(action, offset, now);
  cycle_t allowed = accepted;
  for (std::size_t i = 0; i < line_.words(); ++i) {
    if (valid[i] == never) {
      refuse(action, offset, fmt::format(", but nothing fills its doubleword {}", i));
    }
    const cycle_t moved = subblock_place(i, line_.word(offset)) * config_.next_word;
    if (valid[i] > moved) allowed = std::max(allowed, valid[i] - moved);
  }
  const memory_transfer transfer = place_access(offset, line_.words(), allowed);
  word_waiting_.add(allowed - accepted);
  land_later(line_.start(offset), every_word, words, transfer.last);
  ++line_writes_;
  return transfer;
}

memory_transfer memory_controller::write_word(std::uint64_t offset, cycle_t now, word_t value,
                                              cycle_t valid) {
  constexpr const char* action = "a doubleword is written";
  check(action, offset);
  if (valid == never) refuse(action, offset, ", but nothing fills it");
  const cycle_t accepted = earliest(action, offset, now);
  const cycle_t allowed = std::max(accepted, valid);
  const memory_transfer transfer = place_access(offset, 1, allowed);
  word_waiting_.add(allowed - accepted);
  line_data words{};
  words[line_.word(offset)] = value;
  land_later(line_.start(offset), 1U << line_.word(offset), words, transfer.last);
  ++word_writes_;
  return transfer;
}

void memory_controller::land_later(std::uint64_t line, std::uint32_t mask, const line_data& words,
                                   cycle_t at) {
  writes_.push_back({next_write_, line, mask, words});
  // First in the cycle, so that all who look in it see the same.
  agenda_.wake(*this, at, next_write_, wake_rank::credit);
  ++next_write_;
}

void memory_controller::wake(cycle_t /*now*/, std::uint64_t number) {
  const auto landed = std::find_if(writes_.begin(), writes_.end(),
                                   [&](const pending_write& w) { return w.number == number; });
  for (std::size_t i = 0; i < line_.words(); ++i) {
    if ((landed->mask >> i & 1U) != 0) {
      bytes_.set_word(landed->line + i * word_bytes, landed->words[i]);
    }
  }
  writes_.erase(landed);
}

word_t memory_controller::read(std::uint64_t address) const {
  check("a doubleword is looked at", address);
  return bytes_.word(address);
}

void memory_controller::write(std::uint64_t address, word_t value) {
  check("a doubleword is set", address);
  bytes_.set_word(address, value);
}

word_t memory_controller::newest(std::uint64_t offset) const {
  word_t word = read(offset);
  const std::size_t i = line_.word(offset);
  for (const pending_write& each : writes_) {
    if (each.line == line_.start(offset) && (each.mask >> i & 1U) != 0) word = each.words[i];
  }
  return word;
}

void memory_controller::replace(std::uint64_t offset, word_t value) {
  write(offset, value);
  for (pending_write& each : writes_) {
    if (each.line == line_.start(offset)) each.words[line_.word(offset)] = value;
  }
}

void memory_controller::reset_statistics() {
  reset_all(line_reads_, line_writes_, word_reads_, word_writes_, busy_cycles_, waiting_,
            word_waiting_);
}

void memory_controller::trace(const trace_scope& scope) { trace_ = scope.below(name()).add(); }

void memory_controller::report(statistics_group& group, std::uint64_t) const {
  group.add("line_reads", line_reads_, "lines", "Lines read.");
  group.add("line_writes", line_writes_, "lines", "Lines written.");
  group.add("word_reads", word_reads_, "doublewords", "Doublewords read one at a time.");
  group.add("word_writes", word_writes_, "doublewords", "Doublewords written one at a time.");
  group.add("busy", busy_cycles_, "cycles", "Cycles in which words move through the port.");
  group.add("waiting", waiting_, "cycles",
            "For an access: wait for the port, or for an earlier access to its line.");
  group.add("awaited_words", word_waiting_, "cycles",
            "For a write: wait for its words, beyond the time that the first takes anyway.");
}

std::string memory_controller::save() const {
  return save_state(bytes_.contents(), save_state(*this));
}

void memory_controller::restore(const std::string& state) {
  std::vector<std::pair<std::uint64_t, word_t>> contents;
  std::string others;
  restore_state(state, contents, others);
  bytes_.set_contents(contents);
  restore_state(others, *this);
  for (const pending_write& each : writes_) {
    require_state(line_.offset(each.line) == 0 && each.line < config_.bytes,
                  "a write lands beyond the memory");
  }
}

}  // namespace tributary
