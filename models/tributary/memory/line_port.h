// SPDX-License-Identifier: Apache-2.0
// Where caches ask for lines, and where they are asked for what they have: what a cache stands on.
#pragma once

#include <cstdint>

#include <tributary/memory/line.h>
#include <tributary/sim/cycle.h>

namespace tributary {

/// What a cache wants of a line.
enum class line_want : std::uint8_t {
  shared,     ///< to read it
  exclusive,  ///< to write it
  upgrade     ///< to write a line that it has shared: no data are needed
};
/// How many there are.
inline constexpr std::size_t line_want_count = 3;
/// "shared", as in the names of statistics.
const char* name_of(line_want want);

/// What a cache has of a line: the states of MESI, and behind them the one that MOESI adds. An
/// owned line differs from memory, and other caches may have it shared.
enum class line_state : std::uint8_t { invalid, shared, exclusive, modified, owned };
/// How many there are.
inline constexpr std::size_t line_state_count = 5;
/// How many of them MESI has: the first ones.
inline constexpr std::size_t mesi_state_count = 4;
/// "invalid", as in the names of statistics.
const char* name_of(line_state state);

/// What is asked of a cache from below (FLASH Table A.2).
enum class intervention : std::uint8_t {
  get,            ///< its data; the cache keeps the line shared
  get_exclusive,  ///< its data; the cache loses the line
  invalidate      ///< the cache loses the line, whatever it has of it
};
/// How many there are.
inline constexpr std::size_t intervention_count = 3;
/// "get", as in the names of statistics.
const char* name_of(intervention asked);

/// What an intervention found: the state before it, and the line unless that was invalid.
struct found_line {
  line_state before = line_state::invalid;
  line_data words{};
  line_state left = line_state::invalid;  ///< the state behind it
};

/// A line that was asked for.
struct line_answer {
  bool exclusive = false;
  line_data words{};
  /// In the cache's clock; the first word to come is the one that was asked for, the others follow
  /// in sub-block order.
  line_stamps valid{};
  /// Memory does not have these words, and who gets the line exclusive is to write it back.
  bool changed = false;
};

/// What is below a cache: a controller's processor interface, a bus, another cache. All addresses
/// are starts of lines, except in `ask`: there it is that of the word that comes first.
///
/// An invalidation may overtake what was asked for before it. The port must then refuse the line or
/// the upgrade, else the cache would have what its home believes to be gone.
class line_port {
 public:
  /// Throws `simulation_error` for a line that it does not serve.
  virtual void check(std::uint64_t) const {}
  /// Whether it takes what a miss brings now: a request, and a line that leaves for it.
  virtual bool can_take() const = 0;
  /// `tag` comes back with the answer; each is in use once at a time.
  virtual void ask(line_want want, std::uint64_t address, std::uint8_t tag, cycle_t now) = 0;
  /// The cache has given up a line that it had owned, or exclusive: with MESI changed or not.
  virtual void write_back(std::uint64_t line, const line_data& words, cycle_t now) = 0;
  /// The cache has given up a line that memory or another cache answers for.
  virtual void replaced(std::uint64_t line, cycle_t now) = 0;
  /// Lines that were given to be written while others still had them.
  virtual std::uint64_t incomplete() const { return 0; }

 protected:
  line_port() = default;
  line_port(const line_port&) = default;
  line_port& operator=(const line_port&) = default;
  ~line_port() = default;
};

/// Who asks at a line port, a cache. Told in the cycle `now` of its own clock.
class line_client {
 public:
  /// The line that was asked for by this tag.
  virtual void filled(std::uint8_t tag, const line_answer& answer, cycle_t now) = 0;
  /// The upgrade that was asked for by this tag: what was shared is exclusive.
  virtual void upgraded(std::uint8_t tag, cycle_t now) = 0;
  /// A negative answer: ask again if it is still wanted.
  virtual void refused(std::uint8_t tag, cycle_t now) = 0;
  /// `line_port::can_take` has become true.
  virtual void room(cycle_t now) = 0;
  /// `line_port::incomplete` has become 0.
  virtual void settled(cycle_t now) = 0;
  /// Does at once what is asked, and says what was there.
  virtual found_line intervene(intervention asked, std::uint64_t line, cycle_t now) = 0;

  // For debuggers, without time.
  /// The word at an address; null if its line is not there.
  virtual const word_t* peek(std::uint64_t) const { return nullptr; }
  /// Replaces the word if its line is there, and leaves the line's state as it is.
  virtual void poke(std::uint64_t, word_t, cycle_t) {}

 protected:
  line_client() = default;
  line_client(const line_client&) = default;
  line_client& operator=(const line_client&) = default;
  ~line_client() = default;
};

}  // namespace tributary
