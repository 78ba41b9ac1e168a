// SPDX-License-Identifier: Apache-2.0
#include <tributary/bus/snooping_bus.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <tributary/bus/bus_events.h>
#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>
#include <tributary/trace/catalog.h>
#include <tributary/trace/identity.h>

namespace tributary {
namespace {

// Wake-ups, the number of a transaction or master in the bits above.
constexpr std::uint64_t address_bus = 0;
constexpr std::uint64_t data_bus = 1;
constexpr std::uint64_t answered = 2;
constexpr std::uint64_t first_word = 3;
constexpr std::uint64_t access_ended = 4;
constexpr std::uint64_t store_taken = 5;
constexpr unsigned number_shift = 3;
constexpr std::uint64_t kind_mask = (1U << number_shift) - 1;

constexpr std::uint64_t tag_of(std::uint64_t kind, std::size_t number) {
  return kind | std::uint64_t{number} << number_shift;
}

bool is_uncached(bus_transaction kind) {
  return kind == bus_transaction::uncached_read || kind == bus_transaction::uncached_write;
}

bus_transaction transaction_for(line_want want) {
  switch (want) {
    case line_want::shared:
      return bus_transaction::read;
    case line_want::exclusive:
      return bus_transaction::read_exclusive;
    default:
      return bus_transaction::upgrade;
  }
}

intervention intervention_of(bus_transaction kind) {
  switch (kind) {
    case bus_transaction::read:
      return intervention::get;
    case bus_transaction::read_exclusive:
      return intervention::get_exclusive;
    default:
      return intervention::invalidate;
  }
}

bool is_store(const access& request) { return request.function.kind == form::constant; }

bool is_load_or_store(const access& request) {
  return request.kind == access_kind::word &&
         (is_store(request) || request.function.kind == form::identity);
}

}  // namespace

// --- a master's ports ----------------------------------------------------------------------------

class snooping_bus::line_side final : public line_port {
 public:
  line_side(snooping_bus& bus, std::size_t master) : bus_(bus), master_(master) {}

  void check(std::uint64_t address) const override { bus_.check_line(address); }
  bool can_take() const override { return bus_.has_room(master_); }
  void ask(line_want want, std::uint64_t address, std::uint8_t tag, cycle_t now) override {
    bus_.ask(master_, want, address, tag, now);
  }
  void write_back(std::uint64_t line, const line_data& words, cycle_t now) override {
    bus_.write_back(master_, line, words, now);
  }
  /// Memory, or the owner, has the words.
  void replaced(std::uint64_t, cycle_t) override {}

 private:
  snooping_bus& bus_;
  std::size_t master_;
};

class snooping_bus::word_side final : public processor_port {
 public:
  word_side(snooping_bus& bus, std::size_t master) : bus_(bus), master_(master) {}

  void set_client(memory_client* client) override { own().word_client = client; }
  void check(std::size_t, const access& request) const override { bus_.check_word(request); }
  bool can_take(std::size_t = 0) const override {
    return own().words.size() < bus_.config_.uncached;
  }
  void offer(std::size_t element, const access& request, cycle_t now) override {
    bus_.offer(master_, element, request, now);
  }
  std::size_t waiting(std::size_t = 0) const override { return own().words.size() - outstanding(); }
  std::size_t outstanding(std::size_t = 0) const override {
    return !own().words.empty() && own().words.front().under_way ? 1 : 0;
  }
  std::uint64_t incomplete_stores(std::size_t = 0) const override { return own().incomplete; }

 private:
  master_state& own() const { return bus_.masters_[master_]; }

