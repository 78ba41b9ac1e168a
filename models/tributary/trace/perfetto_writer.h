// SPDX-License-Identifier: Apache-2.0
// What a Perfetto trace says, for the writers of its two forms (docs/formats/event-log.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tributary/sim/cycle.h>
#include <tributary/trace/catalog.h>
#include <tributary/trace/event.h>
#include <tributary/trace/identity.h>

namespace tributary {

/// A row of the viewer: a thread of a process, both numbered from 1.
struct perfetto_thread {
  std::uint32_t process = 0;
  std::uint32_t number = 0;
};

/// A graph of the viewer, of a process; graphs are numbered from 1.
struct perfetto_graph {
  std::uint32_t process = 0;
  std::uint32_t number = 0;
  std::string name;
};

/// "fetch_add 3.17", "lock_grant 3 0.m12", "3.17", or words alone.
struct perfetto_title {
  std::string_view words;  ///< at the same address for the same words; empty for none
  std::optional<std::uint64_t> number;
  bool has_identity = false;
  trace_identity identity;
};

/// A point of an arrow, at a slice that is there in the cycle.
struct perfetto_arrow {
  enum class part : char { begin = 's', step = 't', end = 'f' };

  part is = part::begin;
  std::uint64_t id = 0;
  const char* name = nullptr;
  cycle_t cycle = 0;
};

/// A slice from `begin` up to, not including, `end`.
struct perfetto_slice {
  /// Not an aggregate, which would be cleared before it is filled.
  perfetto_slice(const perfetto_thread& of_thread, std::string_view of_kind, std::size_t of_number,
                 const perfetto_title& called, cycle_t from, cycle_t until)
      : where(of_thread),
        kind(of_kind),
        number(of_number),
        title(called),
        begin(from),
        end(until) {}

  perfetto_thread where;
  std::string_view kind;  ///< the stay or the kind of event
  std::size_t number;     ///< of `kind`, from 0
  perfetto_title title;
  cycle_t begin;
  cycle_t end;
  const trace_event* about = nullptr;  ///< what its arguments are of; null for one argument alone
  trace_identity identity;             ///< that argument
  bool is_open = false;                ///< it has not ended
  const std::vector<perfetto_arrow>* arrows = nullptr;
};

/// Writes what it is told, in this order: names of processes and threads before their slices, and
/// the slices of a thread one after the other. Members throw `input_error` for a file that cannot
/// be written.
class perfetto_writer {
 public:
  perfetto_writer() = default;
  perfetto_writer(const perfetto_writer&) = delete;
  perfetto_writer& operator=(const perfetto_writer&) = delete;
  virtual ~perfetto_writer() = default;

  /// `place`: where it stands among the others.
  virtual void name_process(std::uint32_t process, const std::string& name, track_id place) = 0;
  virtual void name_thread(const perfetto_thread& thread, const std::string& name,
                           track_id place) = 0;
  virtual void add(const perfetto_slice& slice) = 0;
  /// Of an arrow at a slice that is not shown.
  virtual void add(const perfetto_thread& thread, const perfetto_arrow& arrow) = 0;
  /// Before its first value.
  virtual void begin(const perfetto_graph& graph, track_id place) = 0;
  /// It has that value from the cycle on.
  virtual void add(const perfetto_graph& graph, cycle_t cycle, std::uint64_t value) = 0;
  virtual void finish(bool partial) = 0;

  static constexpr const char* format = "tributary-perfetto 2";
  static constexpr const char* time = "1 us is 1 cycle";
};

// The catalog must outlive the writers.
std::unique_ptr<perfetto_writer> open_perfetto_json(const std::string& path,
                                                    const trace_catalog& catalog);
std::unique_ptr<perfetto_writer> open_perfetto_protobuf(const std::string& path,
                                                        const trace_catalog& catalog);

}  // namespace tributary
