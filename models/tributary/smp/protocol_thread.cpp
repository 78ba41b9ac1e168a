// SPDX-License-Identifier: Apache-2.0
#include <tributary/smp/protocol_thread.h>

#include <algorithm>

#include <fmt/format.h>

#include <tributary/controller/perform_operation.h>
#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>

namespace tributary {
namespace {

/// More operations in one cycle than any handler has use for.
constexpr std::uint64_t most_operations = 1000000;
/// More accesses than the longest handler has use for.
constexpr std::uint64_t most_accesses = 100000;

/// Names the handler already.
class broken_rule final : public simulation_error {
 public:
  using simulation_error::simulation_error;
};

}  // namespace

protocol_thread::protocol_thread(agenda& time, node_id here, const address_layout& addresses,
                                 const protocol_set& protocols, executor& runs, const units& around,
                                 const service_variation& variation, const random_stream& draws)
    : agenda_(time),
      here_(here),
      addresses_(addresses),
      protocols_(protocols),
      executor_(runs),
      units_(around),
      variation_(variation),
      draws_(draws),
      occupancies_(protocols.handler_names().size()) {
  agenda_.enroll(*this);
}

// --- from one handler to the next ----------------------------------------------------------------

message protocol_thread::take_in(const network_message& arrived) {
  message header = arrived.header;
  header.data = no_payload;
  if (header.length != 0) {
    header.data = payloads_.allocate();
    payloads_.words(header.data) = arrived.words;
  }
  return header;
}

payload_handle protocol_thread::payload_of(word_t first, word_t second) {
  const payload_handle data = payloads_.allocate();
  payloads_.words(data)[0] = first;
  payloads_.words(data)[1] = second;
  return data;
}

void protocol_thread::begin(handler_id run, const message& with, cycle_t at) {
  if (running_) {
    breach("handlers", fmt::format("has not ended, and '{}' would begin", protocols_.name_of(run)));
  }
  running_ = true;
  begun_ = false;
  run_ = run;
  header_ = with;
  if (header_.data != no_payload) require_payload(header_.data, "begin");
  begun_at_ = at;
  awaited_ = 0;
  agenda_.wake(*this, at);
}

void protocol_thread::wake(cycle_t now, std::uint64_t /*tag*/) {
  if (!begun_) {
    begun_ = true;
    owes_answer_ = wants_answer(header_);
    owes_reload_ = header_.origin == message_origin::deferred;
    held_.clear();
    if (header_.data != no_payload) held_.push_back(header_.data);
    scale_ = variation_.of(1000, draws_);
    operations_ = 0;
    ++dispatches_;
    asked_ = executor_.start(run_, header_, now);
  }
  run(now);
}

cycle_t protocol_thread::due_of(const handler_request& request) const {
  return begun_at_ + awaited_ + (request.spent * scale_ + 500) / 1000;
}

void protocol_thread::run(cycle_t now) {
  while (true) {
    const cycle_t due = due_of(asked_);
    if (due > now) {
      agenda_.wake(*this, due);
      return;
    }
    if (asked_.operation == handler_operation::finish) {
      end(now);
      return;
    }
    count_operation(now);
    const std::optional<handler_answer> found = attempt(asked_, now);
    if (!found) return;
    asked_ = executor_.resume(*found);
  }
}

protocol_thread::answer_or_wait protocol_thread::await(const processor_steps& steps, cycle_t now) {
  awaits_since_ = now;
  accesses_->begin(steps, now);
  return std::nullopt;
}

protocol_thread::answer_or_wait protocol_thread::await_block(const processor_steps& steps,
                                                             cycle_t now) {
  awaits_since_ = now;
  accesses_->move_block(steps, now);
  return std::nullopt;
}

void protocol_thread::accesses_done(const std::vector<word_t>& found, cycle_t now) {
  // The answer is written, and then the processor tries again.
  if (asked_.operation == handler_operation::send && is_line_reply(asked_.header.type)) {
    lets_retry_ = !lets_retry_;
    if (lets_retry_) {
      accesses_->retry(asked_.header.tag, now);
      return;
    }
  }
  awaited_ += now - awaits_since_;
  const bool finds =
      asked_.operation == handler_operation::load || asked_.operation == handler_operation::fill;
  const std::size_t words = asked_.operation == handler_operation::load ? 1 : units_.line.words();
  if (!running_ || (finds && found.size() != words)) {
    breach("accesses", "is told of words that it has not asked for");
  }
  handler_answer gives{now, 0, no_payload};
  switch (asked_.operation) {
    case handler_operation::load:
      gives.value = found.front();
      break;
    case handler_operation::fill:
      std::copy(found.begin(), found.end(), payloads_.words(asked_.data).begin());
      break;
    case handler_operation::answer:
      tell_answer(asked_, now);
      break;
    case handler_operation::send:
      if (is_line_reply(asked_.header.type)) client_->line_came(asked_.header.tag, now);
      break;
    default:
      break;
  }
  asked_ = executor_.resume(gives);
  run(now);
}

void protocol_thread::count_operation(cycle_t now) {
  // Where they are accesses, each takes a cycle at least, and a run as a whole must end.
  if (accesses_ != nullptr) {
    if (++operations_ > most_accesses) {
      breach("time", fmt::format("has done {} operations and does not end", most_accesses));
    }
    return;
  }
  if (now != counted_in_) operations_ = 0;
  counted_in_ = now;
  if (++operations_ > most_operations) {
    breach("time", fmt::format("has done {} operations in this cycle; a loop must spend cycles",
                               most_operations));
  }
}

void protocol_thread::touched_block(std::uint64_t offset) const {
  breach("tags", fmt::format("touches a block that is checked, at offset {:#x}, whose tag forbids "
                             "it; use fill and spill",
                             offset));
}

void protocol_thread::end(cycle_t now) {
  if (owes_answer_) {
    breach("uncached read", "ends without answering the processor; call answer or keep_read");
  }
  if (owes_reload_) breach("deferred handlers", "ends without calling again or done");
  for (const payload_handle data : held_) {
    if (data != header_.data) {
      breach("payloads", fmt::format("keeps payload {} at its end; send, release or retain what "
                                     "was allocated",
                                     static_cast<unsigned>(data)));
    }
    payloads_.release(data);
  }
  held_.clear();
  busy_.add(now - begun_at_);
  occupancies_[static_cast<std::size_t>(run_)].add(now - begun_at_);
  running_ = false;
  client_->handler_ended(now);
}

std::optional<handler_answer> protocol_thread::attempt(const handler_request& request,
                                                       cycle_t now) {
  try {
    return perform_operation(*this, request, now);
  } catch (const broken_rule&) {
    throw;
  } catch (const error& problem) {
    breach("operation", fmt::format("did what a unit refuses: {}", problem.what()));
  }
}

// --- messages ------------------------------------------------------------------------------------

std::uint64_t protocol_thread::space(const handler_request& /*request*/, cycle_t /*now*/) const {
  return ~std::uint64_t{0};
}

protocol_thread::answer_or_wait protocol_thread::send(const handler_request& request, cycle_t now) {
  message header = request.header;
  if (is_line_reply(header.type)) {
    if (accesses_ != nullptr) return await(accesses_->answering(header.tag, 0), now);
    client_->line_came(header.tag, now);
    return at_once(now);
  }
  if (header.length > units_.line.bytes()) {
    breach("payload", fmt::format("sends {} bytes with a message (allowed: 0 to {})", header.length,
                                  units_.line.bytes()));
  }
  network_message sent;
  if (header.length != 0) {
    require_payload(header.data, "send");
    sent.words = payloads_.words(header.data);
    give_up(header.data);
    if (header.data == header_.data) header_.data = no_payload;
    payloads_.release(header.data);
  }
  header.source = here_;
  header.origin = message_origin::network;
  header.data = no_payload;
  sent.header = header;
  if (accesses_ != nullptr) return await(accesses_->sending(sent), now);
  units_.network.send(sent, now);
  return at_once(now);
}

protocol_thread::answer_or_wait protocol_thread::answer(const handler_request& request,
                                                        cycle_t now) {
  if (accesses_ != nullptr) {
    return await(accesses_->answering(static_cast<std::uint8_t>(request.number), request.value),
                 now);
  }
  tell_answer(request, now);
  return at_once(now);
}

void protocol_thread::tell_answer(const handler_request& request, cycle_t now) {
  const auto tag = static_cast<std::uint8_t>(request.number);
  if (owes_answer_ && tag == header_.tag) owes_answer_ = false;
  client_->answered(tag, request.value, now);
}

word_t protocol_thread::keep_read(const handler_request& /*request*/, cycle_t /*now*/) {
  if (!owes_answer_) {
    breach("uncached read", "keeps a read of the processor that it does not owe an answer");
  }
  owes_answer_ = false;
  return header_.tag;
}

// --- payloads ------------------------------------------------------------------------------------

bool protocol_thread::give_up(payload_handle data) {
  const auto found = std::find(held_.begin(), held_.end(), data);
  if (found == held_.end()) return false;
  held_.erase(found);
  return true;
}

void protocol_thread::require_payload(payload_handle data, const char* operation) const {
  if (payloads_.has(data)) return;
  breach("payloads", fmt::format("does {} with a payload that it does not have", operation));
}

payload_handle protocol_thread::allocate(const handler_request& /*request*/, cycle_t /*now*/) {
  held_.push_back(payloads_.allocate());
  return held_.back();
}

void protocol_thread::retain(const handler_request& request, cycle_t /*now*/) {
  require_payload(request.data, "retain");
  payloads_.retain(request.data);
}

void protocol_thread::release(const handler_request& request, cycle_t /*now*/) {
  require_payload(request.data, "release");
  give_up(request.data);
  if (request.data == header_.data) header_.data = no_payload;
  payloads_.release(request.data);
}

std::size_t protocol_thread::place_in(const handler_request& request, const char* operation) const {
  require_payload(request.data, operation);
  if (request.number < units_.line.words()) return static_cast<std::size_t>(request.number);
  breach("payloads", fmt::format("does {} with doubleword {} of a payload (allowed: 0 to {})",
                                 operation, request.number, units_.line.words() - 1));
}

word_t protocol_thread::word(const handler_request& request, cycle_t /*now*/) const {
  const std::size_t place = place_in(request, "word");
  return payloads_.words(request.data)[place];
}

void protocol_thread::set_word(const handler_request& request, cycle_t /*now*/) {
  const std::size_t place = place_in(request, "set_word");
  payloads_.words(request.data)[place] = request.value;
}

// --- memory --------------------------------------------------------------------------------------

std::uint64_t protocol_thread::offset_of(std::uint64_t address) const {
  const node_id home = addresses_.node_of(address);
  // A mere offset looks like an address of node 0.
  if (home != here_ && home != node_id{0}) {
    breach("memory", fmt::format("reaches for address {:#x}, which is not this node's; send a "
                                 "message to its home, node {}",
                                 address, index(home)));
  }
  return addresses_.offset_of(address);
}

std::uint64_t protocol_thread::line_of(std::uint64_t address) const {
  return units_.line.start(offset_of(address));
}

processor_steps protocol_thread::line_loads(std::uint64_t from) const {
  processor_steps steps;
  for (std::size_t i = 0; i < units_.line.words(); ++i) {
    steps.push_back(processor_step::load(from + word_bytes * i));
  }
  return steps;
}

processor_steps protocol_thread::line_stores(std::uint64_t to, const line_data& words) const {
  processor_steps steps;
  for (std::size_t i = 0; i < units_.line.words(); ++i) {
    steps.push_back(processor_step::store(to + word_bytes * i, words[i]));
  }
  return steps;
}

protocol_thread::answer_or_wait protocol_thread::fill(const handler_request& request, cycle_t now) {
  require_payload(request.data, "fill");
  const std::uint64_t from = line_of(request.address);
  if (accesses_ != nullptr) return await_block(line_loads(from), now);
  line_data& words = payloads_.words(request.data);
  for (std::size_t i = 0; i < units_.line.words(); ++i) {
    words[i] = units_.memory.read(from + word_bytes * i);
  }
  return at_once(now);
}

/// What goes beyond the first payload is lost if there is no other one (FLASH 2.3.4, Figure 2.6).
void protocol_thread::fill_realigned(const handler_request& request, cycle_t /*now*/) {
  if (accesses_ != nullptr) refuse("fill_realigned");
  require_payload(request.data, "fill_realigned");
  require_payload(request.second, "fill_realigned");
  const std::size_t words = units_.line.words();
  const std::uint64_t from = line_of(request.address);
  for (std::size_t i = 0; i < words; ++i) {
    const auto place = static_cast<std::size_t>(request.number) + i;
    const bool is_beyond = place >= words;
    if (is_beyond && request.data == request.second) continue;
    payloads_.words(is_beyond ? request.second : request.data)[place % words] =
        units_.memory.read(from + word_bytes * i);
  }
}

protocol_thread::answer_or_wait protocol_thread::spill(const handler_request& request,
                                                       cycle_t now) {
  require_payload(request.data, "spill");
  const std::uint64_t to = line_of(request.address);
  const line_data& words = payloads_.words(request.data);
  if (accesses_ != nullptr) return await_block(line_stores(to, words), now);
  for (std::size_t i = 0; i < units_.line.words(); ++i) {
    units_.memory.write(to + word_bytes * i, words[i]);
  }
  return at_once(now);
}

protocol_thread::answer_or_wait protocol_thread::spill_word(const handler_request& request,
                                                            cycle_t now) {
  const std::size_t place = place_in(request, "spill_word");
  return write(offset_of(request.address), payloads_.words(request.data)[place], now);
}

protocol_thread::answer_or_wait protocol_thread::load(const handler_request& request, cycle_t now) {
  const std::uint64_t offset = offset_of(request.address);
  if (accesses_ != nullptr) return await({accesses_->loading(offset)}, now);
  return at_once(now, units_.memory.read(offset));
}

protocol_thread::answer_or_wait protocol_thread::store(const handler_request& request,
                                                       cycle_t now) {
  return write(offset_of(request.address), request.value, now);
}

protocol_thread::answer_or_wait protocol_thread::write(std::uint64_t offset, word_t value,
                                                       cycle_t now) {
  if (accesses_ != nullptr) return await({accesses_->storing(offset, value)}, now);
  units_.memory.write(offset, value);
  return at_once(now);
}

// --- handlers that are put off -------------------------------------------------------------------

void protocol_thread::put_off(handler_id run, const message& with, cycle_t now) {
  message kept = with;
  kept.origin = message_origin::deferred;
  kept.data = no_payload;
  // Only what a record in memory holds; its tag names any of the node's processors.
  message header = message_of(header_words_of(kept));
  header.tag = with.tag;
  header.identity = with.identity.none() ? header_.identity : with.identity;
  client_->put_off(run, header, now);
}

void protocol_thread::later(const handler_request& request, cycle_t now) {
  if (accesses_ != nullptr) refuse("later");
  put_off(request.run, request.header, now);
}

void protocol_thread::again(const handler_request& request, cycle_t now) {
  pay_reload();
  put_off(run_, request.header, now);
}

void protocol_thread::done(const handler_request& /*request*/, cycle_t /*now*/) { pay_reload(); }

void protocol_thread::pay_reload() {
  if (!owes_reload_) {
    breach("deferred handlers", "calls again or done twice, or was not put off by later");
  }
  owes_reload_ = false;
}

// --- messages and reports ------------------------------------------------------------------------

void protocol_thread::refuse(const char* operation) const {
  breach("operations", fmt::format("does {}, which a protocol thread does not have{}; run this "
                                   "protocol on MAGIC",
                                   operation, accesses_ == nullptr ? "" : " on a bus"));
}

void protocol_thread::breach(const char* rule, const std::string& fault) const {
  throw broken_rule(fmt::format(
      "{}: handler '{}' of node {} in cycle {} {} (its message: type {} of node {}, address {:#x})",
      rule, protocols_.name_of(run_), index(here_), agenda_.now(), fault, header_.type,
      index(header_.source), header_.address));
}

void protocol_thread::reset_statistics() {
  reset_all(dispatches_, busy_);
  for (average& each : occupancies_) each.reset();
}

void protocol_thread::report(statistics_group& into, std::uint64_t cycles) const {
  into.add("dispatches", dispatches_, "handlers", "Handlers that were begun.");
  into.add("busy", busy_, "cycles", "Cycles in which a handler ran.");
  into.add("occupancy",
           cycles == 0 ? 0.0 : static_cast<double>(busy_.value()) / static_cast<double>(cycles), "",
           "Fraction of the cycles in which a handler ran.");
  protocols_.report_occupancies(into, occupancies_);
}

std::string protocol_thread::save() const {
  return save_state(save_state(*this), executor_.save());
}

void protocol_thread::restore(const std::string& state) {
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
  const bool has_held = std::all_of(held_.begin(), held_.end(),
                                    [this](payload_handle each) { return payloads_.has(each); });
  require_state(has_held, "its handler holds payloads that do not exist");
}

}  // namespace tributary