  snooping_bus& bus_;
  std::size_t master_;
};

snooping_bus::snooping_bus(const snooping_bus_config& config, std::size_t masters,
                           const bus_range& memory_at, agenda& time, line_memory& memory)
    : config_((config.validate(), config)),
      memory_at_(memory_at),
      line_(config.line()),
      agenda_(time),
      memory_(memory),
      masters_(masters),
      transactions_(config.outstanding) {
  if (masters == 0 || masters > most_masters) {
    throw configuration_error({"masters", "", fmt::format("{} masters", masters),
                               fmt::format("1 to {}", most_masters), "choose as many"});
  }
  if (line_.offset(memory_at.base) != 0 || line_.offset(memory_at.bytes) != 0) {
    throw configuration_error(
        {"memory", "",
         fmt::format("{:#x} bytes at {:#x} are not whole lines", memory_at.bytes, memory_at.base),
         fmt::format("multiples of {}", line_.bytes()), "round them up"});
  }
  for (std::size_t i = 0; i < masters; ++i) {
    line_sides_.push_back(std::make_unique<line_side>(*this, i));
    word_sides_.push_back(std::make_unique<word_side>(*this, i));
  }
  last_master_ = masters - 1;
  agenda_.enroll(*this);
}

snooping_bus::~snooping_bus() = default;

line_port& snooping_bus::lines(std::size_t master) { return *line_sides_[master]; }

processor_port& snooping_bus::words(std::size_t master) { return *word_sides_[master]; }

void snooping_bus::attach(const bus_range& at, bus_device& device) {
  if (at.bytes == 0 || at.base % word_bytes != 0 || at.bytes % word_bytes != 0) {
    throw configuration_error(
        {"device", "", fmt::format("{:#x} bytes at {:#x} are no words", at.bytes, at.base),
         fmt::format("multiples of {} bytes, at least one", word_bytes), "round them up"});
  }
  const bool meets_device =
      std::any_of(devices_.begin(), devices_.end(),
                  [&](const attached_device& each) { return each.at.meets(at); });
  if (meets_device || at.meets(memory_at_)) {
    throw configuration_error({"device", "",
                               fmt::format("{:#x} bytes at {:#x} meet {}", at.bytes, at.base,
                                           meets_device ? "another device" : "memory"),
                               "addresses of its own", "move it"});
  }
  devices_.push_back({at, &device});
}

void snooping_bus::watch(const bus_range& at, transaction_watcher& watcher) {
  const bool meets = std::any_of(watchers_.begin(), watchers_.end(),
                                 [&](const attached_watcher& each) { return each.at.meets(at); });
  if (at.bytes == 0 || meets) {
    throw configuration_error({"watcher", "",
                               fmt::format("{:#x} bytes at {:#x} {}", at.bytes, at.base,
                                           meets ? "meet those of another watcher" : "are none"),
                               "one watcher of an address", "move it"});
  }
  watchers_.push_back({at, &watcher});
}

// --- what masters ask for ------------------------------------------------------------------------

void snooping_bus::check_line(std::uint64_t address) const {
  if (memory_at_.contains(address)) return;
  fail(fmt::format("a line at {:#x} is asked for; memory has {:#x} bytes at {:#x}", address,
                   memory_at_.bytes, memory_at_.base));
}

void snooping_bus::ask(std::size_t master, line_want want, std::uint64_t address, std::uint8_t tag,
                       cycle_t now) {
  check_line(address);
  if (masters_[master].client == nullptr) {
    fail(fmt::format("master {} asks for a line at {:#x} and has no cache; call set_client before",
                     master, address));
  }
  if (tag >= most_requests || masters_[master].requests[tag].at != line_request::stage::free) {
    fail(fmt::format("master {} asks with tag {}, which is in use or above {}", master, tag,
                     most_requests - 1));
  }
  const cycle_t from = edge_behind(now);
  const std::uint64_t order = next_order_++;
  masters_[master].requests[tag] = {
      line_request::stage::ready, want, address, order, order, now, from};
  want_address(from);
}

void snooping_bus::write_back(std::size_t master, std::uint64_t line, const line_data& words,
                              cycle_t now) {
  check_line(line);
  if (!has_room(master)) {
    fail(fmt::format("master {} writes line {:#x} back while {} wait", master, line,
                     masters_[master].leaving.size()));
  }
  const cycle_t from = edge_behind(now);
  masters_[master].leaving.push_back({line, words, false, next_order_++, now, from});
  want_address(from);
}

void snooping_bus::check_word(const access& request) const {
  if (!is_load_or_store(request)) {
    fail(fmt::format("an access at {:#x} that is no load or store: devices serve no other",
                     request.address));
  }
  if (!has_device_word(request.address)) {
    fail(fmt::format("an uncached access at {:#x}, which is no word of a device", request.address));
  }
}

void snooping_bus::offer(std::size_t master, std::size_t element, const access& request,
                         cycle_t now) {
  check_word(request);
  master_state& own = masters_[master];
  if (own.words.size() >= config_.uncached) {
    fail(fmt::format("an uncached access at {:#x} came while {} wait", request.address,
                     own.words.size()));
  }
  const pe_id asking{static_cast<std::uint32_t>(element)};
  word_access taken{request, asking, false, next_order_++, now, edge_behind(now)};
  taken.request.posted = request.posted && is_store(request);
  own.words.push(taken);
  if (taken.request.posted) {
    ++own.incomplete;
    own.taken.push({asking, request.tag});
    agenda_.wake(*this, now + 1, tag_of(store_taken, master), wake_rank::processor);
  }
  want_address(taken.from);
}

void snooping_bus::tell_taken(std::size_t master, cycle_t now) {
  if (master >= masters_.size() || masters_[master].taken.empty()) {
    fail(fmt::format("a wake-up for a store of master {}, which has made none", master));
  }
  master_state& own = masters_[master];
  const taken_store told = own.taken.front();
  own.taken.pop();
  if (own.word_client != nullptr) own.word_client->completed({told.element, told.tag, 0}, now);
}

// --- the address bus -----------------------------------------------------------------------------

void snooping_bus::want_address(cycle_t from) {
  const cycle_t at = std::max(from, address_free_);
  if (at >= address_wake_) return;
  address_wake_ = at;
  agenda_.wake(*this, at, address_bus);
}

void snooping_bus::grant_address(cycle_t now) {
  if (now != address_wake_) return;  // an earlier one took its place
  address_wake_ = never;
  if (free_transaction() == nullptr) return;  // the end of one asks again
  for (std::size_t i = 1; i <= masters_.size(); ++i) {
    const std::size_t master = (static_cast<std::size_t>(last_master_) + i) % masters_.size();
    const std::optional<candidate> chosen = next_of(master, now);
    if (!chosen) continue;
    begin(master, *chosen, now);
    if (const cycle_t next = next_asked(0); next != never) want_address(next);
    return;
  }
  if (const cycle_t next = next_asked(now + 1); next != never) want_address(next);
}

std::optional<snooping_bus::candidate> snooping_bus::next_of(std::size_t master,
                                                             cycle_t now) const {
  const master_state& own = masters_[master];
  std::optional<candidate> oldest;
  const auto consider = [&](bus_transaction kind, std::size_t number, std::uint64_t order) {
    if (!oldest || order < oldest->order) oldest = {kind, number, order};
  };
  for (std::size_t tag = 0; tag < most_requests; ++tag) {
    const line_request& each = own.requests[tag];
    if (each.waits(now) && may_go(each, now)) consider(transaction_for(each.want), tag, each.order);
  }
  for (std::size_t i = 0; i < own.leaving.size(); ++i) {
    const leaving_line& each = own.leaving[i];
    if (each.under_way || each.from > now || under_way(each.line)) continue;
    consider(bus_transaction::write_back, i, each.order);
  }
  if (!own.words.empty() && !own.words.front().under_way && own.words.front().from <= now) {
    const word_access& first = own.words.front();
    consider(
        is_store(first.request) ? bus_transaction::uncached_write : bus_transaction::uncached_read,
        0, first.order);
  }
  return oldest;
}

/// Not while its line is under way, and of all that want a line the oldest first: else masters that
/// ask again and again could keep the line from another one. A line that waits in the master's own
/// buffer goes before, because it has waited longer.
bool snooping_bus::may_go(const line_request& asked, cycle_t now) const {
  const std::uint64_t line = line_.start(asked.address);
  if (under_way(line)) return false;
  return std::none_of(masters_.begin(), masters_.end(), [&](const master_state& other) {
    return std::any_of(other.requests.begin(), other.requests.end(), [&](const line_request& each) {
      return each.waits(now) && each.age < asked.age && line_.start(each.address) == line;
    });
  });
}

void snooping_bus::begin(std::size_t master, const candidate& chosen, cycle_t now) {
  master_state& own = masters_[master];
  transaction& begun = *free_transaction();
  begun = {};
  begun.at = transaction::stage::answering;
  begun.kind = chosen.kind;
  begun.master = static_cast<std::uint32_t>(master);
  begun.number = next_number_++;
  begun.begin = now + bus_cycles(config_.arbitration);
  const auto takes = [&](auto& asked) {
    begun.since = asked.since;
    address_waits_.add(now - asked.from);
  };
  if (chosen.kind == bus_transaction::write_back) {
    leaving_line& asked = own.leaving[chosen.number];
    asked.under_way = true;
    begun.address = asked.line;
    begun.answer.words = asked.words;
    takes(asked);
  } else if (is_uncached(chosen.kind)) {
    word_access& asked = own.words[0];
    asked.under_way = true;
    begun.address = asked.request.address;
    begun.value = asked.request.function.a;
    takes(asked);
  } else {
    line_request& asked = own.requests[chosen.number];
    asked.at = line_request::stage::under_way;
    begun.tag = static_cast<std::uint8_t>(chosen.number);
    begun.address = asked.address;
    takes(asked);
  }
  last_master_ = master;
  address_free_ = now + bus_cycles(config_.address);
  address_busy_.add(config_.address);
  agenda_.wake(*this, begun.begin + bus_cycles(config_.address + config_.snoop),
               tag_of(answered, slot_of(begun)), wake_rank::arrival);
}

cycle_t snooping_bus::next_asked(cycle_t since) const {
  cycle_t next = never;
  const auto consider = [&](cycle_t from) {
    if (from >= since) next = std::min(next, from);
  };
  for (const master_state& each : masters_) {
    for (const line_request& asked : each.requests) {
      if (asked.at == line_request::stage::ready) consider(asked.from);
    }
    for (const leaving_line& line : each.leaving) {
      if (!line.under_way) consider(line.from);
    }
    if (!each.words.empty() && !each.words.front().under_way) consider(each.words.front().from);
  }
  return next;
}

// --- the answer ----------------------------------------------------------------------------------

void snooping_bus::answer(transaction& about, cycle_t now) {
  if (about.kind == bus_transaction::write_back) {
    tell_address(about, watch_verdict::pass);
    await_data(about, about.master, now);
  } else if (is_uncached(about.kind)) {
    answer_word(about, now);
  } else {
    answer_line(about, now);
  }
}

void snooping_bus::answer_line(transaction& about, cycle_t now) {
  const watch_verdict verdict = verdict_on(about, now);
  tell_address(about, verdict);
  if (verdict != watch_verdict::pass && verdict != watch_verdict::pass_shared) {
    put_off(about, verdict, now);
    return;
  }
  std::vector<lost_upgrade> lost;
  const snooped_line found = snoop(about, lost, now);
  const bool is_only = !found.found && verdict == watch_verdict::pass;
  about.answer.exclusive = about.kind == bus_transaction::read_exclusive || is_only;
  if (about.kind == bus_transaction::upgrade) {
    end_upgrade(about, now);
  } else if (found.owner) {
    read_owner(about, found, now);
  } else {
    read_memory(about, now);
  }
  refuse(lost, now);
}

watch_verdict snooping_bus::verdict_on(const transaction& about, cycle_t now) const {
  const std::uint64_t line = line_.start(about.address);
  for (const attached_watcher& each : watchers_) {
    if (!each.at.meets({line, line_.bytes()})) continue;
    const watch_verdict verdict =
        each.watcher->watch({about.kind, line, about.address, about.master}, now);
    if (verdict != watch_verdict::pass) return verdict;
  }
  // An upgrade brings no words, so they must be in memory before.
  return about.kind == bus_transaction::upgrade && leaving(line) != nullptr ? watch_verdict::retry
                                                                            : watch_verdict::pass;
}

void snooping_bus::put_off(transaction& about, watch_verdict verdict, cycle_t now) {
  line_request& asked = masters_[about.master].requests[about.tag];
  if (verdict == watch_verdict::defer) {
    asked.at = line_request::stage::deferred;
    ++deferrals_;
  } else if (verdict == watch_verdict::retry) {
    asked.at = line_request::stage::ready;
    ask_later(asked, now);
  } else {
    asked = {};
    ++forbidden_;
  }
  const std::uint32_t master = about.master;
  const std::uint8_t tag = about.tag;
  free(about, now);
  if (verdict == watch_verdict::refuse) masters_[master].client->refused(tag, now);
}

/// Behind the rest of its master: else it could keep a write-back from the bus for which another
/// master waits.
template <class Asked>
void snooping_bus::ask_later(Asked& retried, cycle_t now) {
  retried.order = next_order_++;
  retried.from = now + bus_cycles(config_.retry);
  ++retries_;
}

std::size_t snooping_bus::resume(std::uint64_t address, cycle_t now) {
  const std::uint64_t line = line_.start(address);
  std::size_t found = 0;
  for (master_state& each : masters_) {
    for (line_request& asked : each.requests) {
      if (asked.at != line_request::stage::deferred || line_.start(asked.address) != line) continue;
      asked.at = line_request::stage::ready;
      asked.from = edge_behind(now);
      ++found;
    }
  }
  resumed_.add(found);
  if (found != 0) want_address(edge_behind(now));
  return found;
}

snooping_bus::snooped_line snooping_bus::snoop(const transaction& about,
                                               std::vector<lost_upgrade>& lost, cycle_t now) {
  snooped_line found;
  for (std::size_t i = 0; i < masters_.size(); ++i) {
    if (i == about.master) continue;
    snoop_cache(about, i, found, lost, now);
    snoop_buffer(about, i, found, now);
  }
  return found;
}

void snooping_bus::snoop_cache(const transaction& about, std::size_t master, snooped_line& found,
                               std::vector<lost_upgrade>& lost, cycle_t now) {
  master_state& other = masters_[master];
  if (other.client == nullptr) return;
  const std::uint64_t line = line_.start(about.address);
  const found_line had = other.client->intervene(intervention_of(about.kind), line, now);
  if (had.before == line_state::invalid) return;
  found.found = true;
  if (had.before == line_state::modified || had.before == line_state::owned) {
    take_owner(about, master, had.words, found);
    found.owner_keeps = had.left == line_state::owned;
  }
  if (about.kind == bus_transaction::read) return;
  for (std::size_t tag = 0; tag < most_requests; ++tag) {
    line_request& each = other.requests[tag];
    const bool waits =
        each.at == line_request::stage::ready || each.at == line_request::stage::deferred;
    if (!waits || each.want != line_want::upgrade || line_.start(each.address) != line) continue;
    each.at = line_request::stage::free;
    lost.push_back({master, static_cast<std::uint8_t>(tag)});
  }
}

void snooping_bus::snoop_buffer(const transaction& about, std::size_t master, snooped_line& found,
                                cycle_t now) {
  const leaving_line* const left = leaving_of(master, line_.start(about.address));
  if (left == nullptr) return;
  found.found = true;
  take_owner(about, master, left->words, found);
  found.owner_keeps = about.kind == bus_transaction::read;
  found.from_buffer = true;
  if (!found.owner_keeps) remove_leaving(master, *left, now);
}

void snooping_bus::take_owner(const transaction& about, std::size_t master, const line_data& words,
                              snooped_line& found) const {
  if (found.owner) {
    fail(fmt::format("line {:#x} is owned by masters {} and {}", line_.start(about.address),
                     *found.owner, master));
  }
  found.owner = master;
  found.words = words;
}

void snooping_bus::end_upgrade(transaction& about, cycle_t now) {
  const auto kind = static_cast<std::size_t>(about.kind);
  ++counted_[kind];
  latency_[kind].add(now - about.since);
  const std::uint32_t master = about.master;
  const std::uint8_t tag = about.tag;
  masters_[master].requests[tag].at = line_request::stage::free;
  free(about, now);
  masters_[master].client->upgraded(tag, now);
}

void snooping_bus::read_owner(transaction& about, const snooped_line& found, cycle_t now) {
  ++(found.from_buffer ? supplied_by_buffers_ : supplied_by_caches_);
  about.answer.words = found.words;
  about.answer.changed = !found.owner_keeps && about.answer.exclusive;
  about.to_memory = !found.owner_keeps && !about.answer.exclusive;
  await_data(about, *found.owner, now + bus_cycles(config_.supply));
}

void snooping_bus::read_memory(transaction& about, cycle_t now) {
  ++supplied_by_memory_;
  const memory_transfer moves =
      memory_.read_line(about.address - memory_at_.base, now, about.answer.words);
  // The words follow each other on the bus without a pause.
  const cycle_t step = moves.step(line_.words());
  const cycle_t later = step > config_.ratio ? (step - config_.ratio) * (line_.words() - 1) : 0;
  await_data(about, memory_source(), moves.first + later);
}

void snooping_bus::refuse(const std::vector<lost_upgrade>& lost, cycle_t now) {
  for (const lost_upgrade& each : lost) {
    ++refused_;
    masters_[each.master].client->refused(each.tag, now);
  }
}

void snooping_bus::answer_word(transaction& about, cycle_t now) {
  if (about.kind == bus_transaction::uncached_write) {
    tell_address(about, watch_verdict::pass);
    await_data(about, about.master, now);
    return;
  }
  const attached_device& at = *device_at(about.address);
  const device_answer word = at.device->read(about.address, now);
  tell_address(about, word.retry ? watch_verdict::retry : watch_verdict::pass);
  if (word.retry) {
    put_off_word(about, now);
    return;
  }
  about.value = word.value;
  await_data(about, memory_source() + 1 + static_cast<std::size_t>(&at - devices_.data()),
             std::max(now, word.ready));
}

void snooping_bus::put_off_word(transaction& about, cycle_t now) {
  word_access& asked = masters_[about.master].words[0];
  asked.under_way = false;
  ask_later(asked, now);
  free(about, now);
}

// --- the data bus --------------------------------------------------------------------------------

void snooping_bus::await_data(transaction& about, std::size_t source, cycle_t from) {
  about.at = transaction::stage::waiting;
  about.source = static_cast<std::uint32_t>(source);
  about.from = edge_from(from);
  want_data(about.from);
}

void snooping_bus::want_data(cycle_t from) {
  const cycle_t at = std::max(from, data_free_);
  if (at >= data_wake_) return;
  data_wake_ = at;
  agenda_.wake(*this, at, data_bus);
}

snooping_bus::transaction* snooping_bus::ready_at(std::size_t source, cycle_t now) {
  transaction* oldest = nullptr;
  for (transaction& each : transactions_) {
    if (each.at != transaction::stage::waiting || each.source != source || each.from > now) {
      continue;
    }
    if (oldest == nullptr || each.number < oldest->number) oldest = &each;
  }
  return oldest;
}

void snooping_bus::grant_data(cycle_t now) {
  if (now != data_wake_) return;
  data_wake_ = never;
  for (std::size_t i = 1; i <= sources(); ++i) {
    const std::size_t source = (static_cast<std::size_t>(last_source_) + i) % sources();
    transaction* const granted = ready_at(source, now);
    if (granted == nullptr) continue;
    last_source_ = source;
    move(*granted, now);
    break;
  }
  cycle_t next = never;
  for (const transaction& each : transactions_) {
    if (each.at == transaction::stage::waiting) next = std::min(next, each.from);
  }
  if (next != never) want_data(next);
}

line_stamps snooping_bus::stamps(const transaction& of, cycle_t now) const {
  line_stamps valid{};
  for (std::size_t i = 0; i < line_.words(); ++i) {
    valid[i] = now + bus_cycles(subblock_place(i, line_.word(of.address)) + 1);
  }
  return valid;
}

void snooping_bus::move(transaction& granted, cycle_t now) {
  const bool is_word = is_uncached(granted.kind);
  const std::size_t words = is_word ? 1 : line_.words();
  const cycle_t last = now + bus_cycles(words);
  granted.at = transaction::stage::moving;
  data_waits_.add(now - granted.from);
  data_busy_.add(words);
  data_free_ = last;
  tell_data(granted, now, last - 1);
  agenda_.wake(*this, last, tag_of(access_ended, slot_of(granted)), wake_rank::arrival);
  if (is_word) return;
  granted.answer.valid = stamps(granted, now);
  const bool is_write_back = granted.kind == bus_transaction::write_back;
  if (is_write_back || granted.to_memory) {
    if (granted.to_memory) ++memory_updates_;
    memory_.write_line(granted.address - memory_at_.base, now, granted.answer.words,
                       granted.answer.valid);
  }
  if (is_write_back) return;
  agenda_.wake(*this, now + bus_cycles(1), tag_of(first_word, slot_of(granted)),
               wake_rank::arrival);
}

void snooping_bus::fill(transaction& about, cycle_t now) {
  const auto kind = static_cast<std::size_t>(about.kind);
  ++counted_[kind];
  latency_[kind].add(now - about.since);
  // The cache may ask with the same tag at once.
  masters_[about.master].requests[about.tag].at = line_request::stage::free;
  masters_[about.master].client->filled(about.tag, about.answer, now);
}

void snooping_bus::end(transaction& over, cycle_t now) {
  if (over.kind == bus_transaction::write_back) {
    end_write_back(over, now);
  } else if (is_uncached(over.kind)) {
    end_word(over, now);
  } else {
    free(over, now);
  }
}

void snooping_bus::end_write_back(transaction& over, cycle_t now) {
  const auto kind = static_cast<std::size_t>(over.kind);
  ++counted_[kind];
  latency_[kind].add(now - over.since);
  const std::uint32_t master = over.master;
  const leaving_line* const left = leaving_of(master, over.address);
  free(over, now);
  remove_leaving(master, *left, now);
}

void snooping_bus::end_word(transaction& over, cycle_t now) {
  const bool is_write = over.kind == bus_transaction::uncached_write;
  if (is_write && !device_at(over.address)->device->write(over.address, over.value, now)) {
    put_off_word(over, now);
    return;
  }
  const auto kind = static_cast<std::size_t>(over.kind);
  ++counted_[kind];
  latency_[kind].add(now - over.since);
  master_state& own = masters_[over.master];
  const word_access done = own.words.front();
  const word_t value = is_write ? 0 : over.value;
  const bool was_full = own.words.size() == config_.uncached;
  own.words.pop();
  free(over, now);
  bool settled = false;
  if (done.request.posted) settled = --own.incomplete == 0;
  if (own.word_client == nullptr) return;
  if (!done.request.posted) {
    own.word_client->completed({done.element, done.request.tag, value}, now);
  }
  if (was_full && own.words.size() < config_.uncached) {
    own.word_client->room(index(done.element), now);
  }
  if (settled && own.incomplete == 0) own.word_client->settled(index(done.element), now);
}

void snooping_bus::free(transaction& over, cycle_t now) {
  over.at = transaction::stage::free;
  want_address(now);
}

// --- debuggers -----------------------------------------------------------------------------------

/// All copies of a word are equal, and memory's is the newest if there is none.
word_t snooping_bus::peek(std::uint64_t address) const {
  check_line(address);
  for (const master_state& each : masters_) {
    const word_t* const word = each.client == nullptr ? nullptr : each.client->peek(address);
    if (word != nullptr) return *word;
  }
  const std::uint64_t line = line_.start(address);
  if (const line_data* const left = leaving(line)) return (*left)[line_.word(address)];
  for (const transaction& each : transactions_) {
    if (carries(each, line)) return each.answer.words[line_.word(address)];
  }
  return memory_.newest(address - memory_at_.base);
}

void snooping_bus::poke(std::uint64_t address, word_t value, cycle_t now) {
  check_line(address);
  const std::uint64_t line = line_.start(address);
  const std::size_t place = line_.word(address);
  for (transaction& each : transactions_) {
    if (carries(each, line)) each.answer.words[place] = value;
  }
  memory_.replace(address - memory_at_.base, value);
  for (master_state& each : masters_) {
    for (leaving_line& left : each.leaving) {
      if (left.line == line) left.words[place] = value;
    }
    if (each.client != nullptr) each.client->poke(address, value, now);
  }
}

bool snooping_bus::carries(const transaction& each, std::uint64_t line) const {
  const bool has_words =
      each.at == transaction::stage::waiting || each.at == transaction::stage::moving ||
      (each.at == transaction::stage::answering && each.kind == bus_transaction::write_back);
  return has_words && !is_uncached(each.kind) && line_.start(each.address) == line;
}

// --- the rest ------------------------------------------------------------------------------------

void snooping_bus::wake(cycle_t now, std::uint64_t tag) {
  const auto number = static_cast<std::size_t>(tag >> number_shift);
  switch (tag & kind_mask) {
    case address_bus:
      grant_address(now);
      break;
    case data_bus:
      grant_data(now);
      break;
    case answered:
      answer(woken(number, transaction::stage::answering), now);
      break;
    case first_word:
      fill(woken(number, transaction::stage::moving), now);
      break;
    case access_ended:
      end(woken(number, transaction::stage::moving), now);
      break;
    default:
      tell_taken(number, now);
      break;
  }
}

/// A checkpoint could have any wake-up.
snooping_bus::transaction& snooping_bus::woken(std::size_t slot, transaction::stage stage) {
  if (slot >= transactions_.size() || transactions_[slot].at != stage) {
    fail(fmt::format("a wake-up for transaction {}, which awaits none", slot));
  }
  return transactions_[slot];
}

snooping_bus::transaction* snooping_bus::free_transaction() {
  const auto found =
      std::find_if(transactions_.begin(), transactions_.end(),
                   [](const transaction& each) { return each.at == transaction::stage::free; });
  return found == transactions_.end() ? nullptr : &*found;
}

bool snooping_bus::under_way(std::uint64_t line) const {
  return std::any_of(transactions_.begin(), transactions_.end(), [&](const transaction& each) {
    return each.at != transaction::stage::free && !is_uncached(each.kind) &&
           line_.start(each.address) == line;
  });
}

const snooping_bus::attached_device* snooping_bus::device_at(std::uint64_t address) const {
  const auto found = std::find_if(devices_.begin(), devices_.end(),
                                  [&](const auto& each) { return each.at.contains(address); });
  return found == devices_.end() ? nullptr : &*found;
}

const snooping_bus::leaving_line* snooping_bus::leaving_of(std::size_t master,
                                                           std::uint64_t line) const {
  for (const leaving_line& each : masters_[master].leaving) {
    if (each.line == line) return &each;
  }
  return nullptr;
}

const line_data* snooping_bus::leaving(std::uint64_t line) const {
  for (std::size_t i = 0; i < masters_.size(); ++i) {
    const leaving_line* const found = leaving_of(i, line);
    if (found != nullptr) return &found->words;
  }
  return nullptr;
}

void snooping_bus::remove_leaving(std::size_t master, const leaving_line& gone, cycle_t now) {
  master_state& own = masters_[master];
  const bool had_room = has_room(master);
  own.leaving.erase(own.leaving.begin() + (&gone - own.leaving.data()));
  if (!had_room && own.client != nullptr) own.client->room(now);
}

std::optional<snooping_bus::deferred_transaction> snooping_bus::oldest_deferred() const {
  std::optional<deferred_transaction> oldest;
  for (std::size_t i = 0; i < masters_.size(); ++i) {
    for (const line_request& each : masters_[i].requests) {
      if (each.at != line_request::stage::deferred) continue;
      if (oldest && oldest->since <= each.since) continue;
      oldest = deferred_transaction{i, line_.start(each.address), each.since};
    }
  }
  return oldest;
}

bool snooping_bus::idle() const {
  const bool at_rest = std::all_of(masters_.begin(), masters_.end(), [](const master_state& each) {
    return each.leaving.empty() && each.words.empty() && each.taken.empty() &&
           std::all_of(each.requests.begin(), each.requests.end(), [](const line_request& asked) {
             return asked.at == line_request::stage::free;
           });
  });
  return at_rest &&
         std::all_of(transactions_.begin(), transactions_.end(),
                     [](const transaction& each) { return each.at == transaction::stage::free; });
}

void snooping_bus::fail(const std::string& problem) const {
  throw simulation_error(fmt::format("bus in cycle {}: {}", agenda_.now(), problem));
}

void snooping_bus::reset_statistics() {
  reset_all(address_waits_, data_waits_, address_busy_, data_busy_, supplied_by_caches_,
            supplied_by_buffers_, supplied_by_memory_, memory_updates_, retries_, deferrals_,
            resumed_, refused_, forbidden_);
  for (counter& each : counted_) each.reset();
  for (average& each : latency_) each.reset();
}

void snooping_bus::report(statistics_group& into, std::uint64_t cycles) const {
  for (std::size_t i = 0; i < bus_transaction_count; ++i) {
    into.group("transactions")
        .add(name_of(static_cast<bus_transaction>(i)), counted_[i], "transactions",
             "Transactions that were done, retried and deferred ones once.");
  }
  for (std::size_t i = 0; i < bus_transaction_count; ++i) {
    into.group("latency").add(
        name_of(static_cast<bus_transaction>(i)), latency_[i], "cycles",
        "Of the processors, from the asking to the first word of a line, the grant of an upgrade, "
        "or the end of another transaction.");
  }
  const auto share = [&](const counter& busy) {
    return cycles == 0
               ? 0.0
               : static_cast<double>(bus_cycles(busy.value())) / static_cast<double>(cycles);
  };
  statistics_group& address = into.group("address");
  address.add("busy", address_busy_, "bus cycles", "Address phases.");
  address.add("utilisation", share(address_busy_), "", "Share of the cycles that these took.");
  address.add("waits", address_waits_, "cycles",
              "Of the processors, for which a transaction waited for its address phase.");
  statistics_group& data = into.group("data");
  data.add("busy", data_busy_, "bus cycles", "Words on the data bus.");
  data.add("utilisation", share(data_busy_), "", "Share of the cycles that these took.");
  data.add("waits", data_waits_, "cycles",
           "Of the processors, for which words that could move waited for the data bus.");
  statistics_group& supplied = into.group("supplied");
  supplied.add("caches", supplied_by_caches_, "lines", "Lines of which a cache was the owner.");
  supplied.add("write_back_buffers", supplied_by_buffers_, "lines",
               "Lines that were in a write-back buffer.");
  supplied.add("memory", supplied_by_memory_, "lines", "Lines that memory was read for.");
  into.add("memory_updates", memory_updates_, "lines",
           "Lines that memory took as their owner supplied them and kept nothing.");
  into.add("retries", retries_, "transactions",
           "Times that a transaction was put off for later: its address phase was answered by "
           "retry, or its device did not take the word.");
  into.add("deferrals", deferrals_, "transactions", "Address phases that a watcher deferred.");
  into.add("resumed", resumed_, "transactions", "Deferred transactions that were resumed.");
  into.add("refused_upgrades", refused_, "transactions",
           "Upgrades whose line another master took first.");
  into.add("forbidden", forbidden_, "transactions", "Address phases that a watcher refused.");
}

void snooping_bus::trace(const trace_scope& scope) {
  std::vector<std::string> kinds;
  for (std::size_t i = 0; i < bus_transaction_count; ++i) {
    kinds.emplace_back(name_of(static_cast<bus_transaction>(i)));
  }
  scope.catalog().set_names(bus_events::transaction, kinds);
  scope.catalog().set_names(bus_events::verdict,
                            {"pass", "defer", "retry", "refuse", "pass_shared"});
  track_group group;
  group.parts = {{"address", {{"transaction", true}}}, {"data", {{"transaction", true}}}};
  trace_ = scope.below(name()).add(std::move(group));
}

void snooping_bus::tell_address(const transaction& about, watch_verdict verdict) const {
  if (!trace_.on()) return;
  trace_event event;
  event.cycle = about.begin;
  event.last = about.begin + bus_cycles(config_.address) - 1;
  event.kind = &bus_events::address_phase;
  event.identity = trace_identity::reference(about.master, about.number);
  event.address = about.address;
  event.details = bus_events::transaction.put(static_cast<std::uint64_t>(about.kind)) |
                  bus_events::master.put(about.master) |
                  bus_events::verdict.put(static_cast<std::uint64_t>(verdict));
  trace_.add(event, 0);
}

void snooping_bus::tell_data(const transaction& about, cycle_t now, cycle_t last) const {
  if (!trace_.on()) return;
  trace_event event;
  event.cycle = now;
  event.last = last;
  event.kind = &bus_events::data_phase;
  event.identity = trace_identity::reference(about.master, about.number);
  event.address = about.address;
  event.details = bus_events::transaction.put(static_cast<std::uint64_t>(about.kind)) |
                  bus_events::master.put(about.master) | bus_events::source.put(about.source);
  trace_.add(event, 1);
}

std::string snooping_bus::save() const { return save_state(*this); }

void snooping_bus::restore(const std::string& state) {
  const std::size_t count = masters_.size();
  restore_state(state, *this);
  require_state(masters_.size() == count && transactions_.size() == config_.outstanding,
                "the bus has other masters, or another depth");
  for (const master_state& each : masters_) check_restored(each);
  for (const transaction& each : transactions_) {
    require_state(each.at <= transaction::stage::moving && each.master < count &&
                      each.tag < most_requests && each.source < sources() &&
                      static_cast<std::size_t>(each.kind) < bus_transaction_count,
                  "a transaction of the bus is of no master or source");
    if (each.at != transaction::stage::free) check_restored(each);
  }
}

void snooping_bus::check_restored(const master_state& own) const {
  require_state(own.leaving.size() <= config_.write_backs && own.words.size() <= config_.uncached,
                "a master of the bus holds more than it can");
  for (const line_request& each : own.requests) {
    require_state(each.at <= line_request::stage::deferred &&
                      static_cast<std::size_t>(each.want) < line_want_count &&
                      (each.at == line_request::stage::free ||
                       (own.client != nullptr && memory_at_.contains(each.address))),
                  "a master of the bus asks for a line that is none");
  }
  for (const leaving_line& each : own.leaving) {
    require_state(memory_at_.contains(each.line) && line_.offset(each.line) == 0,
                  "a master of the bus writes a line back that is none");
  }
  std::uint64_t posted = 0;
  for (std::size_t i = 0; i < own.words.size(); ++i) {
    const access& request = own.words[i].request;
    require_state(is_load_or_store(request) && has_device_word(request.address),
                  "an uncached access of the bus is of no device");
    posted += request.posted ? 1 : 0;
  }
  require_state(posted == own.incomplete, "a master of the bus counts other posted stores");
}

void snooping_bus::check_restored(const transaction& about) const {
  const master_state& own = masters_[about.master];
  const auto meets = [&](const transaction& other) {
    if (other.at == transaction::stage::free || &other == &about) return false;
    if (is_uncached(about.kind) != is_uncached(other.kind)) return false;
    return is_uncached(about.kind) ? other.master == about.master
                                   : line_.start(other.address) == line_.start(about.address);
  };
  require_state(std::none_of(transactions_.begin(), transactions_.end(), meets),
                "two transactions of the bus are about the same");
  if (is_uncached(about.kind)) {
    require_state(!own.words.empty() && own.words.front().under_way &&
                      own.words.front().request.address == about.address,
                  "a transaction of the bus is of no uncached access");
  } else if (about.kind == bus_transaction::write_back) {
    const leaving_line* const left = leaving_of(about.master, about.address);
    require_state(left != nullptr && left->under_way,
                  "a transaction of the bus is of no line that leaves");
  } else {
    require_state(own.client != nullptr && memory_at_.contains(about.address),
                  "a transaction of the bus is of no line");
  }
}

}  // namespace tributary
