// SPDX-License-Identifier: Apache-2.0
#include <tributary/nic/firmware_processor.h>

#include <algorithm>

#include <fmt/format.h>

#include <tributary/controller/perform_operation.h>
#include <tributary/nic/host_interface_events.h>
#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>
#include <tributary/trace/catalog.h>

namespace tributary {
namespace {

/// More operations in one cycle than any handler has use for.
constexpr std::uint64_t most_operations = 1000000;

/// Names the handler already.
class broken_rule final : public simulation_error {
 public:
  using simulation_error::simulation_error;
};

}  // namespace

firmware_processor::firmware_processor(const char* name, agenda& time, node_id here,
                                       const address_layout& addresses,
                                       const protocol_set& protocols, executor& runs,
                                       const units& around)
    : name_(name),
      agenda_(time),
      here_(here),
      addresses_(addresses),
      protocols_(protocols),
      executor_(runs),
      units_(around),
      occupancies_(protocols.handler_names().size()) {
  agenda_.enroll(*this);
}

// --- from one handler to the next ----------------------------------------------------------------

void firmware_processor::begin(handler_id run, const message& with, cycle_t at) {
  if (running_) {
    breach("handlers", fmt::format("has not ended, and '{}' would begin", protocols_.name_of(run)));
  }
  running_ = true;
  begun_ = false;
  run_ = run;
  header_ = with;
  begun_at_ = at;
  awaited_ = 0;
  settled_at_ = 0;
  agenda_.wake(*this, at);
}

void firmware_processor::wake(cycle_t now, std::uint64_t /*tag*/) {
  if (!begun_) {
    begun_ = true;
    owes_reload_ = header_.origin == message_origin::deferred;
    held_.clear();
    if (header_.data != no_payload) held_.push_back(header_.data);
    operations_ = 0;
    ++dispatches_;
    asked_ = executor_.start(run_, header_, now);
  } else if (awaits_) {
    const handler_answer found = waited_for(now);
    asked_ = executor_.resume(found);
  }
  run(now);
}

void firmware_processor::run(cycle_t now) {
  while (true) {
    const cycle_t due = begun_at_ + awaited_ + asked_.spent;
    if (due > now) {
      agenda_.wake(*this, due);
      return;
    }
    if (asked_.operation == handler_operation::finish) {
      end(now);
      return;
    }
    count_operation(now);
    const answer_or_wait found = attempt(asked_, now);
    if (!found) return;
    asked_ = executor_.resume(*found);
  }
}

firmware_processor::answer_or_wait firmware_processor::wait_until(cycle_t at, cycle_t now) {
  if (at <= now && asked_.operation == handler_operation::settle) {
    end_transfer();
    return handler_answer{now, 0, no_payload};
  }
  awaits_ = true;
  awaits_since_ = now;
  agenda_.wake(*this, std::max(at, now));
  return std::nullopt;
}

handler_answer firmware_processor::waited_for(cycle_t now) {
  awaits_ = false;
  awaited_ += now - awaits_since_;
  waits_.add(now - awaits_since_);
  handler_answer gives{now, 0, no_payload};
  if (asked_.operation == handler_operation::settle) {
    end_transfer();
  } else if (asked_.operation == handler_operation::load) {
    gives.value = units_.around.host_word(offset_of(asked_.address, 1));
  } else if (asked_.operation == handler_operation::fill) {
    std::vector<word_t>& words = units_.staging.words(asked_.data);
    const std::uint64_t from = offset_of(asked_.address, words.size());
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = units_.around.host_word(from + word_bytes * i);
    }
  }
  return gives;
}

void firmware_processor::count_operation(cycle_t now) {
  if (now != counted_in_) operations_ = 0;
  counted_in_ = now;
  if (++operations_ > most_operations) {
    breach("time", fmt::format("has done {} operations in this cycle; a loop must spend cycles",
                               most_operations));
  }
}

void firmware_processor::end(cycle_t now) {
  if (owes_reload_) breach("deferred handlers", "ends without calling again or done");
  if (moving_.open) breach("DMA", "ends before what it moves from the host has come; call settle");
  for (const payload_handle data : held_) {
    if (data != header_.data) {
      breach("payloads", fmt::format("keeps payload {} at its end; send, release or retain what "
                                     "was allocated",
                                     static_cast<unsigned>(data)));
    }
    units_.staging.release(data);
  }
  held_.clear();
  busy_.add(now - begun_at_);
  occupancies_[static_cast<std::size_t>(run_)].add(now - begun_at_);
  if (trace_.on()) tell(now);
  running_ = false;
  free_since_ = now;
  units_.around.handler_ended(now);
}

