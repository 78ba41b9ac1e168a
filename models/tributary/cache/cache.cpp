// SPDX-License-Identifier: Apache-2.0
#include <tributary/cache/cache.h>

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>

namespace tributary {
namespace {

// Wake-ups, the number of a completion or a miss in the bits above.
constexpr std::uint64_t has_word = 0;
constexpr std::uint64_t searched = 1;
constexpr std::uint64_t whole = 2;
constexpr unsigned number_shift = 2;
constexpr std::uint64_t kind_mask = (1U << number_shift) - 1;

bool is_prefetch(const access& request) {
  return request.kind == access_kind::prefetch || request.kind == access_kind::prefetch_exclusive;
}

bool writes(const access& request) {
  return request.kind == access_kind::store_conditional ||
         request.kind == access_kind::prefetch_exclusive || request.function.kind != form::identity;
}

}  // namespace

cache::cache(const cache_config& config, agenda& time, line_port& below, std::uint32_t processes)
    : config_((config.validate(), config)),
      agenda_(time),
      below_(below),
      line_(config.last().line()),
      states_(config.states),
      lines_(config.last(), static_cast<std::uint32_t>(config.levels.size() - 1), line_.words()),
      misses_(config.outstanding),
      links_(processes, no_line),
      hits_(config.levels.size()) {
  for (std::uint32_t i = 0; i + 1 < config.levels.size(); ++i) {
    near_.emplace_back(config.levels[i], i);
  }
  agenda_.enroll(*this);
}

// --- what the processor asks for -----------------------------------------------------------------

void cache::check(std::size_t, const access& request) const {
  if (request.address % word_bytes != 0) {
    fail(fmt::format("an access at {:#x}: only words at multiples of {} are served",
                     request.address, word_bytes));
  }
  below_.check(request.address);
}

bool cache::can_take(std::size_t) const { return taken_ < config_.accesses; }

void cache::offer(std::size_t element, const access& request, cycle_t now) {
  check(element, request);
  if (!can_take()) {
    fail(fmt::format("an access at {:#x} came while {} were under way", request.address, taken_));
  }
  if (accesses_seen_ && index(element_) != element &&
      index(element_) / links_.size() != element / links_.size()) {
    fail(fmt::format("asked by element {} after element {}: a cache is of one processor", element,
                     index(element_)));
  }
  accesses_seen_ = true;
  element_ = pe_id{static_cast<std::uint32_t>(element)};
  const offered_access taken{request, element_, std::max(now, next_begin_)};
  next_begin_ = taken.since + 1;
  ++taken_;
  ++accesses_;
  if (!stalled_.empty() || !begin(taken, now)) stalled_.push(taken);
}

void cache::warm(std::uint64_t line, const line_data& words) {
  held_line* const place = lines_.place_for(line, [](const held_line&) { return false; });
  if (place == nullptr) return;
  place->line = line;
  place->state = line_state::exclusive;
  keep_words(*place, words);
  lines_.use(*place);
}

bool cache::begin(const offered_access& taken, cycle_t now) {
  const access& request = taken.request;
  if (is_prefetch(request)) return begin_prefetch(taken, now);
  const std::uint64_t line = line_.start(request.address);
  held_line* const held = lines_.find(line);
  miss* about = miss_of(line);
  const bool others_wait = about != nullptr && !about->waiting.empty();
  if (!others_wait && request.kind == access_kind::store_conditional && link_of(taken) != line) {
    fail_conditional(taken, taken.since);
    return true;
  }
  if (!others_wait && serves(held, request)) {
    const auto [level, at] = bring_near(*held, request.address, std::max(now, taken.since));
    ++hits_[level];
    perform(taken, *held, at);
    return true;
  }
  if (about != nullptr && about->at != miss::stage::filling) {
    ++joined_;
  } else {
    // One that is filling has nobody who waits, and goes on with its line.
    if (about == nullptr) about = free_miss();
    if (about == nullptr) return false;
    find_out(*about, taken, want_of(request, held), now);
  }
  about->prefetched = false;
  about->waiting.push(taken);
  return true;
}

bool cache::begin_prefetch(const offered_access& taken, cycle_t now) {
  const access& request = taken.request;
  const std::uint64_t line = line_.start(request.address);
  held_line* const held = lines_.find(line);
  // A prefetch ends in the first level (Mowry 1994, 2.8.1; so does the R10000's).
  if (held != nullptr && held->state != line_state::invalid) {
    bring_near(*held, request.address, std::max(now, taken.since));
  }
  const bool is_needless = serves(held, request) || miss_of(line) != nullptr;
  miss* const begun = is_needless ? nullptr : free_miss();
  const bool has_no_room = !is_needless && begun == nullptr;
  if (has_no_room && config_.prefetches_wait) return false;
  finish(taken, 0, taken.since);
  if (has_no_room) ++dropped_;
  if (begun == nullptr) return true;
  ++prefetches_;
  find_out(*begun, taken, want_of(request, held), now);
  begun->prefetched = true;
  return true;
}

bool cache::withdraw(std::uint64_t tag) {
  for (miss& each : misses_) {
    fifo<taken_access> others;
    for (std::size_t i = 0; i < each.waiting.size(); ++i) {
      if (each.waiting[i].request.tag != tag) others.push(each.waiting[i]);
    }
    if (others.size() == each.waiting.size()) continue;
    each.waiting = std::move(others);
    --taken_;
    return true;
  }
  return false;
}

bool cache::serves(const held_line* held, const access& request) const {
  return held != nullptr && states_.serves(held->state, writes(request));
}

line_want cache::want_of(const access& request, const held_line* held) const {
  return states_.wanted(held == nullptr ? line_state::invalid : held->state, writes(request));
}

std::pair<std::size_t, cycle_t> cache::bring_near(held_line& held, std::uint64_t address,
                                                  cycle_t now) {
  std::size_t level = 0;
  cycle_t there = 0;
  while (level < near_.size()) {
    near_line* const found = near_[level].find(near_[level].line().start(address));
    if (found != nullptr) {
      near_[level].use(*found);
      there = found->there;
      break;
    }
    ++level;
  }
  const cycle_t at = std::max(now + config_.levels[level].hit_cycles, there);
  if (level == near_.size()) lines_.use(held);
  put_near(address, level, at);
  return {level, at};
}

void cache::put_near(std::uint64_t address, std::size_t levels, cycle_t at) {
  for (std::size_t level = levels; level-- > 0;) {
    const std::uint64_t line = near_[level].line().start(address);
    near_line* place = near_[level].find(line);
    if (place == nullptr) {
      place = near_[level].place_for(line, [](const near_line&) { return true; });
    }
    place->line = line;
    place->there = at;
    near_[level].use(*place);
  }
}

void cache::fill_near(const miss& answered, cycle_t now) {
  put_near(answered.first, near_.size(), now);
  for (std::size_t i = 0; i < answered.waiting.size(); ++i) {
    put_near(answered.waiting[i].request.address, near_.size(), now);
  }
}

void cache::perform(const offered_access& taken, held_line& held, cycle_t at) {
  const access& request = taken.request;
  word_t& word = lines_.words_of(held)[line_.word(request.address)];
  word_t value = word;
  switch (request.kind) {
    case access_kind::load_linked:
      link_of(taken) = held.line;
      break;
    case access_kind::store_conditional:
      ++conditional_;
      value = 1;
      link_of(taken) = no_line;
      break;
    default:
      break;
  }
  if (writes(request)) {
    word = apply(request.function, word);
    held.state = states_.stored(held.state);
    if (several_processes()) forget(held.line, &taken);
  }
  const bool tells_nothing = request.posted && request.kind == access_kind::word;
  finish(taken, tells_nothing ? 0 : value, usable(request.address, at));
}

cycle_t cache::usable(std::uint64_t address, cycle_t now) const {
  if (misses_under_way_ == 0) return now;
  for (const miss& each : misses_) {
    if (each.line == line_.start(address)) return std::max(now, each.valid[line_.word(address)]);
  }
  return now;
}

cycle_t cache::last_word(const miss& answered) const {
  const auto end = answered.valid.begin() + static_cast<std::ptrdiff_t>(line_.words());
  return *std::max_element(answered.valid.begin(), end);
}

void cache::finish(const offered_access& taken, word_t value, cycle_t at) {
  std::size_t slot = 0;
  while (slot < done_.size() && done_[slot].used) ++slot;
  if (slot == done_.size()) done_.emplace_back();
  done_[slot] = {true, {taken.element, taken.request.tag, value}};
  agenda_.wake(*this, std::max(at, agenda_.now()), has_word | std::uint64_t{slot} << number_shift,
               wake_rank::processor);
}

// --- misses --------------------------------------------------------------------------------------

cache::miss* cache::miss_of(std::uint64_t line) {
  if (misses_under_way_ == 0) return nullptr;
  for (miss& each : misses_) {
    if (each.line == line) return &each;
  }
  return nullptr;
}

cache::miss* cache::free_miss() {
  for (miss& each : misses_) {
    if (each.at == miss::stage::free) return &each;
  }
  return nullptr;
}

void cache::find_out(miss& begun, const offered_access& by, line_want want, cycle_t now) {
  if (begun.at == miss::stage::free) {
    begun.valid = {};
    ++misses_under_way_;
  }
  begun.at = miss::stage::found;
  begun.line = line_.start(by.request.address);
  begun.first = by.request.address;
  begun.want = want;
  begun.since = std::max(now, by.since);
  agenda_.wake(*this, begun.since + config_.miss_cycles,
               searched | std::uint64_t{number_of(begun)} << number_shift, wake_rank::processor);
}

void cache::ask(miss& asking, cycle_t now) {
  asking.at = miss::stage::blocked;
  fail_conditionals(asking, now);
  if (asking.waiting.empty() && !asking.prefetched) {
    end(asking, now);
    return;
  }
  if (!below_.can_take()) return;
  held_line* held = lines_.find(asking.line);
  if (held == nullptr || held->state == line_state::invalid) {
    // What was there may have been lost meanwhile, and its place kept.
    asking.want = states_.wanted(line_state::invalid, asking.want != line_want::shared);
  }
  held_line leaving;
  line_data words{};
  if (held == nullptr) {
    held = lines_.place_for(asking.line, [](const held_line& each) { return !each.awaited; });
    if (held == nullptr) return;
    if (held->line != no_line) {
      leaving = *held;
      words = words_of(*held);
      drop(*held);
    }
    held->line = asking.line;
    held->state = line_state::invalid;
  }
  held->awaited = true;
  asking.at = miss::stage::asked;
  ++asked_[static_cast<std::size_t>(asking.want)];
  below_.ask(asking.want, asking.first, static_cast<std::uint8_t>(number_of(asking)), now);
  if (leaving.line != no_line) evict(leaving, words, now);
}

void cache::evict(const held_line& leaving, const line_data& words, cycle_t now) {
  if (states_.on_eviction(leaving.state) == line_departure::write_back) {
    ++write_backs_;
    below_.write_back(leaving.line, words, now);
  } else if (config_.replacement_hints) {
    ++replaced_;
    below_.replaced(leaving.line, now);
  }
}

void cache::filled(std::uint8_t tag, const line_answer& answer, cycle_t now) {
  miss& answered = asked_miss(tag, "a line");
  held_line& held = *lines_.find(answered.line);
  held.state = states_.filled(answer.exclusive, answer.changed);
  keep_words(held, answer.words);
  lines_.use(held);
  answered.valid = answer.valid;
  fill_near(answered, now);
  miss_latency_.add(usable(answered.first, now) - answered.since);
  serve(answered, now);
}

void cache::upgraded(std::uint8_t tag, cycle_t now) {
  miss& answered = asked_miss(tag, "an upgrade");
  held_line& held = *lines_.find(answered.line);
  if (states_.wanted(held.state, true) != line_want::upgrade) {
    fail(
        fmt::format("line {:#x} is {} and was granted an upgrade; a line that was invalidated must "
                    "be refused it",
                    held.line, name_of(held.state)));
  }
  held.state = states_.upgraded(held.state);
  miss_latency_.add(now - answered.since);
  serve(answered, now);
}

void cache::refused(std::uint8_t tag, cycle_t now) {
  miss& again = asked_miss(tag, "a refusal");
  ++refused_;
  fail_conditionals(again, now);
  if (again.waiting.empty()) {
    // Nobody waits for a prefetch.
    end(again, now);
    return;
  }
  again.at = miss::stage::found;
  agenda_.wake(*this, now + config_.retry_cycles,
               searched | std::uint64_t{number_of(again)} << number_shift, wake_rank::processor);
}

void cache::serve(miss& answered, cycle_t now) {
  held_line& held = *lines_.find(answered.line);
  while (true) {
    fail_conditionals(answered, now);
    if (answered.waiting.empty() || !serves(&held, answered.waiting.front().request)) break;
    const taken_access next = answered.waiting.front();
    answered.waiting.pop();
    bring_near(held, next.request.address, now);
    perform(next, held, now);
  }
  if (!answered.waiting.empty()) {
    // A write waits behind reads for which the line was asked.
    answered.want = want_of(answered.waiting.front().request, &held);
    answered.since = now;
    ask(answered, now);
    return;
  }
  held.awaited = false;
  answered.at = miss::stage::filling;
  const cycle_t last = last_word(answered);
  if (last <= now) {
    end(answered, now);
  } else {
    agenda_.wake(*this, last, whole | std::uint64_t{number_of(answered)} << number_shift,
                 wake_rank::processor);
  }
}

void cache::forget(std::uint64_t line, const offered_access* writer) {
  for (std::uint64_t& each : links_) {
    if (each == line && (writer == nullptr || &each != &link_of(*writer))) each = no_line;
  }
}

void cache::fail_conditional(const offered_access& taken, cycle_t at) {
  ++conditional_;
  ++failed_;
  finish(taken, 0, at);
}

/// A store-conditional that has lost its line waits for nothing.
void cache::fail_conditionals(miss& about, cycle_t now) {
  while (!about.waiting.empty()) {
    const taken_access next = about.waiting.front();
    if (next.request.kind != access_kind::store_conditional || link_of(next) == about.line) return;
    about.waiting.pop();
    fail_conditional(next, now);
  }
}

void cache::end(miss& over, cycle_t now) {
  held_line* const held = lines_.find(over.line);
  if (held != nullptr) {
    held->awaited = false;
    if (held->state == line_state::invalid) held->line = no_line;
  }
  over.at = miss::stage::free;
  over.line = no_line;
  over.prefetched = false;
  --misses_under_way_;
  go_on(now);
}

/// Of several processes the oldest miss first. Otherwise newer ones of the others could take its
/// place again and again. Of one process by tag: it waits for what it has asked for.
void cache::ask_blocked(cycle_t now) {
  std::vector<miss*> blocked;
  for (miss& each : misses_) {
    if (each.at != miss::stage::blocked) continue;
    if (several_processes()) {
      blocked.push_back(&each);
    } else {
      ask(each, now);
    }
  }
  std::stable_sort(blocked.begin(), blocked.end(),
                   [](const miss* x, const miss* y) { return x->since < y->since; });
  for (miss* const each : blocked) ask(*each, now);
}

void cache::go_on(cycle_t now) {
  ask_blocked(now);
  while (!stalled_.empty()) {
    taken_access first = stalled_.front();
    first.since = std::max(now, next_begin_);
    if (!begin(first, now)) return;
    next_begin_ = first.since + 1;
    stalled_.pop();
  }
}

void cache::room(cycle_t now) { go_on(now); }

void cache::settled(cycle_t now) {
  if (client_ != nullptr) client_->settled(index(element_), now);
}

// --- what is below -------------------------------------------------------------------------------

found_line cache::intervene(intervention asked, std::uint64_t line, cycle_t now) {
  if (line == watched_) client_->disturbed(index(element_), now);
  held_line* const held = lines_.find(line);
  found_line found;
  if (held != nullptr) found.before = held->state;
  ++interventions_[static_cast<std::size_t>(asked)][static_cast<std::size_t>(found.before)];
  if (found.before == line_state::invalid) return found;
  found.words = words_of(*held);
  found.left = states_.after(asked, found.before);
  if (found.left == line_state::invalid) {
    drop(*held);
  } else {
    held->state = found.left;
  }
  return found;
}

// --- loads that are not simulated ----------------------------------------------------------------

bool cache::watch(std::uint64_t address, word_t value) {
  if (state_of(address) == line_state::invalid || word_at(address) != value) return false;
  if (!idle() || client_ == nullptr || config_.levels.front().hit_cycles != 0) return false;
  if (!near_.empty()) {
    const near_line* const near = near_.front().find(near_.front().line().start(address));
    if (near == nullptr || near->there > agenda_.now()) return false;
  }
  watched_ = line_.start(address);
  return true;
}

void cache::end_watch(const access& load, std::uint64_t times, cycle_t last) {
  watched_ = no_line;
  accesses_.add(times);
  hits_.front().add(times);
  next_begin_ = last + 1;
  if (near_.empty()) {
    lines_.use(*lines_.find(line_.start(load.address)), times);
  } else {
    near_.front().use(*near_.front().find(near_.front().line().start(load.address)), times);
  }
}

void cache::drop(held_line& held) {
  for (cache_sets<near_line>& level : near_) {
    for (std::uint64_t at = 0; at < line_.bytes(); at += level.line().bytes()) {
      near_line* const near = level.find(held.line + at);
      if (near != nullptr) near->line = no_line;
    }
  }
  forget(held.line);
  held.state = line_state::invalid;
  if (!held.awaited) held.line = no_line;
}

// --- the rest ------------------------------------------------------------------------------------

void cache::wake(cycle_t now, std::uint64_t tag) {
  const auto number = static_cast<std::size_t>(tag >> number_shift);
  switch (tag & kind_mask) {
    case has_word: {
      if (number >= done_.size() || !done_[number].used) fail("a wake-up for no access");
      const completion told = done_[number].told;
      done_[number].used = false;
      const bool was_full = !can_take();
      --taken_;
      if (client_ == nullptr) break;
      client_->completed(told, now);
      if (was_full && can_take()) client_->room(index(told.pe), now);
      break;
    }
    case searched:
      if (number >= misses_.size()) fail("a wake-up for no miss");
      if (misses_[number].at != miss::stage::found) break;
      if (several_processes()) {
        misses_[number].at = miss::stage::blocked;  // it does not pass those that are
        ask_blocked(now);
      } else {
        ask(misses_[number], now);
      }
      break;
    default:
      if (number >= misses_.size()) fail("a wake-up for no miss");
      // It may have begun to ask for more meanwhile.
      if (misses_[number].at == miss::stage::filling && last_word(misses_[number]) <= now) {
        end(misses_[number], now);
      }
      break;
  }
}

line_data cache::words_of(const held_line& held) const {
  line_data words{};
  std::copy_n(lines_.words_of(held), line_.words(), words.begin());
  return words;
}

void cache::keep_words(const held_line& held, const line_data& words) {
  std::copy_n(words.begin(), line_.words(), lines_.words_of(held));
}

cache::miss& cache::asked_miss(std::uint8_t tag, const char* answer) {
  if (tag >= misses_.size() || misses_[tag].at != miss::stage::asked) {
    fail(fmt::format("{} came with tag {}, and nothing was asked for with it", answer, tag));
  }
  return misses_[tag];
}

line_state cache::state_of(std::uint64_t address) const {
  const held_line* const held = lines_.find(line_.start(address));
  return held == nullptr ? line_state::invalid : held->state;
}

word_t cache::word_at(std::uint64_t address) const {
  if (state_of(address) == line_state::invalid) {
    fail(fmt::format("the word at {:#x} is asked for, and its line is not there", address));
  }
  return lines_.words_of(*lines_.find(line_.start(address)))[line_.word(address)];
}

std::optional<cache::awaited_line> cache::oldest_miss() const {
  std::optional<awaited_line> oldest;
  for (const miss& each : misses_) {
    if (each.at == miss::stage::free || each.at == miss::stage::filling) continue;
    if (!oldest || each.since < oldest->since) oldest = {each.line, each.want, each.since};
  }
  return oldest;
}

void cache::fail(const std::string& problem) const {
  throw simulation_error(fmt::format("cache in cycle {}: {}", agenda_.now(), problem));
}

void cache::reset_statistics() {
  reset_all(accesses_, joined_, prefetches_, dropped_, conditional_, failed_, write_backs_,
            replaced_, refused_, miss_latency_);
  for (counter& each : hits_) each.reset();
  for (counter& each : asked_) each.reset();
  for (auto& found : interventions_) {
    for (counter& each : found) each.reset();
  }
}

void cache::report(statistics_group& into, std::uint64_t) const {
  into.add("accesses", accesses_, "accesses", "Accesses of the processor.");
  for (std::size_t i = 0; i < hits_.size(); ++i) {
    into.group("hits").add(fmt::format("level_{}", i + 1), hits_[i], "accesses",
                           "Accesses that found their line in this level, and in none before.");
  }
  for (std::size_t i = 0; i < line_want_count; ++i) {
    into.group("misses").add(name_of(static_cast<line_want>(i)), asked_[i], "lines",
                             "Lines that were asked for, refused ones again.");
  }
  into.add("joined", joined_, "accesses", "Accesses that waited for a line asked for before.");
  into.add(
      "miss_latency", miss_latency_, "cycles",
      "From the beginning of a miss, or of a prefetch, until its first word is there, refusals "
      "included.");
  into.add("prefetches", prefetches_, "lines", "Lines that were asked for by a prefetch.");
  into.add("prefetches_dropped", dropped_, "accesses",
           "Prefetches that were dropped because too many lines were asked for.");
  into.add("conditional_stores", conditional_, "accesses", "Store-conditionals.");
  into.add("conditional_stores_failed", failed_, "accesses",
           "Of these, those that had lost their line.");
  into.add("write_backs", write_backs_, "lines",
           states_.states() == mesi_state_count ? "Exclusive lines that left for others."
                                                : "Changed lines that left for others.");
  into.add("replacement_hints", replaced_, "lines",
           states_.states() == mesi_state_count
               ? "Shared lines that left, and whose home knows."
               : "Shared and exclusive lines that left, and were told below.");
  into.add("refused", refused_, "answers", "Negative answers.");
  for (std::size_t i = 0; i < interventions_.size(); ++i) {
    statistics_group& group =
        into.group("interventions").group(name_of(static_cast<intervention>(i)));
    for (std::size_t j = 0; j < states_.states(); ++j) {
      group.add(name_of(static_cast<line_state>(j)), interventions_[i][j], "lines",
                "Interventions that found their line in this state.");
    }
  }
}

std::string cache::save() const { return save_state(*this); }

void cache::restore(const std::string& state) {
  const std::size_t levels = near_.size();
  const std::size_t processes = links_.size();
  restore_state(state, *this);
  require_state(near_.size() == levels && hits_.size() == levels + 1 &&
                    misses_.size() == config_.outstanding && links_.size() == processes &&
                    taken_ <= config_.accesses,
                "the cache has other levels, or another depth");
  bool fits = lines_.fits(config_.levels.back());
  for (std::size_t i = 0; i < levels; ++i) fits = fits && near_[i].fits(config_.levels[i]);
  require_state(fits, "the cache has other sets");
  lines_.for_each([this](const held_line& each) {
    require_state(static_cast<std::size_t>(each.state) < states_.states(),
                  "a line of the cache is in no state");
  });
  check_misses();
}

/// Counts the misses under way. Every access that was taken waits for a miss to be free, for its
/// line, or for its word.
void cache::check_misses() {
  misses_under_way_ = 0;
  std::size_t taken = stalled_.size();
  for (const done_access& each : done_) taken += each.used ? 1 : 0;
  for (const miss& each : misses_) {
    taken += each.waiting.size();
    require_state(each.at <= miss::stage::filling &&
                      (each.at == miss::stage::free) == (each.line == no_line) &&
                      static_cast<std::size_t>(each.want) < line_want_count,
                  "a miss of the cache is at no stage");
    for (std::size_t i = 0; i < each.waiting.size(); ++i) {
      require_state(line_.start(each.waiting[i].request.address) == each.line,
                    "an access of the cache waits for another line");
    }
    if (each.at == miss::stage::free) continue;
    ++misses_under_way_;
    const held_line* const held = lines_.find(each.line);
    require_state(line_.start(each.first) == each.line &&
                      (each.at != miss::stage::asked || (held != nullptr && held->awaited)),
                  "a miss of the cache has no place");
  }
  require_state(taken == taken_, "the cache counts other accesses");
}

}  // namespace tributary
