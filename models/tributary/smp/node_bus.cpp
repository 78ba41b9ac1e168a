// SPDX-License-Identifier: Apache-2.0
#include <tributary/smp/node_bus.h>

#include <algorithm>

namespace tributary {
namespace {

using step = processor_step;

// Tags of what is no service; those have the role's.
constexpr std::uint64_t of_handler = ~std::uint64_t{0};
constexpr std::uint64_t of_lock = of_handler - 1;   // the lock was written
constexpr std::uint64_t of_look = of_handler - 2;   // the lock was read by one that spins on it
constexpr std::uint64_t of_board = of_handler - 3;  // a word for the board has left

/// That a master without a cache has under way.
constexpr std::size_t accesses_of_master = 4;

/// A few lines are enough for the one that the network interface writes.
cache_config flag_cache(const cache_config& processors) {
  cache_config config = processors;
  config.levels = {processors.last()};
  config.levels[0].bytes = std::uint64_t{config.levels[0].line_bytes} * config.levels[0].ways;
  return config;
}

}  // namespace

node_bus::node_bus(const smp_node_config& config, agenda& time, memory_controller& memory,
                   message_gate& gate, protocol_role& role, protocol_thread& thread,
                   std::uint64_t flags_at)
    : config_(config),
      agenda_(time),
      memory_(memory),
      role_(role),
      thread_(thread),
      flags_(flags_at, config.bus.line()),
      device_(config.memory.bytes),
      bus_(config.bus, config.processors + std::size_t{2} + config.bus_masters,
           {0, config.memory.bytes}, time, memory),
      interface_flags_(flag_cache(config.caches), time, bus_.lines(config.processors)),
      interface_(config.interface, time, gate, interface_flags_, flags_.arrivals()) {
  bus_.set_client(config.processors, interface_flags_);
  bus_.attach({device_, word_bytes}, interface_);
  interface_.set_reader(*this);
  gate.set_taker(*this);
  for (std::uint32_t i = 0; i < config.processors; ++i) {
    processors_.push_back(std::make_unique<bus_processor>(config.caches, time, bus_, i));
    processors_.back()->set_client(*this);
  }
  for (std::uint32_t i = 0; i < config.bus_masters; ++i) {
    masters_.push_back(
        std::make_unique<uncached_master>(time, bus_, config.processors + std::size_t{2} + i,
                                          accesses_of_master, "master." + std::to_string(i)));
  }
  role.set_services(*this);
  thread.set_accesses(*this);
}

void node_bus::add_board(const access_tags& tags, const checked_blocks& blocks) {
  // Its words lie as in memory, from the next multiple of the memory's size on.
  const std::uint64_t at = 2 * config_.memory.bytes;
  board_ = std::make_unique<tag_board>(tags, config_.caches, agenda_, bus_, config_.processors + 1,
                                       memory_, at);
  board_->set_client(*this);
  bus_.attach({at + blocks.page_table, blocks.tables_end - blocks.page_table}, *board_);
  bus_.watch({0, blocks.shared_bytes}, *board_);
  bus_.watch({blocks.first_frame, blocks.frames * blocks.page_bytes}, *board_);
  interface_.let_board_move_payloads();
}

word_t node_bus::word_at(std::uint64_t offset) const {
  std::vector<const cache*> caches{&interface_flags_};
  if (board_ != nullptr) caches.push_back(&board_->caches());
  for (const auto& each : processors_) caches.push_back(&each->caches());
  for (const cache* const each : caches) {
    const line_state state = each->state_of(offset);
    if (state != line_state::invalid && state != line_state::shared) return each->word_at(offset);
  }
  const line_size line = bus_.config().line();
  if (const line_data* const leaving = bus_.leaving(line.start(offset))) {
    return (*leaving)[line.word(offset)];
  }
  return memory_.read(offset);
}

std::vector<block*> node_bus::blocks() {
  std::vector<block*> all{&bus_, &interface_, &interface_flags_};
  if (board_ != nullptr) all.push_back(&board_->unit());
  for (const auto& each : processors_) all.push_back(each.get());
  for (const auto& each : masters_) all.push_back(each.get());
  return all;
}

// --- what the role needs -------------------------------------------------------------------------

void node_bus::serve(role_service what, std::uint32_t processor, const message& about,
                     std::uint64_t cycles, std::uint64_t tag, cycle_t now) {
  bus_processor& by = *processors_[processor];
  processor_steps steps{step::spend(cycles)};
  switch (what) {
    case role_service::take_role:
    case role_service::take_role_and_submit:
      by.run({step::store(flags_.role(), 1)}, of_lock, now);
      if (what == role_service::take_role_and_submit) submit(processor, about, steps);
      break;
    case role_service::submit:
      submit(processor, about, steps);
      break;
    case role_service::dispatch:
      dispatch(about, steps);
      break;
    case role_service::resume_own:
    case role_service::give_up_role:
      by.run({step::store(flags_.role(), 0)}, of_lock, now);
      break;
    case role_service::resume:
      break;
  }
  if (what == role_service::resume || what == role_service::resume_own) {
    steps.push_back(step::load(flags_.answer(processor)));
  }
  by.run(std::move(steps), tag, now);
}

/// By whoever waits for the role, or for an answer, and could take it.
void node_bus::look_at_lock(std::uint32_t writer, cycle_t now) {
  for (std::uint32_t i = 0; i < processors_.size(); ++i) {
    const processor_duty duty = role_.duties().duty(i);
    const bool spins = duty == processor_duty::waiting || duty == processor_duty::resting;
    if (i == writer || !spins || processors_[i]->has_job(of_look)) continue;
    processors_[i]->run({step::load(flags_.role())}, of_look, now);
  }
}

void node_bus::submit(std::uint32_t processor, const message& about, processor_steps& steps) const {
  const header_words entry = header_words_of(about);
  steps.push_back(step::store(flags_.entry(processor), entry.first));
  steps.push_back(step::store(flags_.entry(processor) + word_bytes, entry.second));
  steps.push_back(step::store(flags_.requests(), about.address));
}

/// Looks at both counts, and reads what one of them tells of.
void node_bus::dispatch(const message& about, processor_steps& steps) const {
  steps.push_back(step::load(flags_.arrivals()));
  steps.push_back(step::load(flags_.requests()));
  if (about.origin == message_origin::processor) {
    steps.push_back(step::load(flags_.entry(about.tag)));
    steps.push_back(step::load(flags_.entry(about.tag) + word_bytes));
    return;
  }
  // The header, then the payload.
  const std::size_t words = board_ == nullptr ? words_of(about.length) : 0;
  steps.insert(steps.end(), 2 + words, step::read_device(device_));
}

// --- what handlers need --------------------------------------------------------------------------

/// The handler waits until the interface has the last word: else the words of another processor,
/// which acts next, could come among them.
processor_steps node_bus::sending(const network_message& sent) {
  const header_words header = header_words_of(sent.header);
  std::vector<word_t> words{header.first, header.second};
  if (board_ == nullptr) {
    words.insert(words.end(), sent.words.begin(),
                 sent.words.begin() + static_cast<std::ptrdiff_t>(words_of(sent.header.length)));
  } else if (sent.header.length != 0) {
    interface_.put_payload(sent.words);
  }
  processor_steps steps;
  for (const word_t each : words) steps.push_back(step::write_device(device_, each));
  steps.back().does = step::action::finish_device;
  return steps;
}

processor_steps node_bus::answering(std::uint8_t tag, word_t value) const {
  return {step::store(flags_.answer(tag), value)};
}

processor_step node_bus::loading(std::uint64_t offset) const {
  if (board_ == nullptr || !board_->has(offset)) return step::load(offset);
  return step::read_device(board_->address_of(offset));
}

processor_step node_bus::storing(std::uint64_t offset, word_t value) const {
  if (board_ == nullptr || !board_->has(offset)) return step::store(offset, value);
  return step::write_device(board_->address_of(offset), value);
}

/// A handler that writes to the board waits for what the board does about it.
void node_bus::begin(const processor_steps& steps, cycle_t now) {
  const step& first = steps.front();
  const bool is_for_board =
      board_ != nullptr && first.does == step::action::write_device && board_->is_at(first.at);
  processors_[*role_.duties().acting()]->run(steps, is_for_board ? of_board : of_handler, now);
}

void node_bus::move_block(const processor_steps& steps, cycle_t now) {
  if (board_ == nullptr) {
    begin(steps, now);
  } else {
    board_->move(steps, now);
  }
}

void node_bus::retry(std::uint8_t tag, cycle_t now) { programs_->retry(tag, now); }

void node_bus::forbidden(std::uint32_t processor, std::uint64_t line, cycle_t now) {
  // Else its line would have a place in the cache that handlers may need.
  bus_processor& by = *processors_[processor];
  if (!by.accesses()) thread_.touched_block(line);
  by.withdraw_access(now);
  programs_->forbidden(processor, now);
}

void node_bus::board_done(const std::vector<word_t>& found, cycle_t now) {
  thread_.accesses_done(found, now);
}

// --- what the units tell -------------------------------------------------------------------------

void node_bus::arrived(const network_message& message, cycle_t now) {
  interface_.arrive(message, now);
}

void node_bus::announced(const network_message& arrived, cycle_t now) {
  role_.arrived(arrived, now);
}

void node_bus::steps_done(std::uint32_t processor, std::uint64_t tag,
                          const std::vector<word_t>& found, cycle_t now) {
  if (tag == of_handler) {
    thread_.accesses_done(found, now);
  } else if (tag == of_lock) {
    look_at_lock(processor, now);
  } else if (tag != of_look && tag != of_board) {
    role_.served(tag, now);
  }
}

void node_bus::access_done(std::uint32_t processor, word_t value, cycle_t now) {
  programs_->access_done(processor, value, now);
}

}  // namespace tributary