firmware_processor::answer_or_wait firmware_processor::attempt(const handler_request& request,
                                                               cycle_t now) {
  try {
    return perform_operation(*this, request, now);
  } catch (const broken_rule&) {
    throw;
  } catch (const error& problem) {
    breach("operation", fmt::format("did what a unit refuses: {}", problem.what()));
  }
}

// --- messages and payloads -----------------------------------------------------------------------

void firmware_processor::send(const handler_request& request, cycle_t now) {
  message header = request.header;
  const std::size_t most = units_.staging.words_each() * word_bytes;
  if (header.length > most) {
    breach("payload",
           fmt::format("sends {} bytes with a message (allowed: 0 to {})", header.length, most));
  }
  std::vector<word_t> words;
  if (header.length != 0) {
    require_payload(header.data, "send");
    const std::vector<word_t>& staged = units_.staging.words(header.data);
    words.assign(staged.begin(),
                 staged.begin() + static_cast<std::ptrdiff_t>(words_of(header.length)));
    give_up(header.data);
    if (header.data == header_.data) header_.data = no_payload;
    units_.staging.release(header.data);
  }
  header.source = here_;
  header.origin = message_origin::network;
  header.data = no_payload;
  units_.around.transmit(header, words, now);
}

bool firmware_processor::give_up(payload_handle data) {
  const auto found = std::find(held_.begin(), held_.end(), data);
  if (found == held_.end()) return false;
  held_.erase(found);
  return true;
}

void firmware_processor::require_payload(payload_handle data, const char* operation) const {
  if (units_.staging.has(data)) return;
  breach("payloads", fmt::format("does {} with a payload that it does not have", operation));
}

payload_handle firmware_processor::allocate(const handler_request& /*request*/, cycle_t /*now*/) {
  const std::optional<payload_handle> free = units_.staging.allocate();
  if (!free) return no_payload;
  held_.push_back(*free);
  return *free;
}

void firmware_processor::retain(const handler_request& request, cycle_t /*now*/) {
  require_payload(request.data, "retain");
  units_.staging.retain(request.data);
}

void firmware_processor::release(const handler_request& request, cycle_t /*now*/) {
  require_payload(request.data, "release");
  give_up(request.data);
  if (request.data == header_.data) header_.data = no_payload;
  units_.staging.release(request.data);
}

std::size_t firmware_processor::place_in(const handler_request& request,
                                         const char* operation) const {
  require_payload(request.data, operation);
  const std::size_t words = units_.staging.words_each();
  if (request.number < words) return static_cast<std::size_t>(request.number);
  breach("payloads", fmt::format("does {} with doubleword {} of a payload (allowed: 0 to {})",
                                 operation, request.number, words - 1));
}

word_t firmware_processor::word(const handler_request& request, cycle_t /*now*/) const {
  const std::size_t place = place_in(request, "word");
  return units_.staging.words(request.data)[place];
}

void firmware_processor::set_word(const handler_request& request, cycle_t /*now*/) {
  const std::size_t place = place_in(request, "set_word");
  units_.staging.words(request.data)[place] = request.value;
}

// --- memory --------------------------------------------------------------------------------------

bool firmware_processor::is_host(std::uint64_t address) const {
  return addresses_.space_of(address) == host_space;
}

std::uint64_t firmware_processor::offset_of(std::uint64_t address, std::size_t words) const {
  const node_id home = addresses_.node_of(address);
  const std::uint64_t offset = addresses_.offset_of(address);
  const std::uint64_t bytes = is_host(address) ? units_.around.host_bytes() : units_.memory_bytes;
  const std::uint64_t wanted = words * word_bytes;
  if (home == here_ && offset % word_bytes == 0 && wanted <= bytes && offset <= bytes - wanted) {
    return offset;
  }
  breach("memory",
         fmt::format("reaches for {} words at address {:#x} (allowed: doublewords of node "
                     "{}, offsets below {:#x} of its {} memory)",
                     words, address, index(here_), bytes,
                     is_host(address) ? "host's" : "interface's"));
}

