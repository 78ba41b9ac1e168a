// SPDX-License-Identifier: Apache-2.0
#include <tributary/smp/node_processors.h>

#include <algorithm>

#include <fmt/format.h>

#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>

namespace tributary {
namespace {

/// Of the wake-ups; the others are numbers of processors.
constexpr std::uint64_t wake_retried = ~std::uint64_t{0};

bool is_load(const access& request) { return request.function.kind == form::identity; }
bool is_store(const access& request) { return request.function.kind == form::constant; }

}  // namespace

node_processors::node_processors(const smp_node_config& config, agenda& time, node_id here,
                                 std::uint32_t nodes, const jump_table& table, word_memory& memory,
                                 protocol_thread& thread, protocol_role& role,
                                 const std::optional<checked_blocks>& checked)
    : config_(config),
      agenda_(time),
      here_(here),
      nodes_(nodes),
      table_(table),
      memory_(memory),
      thread_(thread),
      role_(role),
      accesses_(config.computing()) {
  ports_.reserve(config.computing());
  for (std::uint32_t i = 0; i < config.computing(); ++i) ports_.emplace_back(*this, i);
  checked_ = checked;
  if (checked) tags_.emplace(*checked, config.addresses, here, memory);
  agenda_.enroll(*this);
  role_.set_processors(*this);
}

void node_processors::put_on_bus(node_bus& bus) {
  bus_ = &bus;
  bus.set_programs(*this);
  if (tags_) bus.add_board(*tags_, *checked_);
}

void node_processors::fail(const access& request, const std::string& problem) const {
  throw simulation_error(fmt::format(
      "node {} in cycle {}: an access of form {} to {:#x} {}", index(here_), agenda_.now(),
      tributary::name_of(request.function.kind), request.address, problem));
}

node_processors::target node_processors::classify(const access& request) const {
  const address_layout& layout = config_.addresses;
  if (request.address % 8 != 0) fail(request, "is to no word; addresses are multiples of 8");
  if (request.kind != access_kind::word) {
    fail(request, fmt::format("is a {}, and the processor has words only",
                              tributary::name_of(request.kind)));
  }
  const node_id node = layout.node_of(request.address);
  if (index(node) >= nodes_) fail(request, fmt::format("is beyond the machine's {} nodes", nodes_));
  const std::uint32_t space = layout.space_of(request.address);
  if (space == schedule_registers::space) {
    const std::uint64_t offset = layout.offset_of(request.address);
    if (offset == schedule_registers::act && is_load(request)) return target::act;
    if (offset == schedule_registers::rest && is_store(request)) {
      return request.function.a != 0 ? target::rest : target::work;
    }
    fail(request, "is to no register of the node's schedule: a load of `act` or a store to `rest`");
  }
  if (tags_ && tags_->checks(request.address)) return target::checked;
  if (space == 0 && node == here_) {
    if (layout.offset_of(request.address) < config_.memory.bytes) return target::memory;
    fail(request, fmt::format("is beyond the node's memory of {} bytes", config_.memory.bytes));
  }
  if (table_.find(message_of(request, 0), true)) return target::handler;
  fail(request, "is not in the own node's memory, and no protocol has a handler for it");
}

message node_processors::message_of(const access& request, std::uint32_t processor) const {
  message header;
  header.address = request.address;
  header.source = here_;
  header.destination = here_;
  header.origin = message_origin::processor;
  header.tag = static_cast<std::uint8_t>(processor);
  header.process = header.tag;
  header.type = static_cast<std::uint8_t>(is_load(request) ? common_type::uncached_read
                                          : is_store(request) && request.posted
                                              ? common_type::uncached_write
                                              : common_type::uncached_operation);
  if (!is_load(request)) header.length = request.function.b == 0 || request.posted ? 8 : 16;
  if (header.type == static_cast<std::uint8_t>(common_type::uncached_operation)) {
    header.aux = static_cast<std::uint16_t>(request.function.kind);
    // A store whose word before nobody asks for: it ends with its handler.
    if (is_store(request) && !table_.find(header, true)) {
      header.aux = 0;
      header.type = static_cast<std::uint8_t>(common_type::uncached_write);
      header.length = 8;
    }
  }
  return header;
}

word_t node_processors::perform(const access& request, std::uint64_t offset) {
  const word_t before = memory_.read(offset);
  if (!is_load(request)) memory_.write(offset, apply(request.function, before));
  return request.posted ? 0 : before;
}

void node_processors::offer(std::uint32_t processor, std::size_t element, const access& request,
                            cycle_t now) {
  if (!is_free(processor)) fail(request, "came while the processor waits for another one");
  const target of = classify(request);
  accesses_[processor] = {};
  accesses_[processor].of = of;
  accesses_[processor].element = pe_id{static_cast<std::uint32_t>(element)};
  accesses_[processor].request = request;
  ++offered_;
  switch (of) {
    case target::memory:
      if (bus_ != nullptr) {
        begin_on_bus(processor, config_.addresses.offset_of(request.address), now);
        break;
      }
      complete(processor, perform(request, config_.addresses.offset_of(request.address)),
               now + config_.memory_cycles - 1);
      break;
    case target::checked:
      if (bus_ != nullptr) {
        if (const std::optional<std::uint64_t> offset = tags_->offset_of(request.address)) {
          begin_on_bus(processor, *offset, now);
        } else {
          first_fault(processor, now);
        }
      } else if (const std::optional<word_t> found = try_again(processor)) {
        complete(processor, *found, now + config_.memory_cycles - 1);
      } else {
        first_fault(processor, now);
      }
      break;
    case target::act:
      role_.delivered(processor, now);
      break;
    case target::rest:
      role_.rest(processor, now);
      complete(processor, 0, now);
      break;
    case target::work:
      role_.work(processor, now);
      break;
    default: {
      message header = message_of(request, processor);
      if (header.length != 0) {
        header.data = thread_.payload_of(request.function.a, request.function.b);
      }
      ++requests_;
      ask(processor, header, now);
      break;
    }
  }
}

void node_processors::ask(std::uint32_t processor, message header, cycle_t now) {
  header.identity = trace_identity::reference(index(here_), messages_++);
  role_.request(processor, header, now);
}

// --- checked accesses ----------------------------------------------------------------------------

std::optional<word_t> node_processors::try_again(std::uint32_t processor) {
  if (bus_ != nullptr) {
    const access_under_way& of = accesses_[processor];
    return of.done ? std::optional<word_t>(of.value) : std::nullopt;
  }
  const access& request = accesses_[processor].request;
  const access_tags::result found = tags_->look_up(request.address, !is_load(request));
  if (!found.allowed) return std::nullopt;
  return perform(request, found.offset);
}

void node_processors::first_fault(std::uint32_t processor, cycle_t now) {
  ++requests_;
  ++faults_;
  accesses_[processor].asked = true;
  fault(processor, now);
}

void node_processors::begin_on_bus(std::uint32_t processor, std::uint64_t offset, cycle_t now) {
  access on_bus = accesses_[processor].request;
  on_bus.address = offset;
  bus_->processor(processor).begin_access(on_bus, now);
}

void node_processors::access_done(std::uint32_t processor, word_t value, cycle_t now) {
  access_under_way& of = accesses_[processor];
  of.value = value;
  if (!of.asked) {
    wake(now, processor);
    return;
  }
  of.done = true;  // the program goes on when the role says so
  end_retry(now);
}

void node_processors::forbidden(std::uint32_t processor, cycle_t now) {
  // One for which a handler was asked is on the bus while it is tried again only.
  if (accesses_[processor].asked) {
    end_retry(now);
  } else {
    first_fault(processor, now);
  }
}

void node_processors::retry(std::uint32_t processor, cycle_t now) {
  if (processor >= accesses_.size() || !accesses_[processor].asked || accesses_[processor].done) {
    throw simulation_error(fmt::format(
        "node {} in cycle {}: an answer came for processor {}, which waits for no block",
        index(here_), now, processor));
  }
  begin_on_bus(processor, *tags_->offset_of(accesses_[processor].request.address), now);
}

/// Of the access that a handler lets a processor try again, and waits for.
void node_processors::end_retry(cycle_t now) {
  // By way of the agenda: the bus may be what tells of it in this moment.
  agenda_.wake(*this, now, wake_retried);
}

void node_processors::fault(std::uint32_t processor, cycle_t now) {
  const access& request = accesses_[processor].request;
  message header = message_of(request, processor);
  header.length = 0;
  header.aux = 0;
  header.type = static_cast<std::uint8_t>(is_load(request) ? common_type::line_read
                                                           : common_type::line_read_exclusive);
  ask(processor, header, now);
}

void node_processors::ask_again(std::uint32_t processor, cycle_t now) { fault(processor, now); }

/// By way of the agenda: the program may be what asks in this moment.
void node_processors::complete(std::uint32_t processor, word_t value, cycle_t at) {
  accesses_[processor].value = value;
  agenda_.wake(*this, at, processor, wake_rank::processor);
}

void node_processors::wake(cycle_t now, std::uint64_t tag) {
  if (tag == wake_retried && bus_ != nullptr) {
    bus_->retried(now);
    return;
  }
  if (tag >= accesses_.size()) {
    throw simulation_error(
        fmt::format("node {} in cycle {}: a wake-up for no processor", index(here_), now));
  }
  const auto processor = static_cast<std::uint32_t>(tag);
  const access_under_way ended = accesses_[processor];
  accesses_[processor] = {};
  memory_client* const client = ports_[processor].client_;
  if (client == nullptr) return;
  client->completed({ended.element, ended.request.tag, ended.value}, now);
  // The processor is busy with it to the end of this cycle.
  if (is_free(processor)) client->room(index(ended.element), now + 1);
}

void node_processors::go_on(std::uint32_t processor, word_t value, cycle_t now) {
  complete(processor, value, now);
}

void node_processors::interrupt(std::uint32_t processor, cycle_t now) {
  interrupt_client* const interrupted = ports_[processor].interrupted_;
  if (interrupted == nullptr) {
    throw simulation_error(fmt::format(
        "node {} in cycle {}: processor {} is interrupted, and its program serves no interrupts",
        index(here_), now, processor));
  }
  interrupted->interrupted(schedule_registers::interrupt_line, now + 1);
}

bool node_processors::idle() const {
  return std::all_of(accesses_.begin(), accesses_.end(),
                     [](const auto& each) { return each.of == target::none; });
}

void node_processors::reset_statistics() { reset_all(offered_, requests_, faults_); }

void node_processors::report(statistics_group& into, std::uint64_t /*cycles*/) const {
  into.add("accesses", offered_, "accesses", "Accesses of the processors.");
  into.add("requests", requests_, "requests", "Of these, requests to handlers.");
  into.add("faults", faults_, "requests", "Of these, accesses that a tag forbade.");
}

std::string node_processors::save() const { return save_state(*this); }
void node_processors::restore(const std::string& state) { restore_state(state, *this); }

}  // namespace tributary