firmware_processor::answer_or_wait firmware_processor::fill(const handler_request& request,
                                                            cycle_t now) {
  require_payload(request.data, "fill");
  std::vector<word_t>& words = units_.staging.words(request.data);
  const std::uint64_t from = offset_of(request.address, words.size());
  if (is_host(request.address)) {
    return wait_until(units_.around.load_from_host(words.size() * word_bytes, now), now);
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = units_.memory.read(from + word_bytes * i);
  }
  return handler_answer{now, 0, no_payload};
}

/// As much as the message brought that came with the payload.
void firmware_processor::spill(const handler_request& request, cycle_t now) {
  require_payload(request.data, "spill");
  const std::uint32_t bytes = units_.staging.bytes(request.data);
  const std::vector<word_t>& staged = units_.staging.words(request.data);
  const std::size_t count = bytes == 0 ? staged.size() : words_of(bytes);
  const std::vector<word_t> words(staged.begin(),
                                  staged.begin() + static_cast<std::ptrdiff_t>(count));
  const std::uint64_t to = offset_of(request.address, count);
  if (is_host(request.address)) {
    settled_at_ = units_.around.store_to_host(to, words, now);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) units_.memory.write(to + word_bytes * i, words[i]);
}

void firmware_processor::spill_word(const handler_request& request, cycle_t now) {
  const std::size_t place = place_in(request, "spill_word");
  const word_t value = units_.staging.words(request.data)[place];
  const std::uint64_t to = offset_of(request.address, 1);
  if (is_host(request.address)) {
    settled_at_ = units_.around.store_to_host(to, {value}, now);
  } else {
    units_.memory.write(to, value);
  }
}

firmware_processor::answer_or_wait firmware_processor::settle(const handler_request& /*request*/,
                                                              cycle_t now) {
  return wait_until(settled_at_, now);
}

firmware_processor::answer_or_wait firmware_processor::load(const handler_request& request,
                                                            cycle_t now) {
  const std::uint64_t offset = offset_of(request.address, 1);
  if (is_host(request.address)) {
    return wait_until(units_.around.load_from_host(word_bytes, now), now);
  }
  return handler_answer{now, units_.memory.read(offset), no_payload};
}

void firmware_processor::store(const handler_request& request, cycle_t now) {
  if (addresses_.space_of(request.address) == dma_space) {
    write_dma_register(request, now);
    return;
  }
  const std::uint64_t offset = offset_of(request.address, 1);
  if (is_host(request.address)) {
    settled_at_ = units_.around.store_to_host(offset, {request.value}, now);
  } else {
    units_.memory.write(offset, request.value);
  }
}

// --- part of a staging buffer --------------------------------------------------------------------

void firmware_processor::write_dma_register(const handler_request& request, cycle_t now) {
  switch (addresses_.offset_of(request.address)) {
    case dma_registers::host_offset:
      moving_.host = request.value;
      return;
    case dma_registers::bytes:
      moving_.bytes = request.value;
      return;
    case dma_registers::go:
      begin_transfer(request.value, now);
      return;
    default:
      breach("registers", fmt::format("stores to a register of DMA at {:#x} (allowed: 0, 8, 16)",
                                      addresses_.offset_of(request.address)));
  }
}

void firmware_processor::begin_transfer(word_t command, cycle_t now) {
  moving_.data = payload_handle{static_cast<std::uint16_t>(command)};
  moving_.place = command >> 16 & 0xffff;
  require_payload(moving_.data, "DMA");
  const std::size_t words = units_.staging.words_each();
  const std::uint64_t count = moving_.bytes / word_bytes;
  const std::uint64_t end = units_.around.host_bytes();
  const bool fits = moving_.bytes % word_bytes == 0 && moving_.host % word_bytes == 0 &&
                    moving_.bytes <= end && moving_.host <= end - moving_.bytes && count <= words &&
                    moving_.place <= words - count;
  if (moving_.open || !fits) {
    breach("DMA", fmt::format("moves {} bytes at {:#x} of the host's memory and doubleword {} of a "
                              "buffer (allowed: doublewords of {:#x} bytes and of {} doublewords, "
                              "one transfer from the host at a time)",
                              moving_.bytes, moving_.host, moving_.place, end, words));
  }
  if ((command >> 32 & 1) == 0) {
    settled_at_ = units_.around.load_from_host(moving_.bytes, now);
    moving_.open = true;
    return;
  }
  const auto first =
      units_.staging.words(moving_.data).begin() + static_cast<std::ptrdiff_t>(moving_.place);
  settled_at_ = units_.around.store_to_host(
      moving_.host, std::vector<word_t>(first, first + static_cast<std::ptrdiff_t>(count)), now);
}

/// What it brings from the host is in the buffer.
void firmware_processor::end_transfer() {
  if (!moving_.open) return;
  moving_.open = false;
  std::vector<word_t>& words = units_.staging.words(moving_.data);
  for (std::uint64_t i = 0; i < moving_.bytes / word_bytes; ++i) {
    words[static_cast<std::size_t>(moving_.place + i)] =
        units_.around.host_word(moving_.host + word_bytes * i);
  }
}

// --- handlers that are put off -------------------------------------------------------------------

void firmware_processor::put_off(handler_id run, const message& with, cycle_t now) {
  message header = message_of(header_words_of(with));
  header.origin = message_origin::deferred;
  header.data = no_payload;
  header.identity = with.identity.none() ? header_.identity : with.identity;
  units_.around.put_off(run, header, now);
}

void firmware_processor::later(const handler_request& request, cycle_t now) {
  put_off(request.run, request.header, now);
}

void firmware_processor::again(const handler_request& request, cycle_t now) {
  pay_reload();
  put_off(run_, request.header, now);
}

void firmware_processor::pay_reload() {
  if (!owes_reload_) {
    breach("deferred handlers", "calls again or done twice, or was not put off by later");
  }
  owes_reload_ = false;
}

// --- reports -------------------------------------------------------------------------------------

void firmware_processor::refuse(const char* operation) const {
  breach("operations",
         fmt::format("does {}, which an interface's firmware does not have", operation));
}

void firmware_processor::breach(const char* rule, const std::string& fault) const {
  throw broken_rule(fmt::format(
      "{}: handler '{}' of the interface of node {} in cycle {} {} (its message: type {} of node "
      "{}, address {:#x})",
      rule, protocols_.name_of(run_), index(here_), agenda_.now(), fault, header_.type,
      index(header_.source), header_.address));
}

void firmware_processor::tell(cycle_t now) const {
  namespace events = host_interface_events;
  trace_event event;
  event.cycle = begun_at_;
  event.last = std::max(now, begun_at_ + 1) - 1;
  event.kind = &events::handled;
  event.identity = header_.identity;
  event.address = header_.address;
  event.details = events::handler.put(static_cast<std::uint64_t>(run_)) |
                  events::type.put(header_.type) | events::source.put(index(header_.source));
  trace_.add(event);
}

void firmware_processor::trace(const trace_scope& scope) {
  scope.catalog().set_names(host_interface_events::handler, protocols_.handler_names());
  trace_ = scope.below(name()).add();
}

void firmware_processor::reset_statistics() {
  reset_all(dispatches_, busy_, waits_);
  for (average& each : occupancies_) each.reset();
}

void firmware_processor::report(statistics_group& into, std::uint64_t cycles) const {
  into.add("dispatches", dispatches_, "handlers", "Handlers that were begun.");
  into.add("busy", busy_, "cycles", "Cycles in which a handler ran.");
  into.add("occupancy",
           cycles == 0 ? 0.0 : static_cast<double>(busy_.value()) / static_cast<double>(cycles), "",
           "Fraction of the cycles in which a handler ran.");
  into.add("waits", waits_, "cycles", "For which handlers waited for DMA.");
  protocols_.report_occupancies(into, occupancies_);
}

std::string firmware_processor::save() const {
  return save_state(save_state(*this), executor_.save());
}

void firmware_processor::restore(const std::string& state) {
  std::string own;
  std::string handler;
  restore_state(state, own, handler);
  const std::size_t handlers = occupancies_.size();
  restore_state(own, *this);
  const std::optional<handler_request> request = executor_.restore(handler);
  const bool awaits = running_ && begun_ && asked_.operation != handler_operation::finish;
  require_state(occupancies_.size() == handlers && request.has_value() == awaits &&
                    (!running_ || static_cast<std::size_t>(run_) < handlers),
                "another handler runs");
  const bool has_held = std::all_of(
      held_.begin(), held_.end(), [this](payload_handle each) { return units_.staging.has(each); });
  require_state(has_held, "its handler holds staging buffers that do not exist");
}

}  // namespace tributary
