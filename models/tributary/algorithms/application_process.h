// SPDX-License-Identifier: Apache-2.0
// The locks and the barrier of an application's process, of any kind, and what they take.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tributary/algorithms/application_history.h>
#include <tributary/algorithms/barrier.h>
#include <tributary/algorithms/exponential_back_off.h>
#include <tributary/algorithms/mutual_exclusion_lock.h>
#include <tributary/algorithms/synchronization.h>
#include <tributary/memory/address_map.h>
#include <tributary/processor/program.h>

namespace tributary {

class parameter_set;

/// Where the locks of an array lie.
enum class lock_placement : std::uint8_t {
  striped,  ///< lock i on node i mod N
  central   ///< all on node 0, as SPLASH-2 allocates them (FLASH 6.3.2)
};

/// How the processes of an application meet.
struct application_config {
  lock_algorithm lock = lock_algorithm::mcs_queue;
  barrier_algorithm barrier = barrier_algorithm::tournament;
  lock_placement placement = lock_placement::striped;
  /// Of the locks `ll_sc` and `test_and_set`.
  exponential_back_off back_off{800, 6400};
  /// Of the trees of the barrier `flash`.
  std::uint32_t radix = 4;

  void bind(parameter_set& parameters);
  barrier_choice chosen_barrier() const { return {barrier, radix, radix}; }
};

/// Throws `configuration_error` for what the machine's controllers do not keep, and for more words
/// than its memories have. `key`: of the application's parameters. `locks`: how many it needs.
/// `own_rows`: of the region "shared"; `own_words`: of the region "local", of a process.
void check_application(const std::string& key, const application_config& config,
                       const address_map& map, const kept_synchronization& machine,
                       std::uint32_t locks, std::uint64_t own_rows, std::uint64_t own_words);

/// What processes of one application share outside of the machine: figures only.
struct application_figures {
  lock_history locks;
  barrier_history crossings;
};

/// One process. Its locks and barriers take the first `free_words` words of its part of the region
/// "local", and rows from `free_row` on of the region "shared" behind the application's own.
///
/// Samples, in cycles of the processor: `acquire` of a lock that no other had meanwhile;
/// `hand_off` of one that another had, from the end of that one's release (FLASH 6.1.1).
/// Intervals: `lock`, from the beginning of an acquisition to its end; `unlock`; `barrier`.
class application_process {
 public:
  /// Words of a line that no application's data shares with another's.
  static constexpr std::uint64_t line_words = 16;
  static constexpr std::uint64_t free_words = 4 * line_words;
  /// Rows of the region "shared" that barriers use; rows of locks come behind `own_rows` more.
  static constexpr std::uint64_t free_row = line_words;

  /// `locks`: of the application; `own_rows`: of the region "shared" that it uses itself, from
  /// `free_row` on.
  application_process(program_context& context, const application_config& config,
                      const kept_synchronization& machine, std::uint32_t locks,
                      std::uint64_t own_rows, application_figures& figures);

  void lock(std::uint32_t number);
  void unlock(std::uint32_t number);
  void cross();

  /// From here on, until `begin_measurement`, acquisitions are not sampled.
  void begin_warming_up() { warming_up_ = true; }
  /// From here on, until `end_of_measurement`, its time counts.
  void begin_measurement();
  /// Samples: `time` between these two, `synchronization` cycles of it in locks and barriers, and
  /// `lock_time`, those in locks; the last process to come here samples the crossings, too.
  void end_of_measurement();

 private:
  void make_locks(std::uint32_t count, std::uint64_t first_row, const kept_synchronization& kept);
  void sample_crossings();
  word_t look(word_t (*what)(const barrier_history::crossing&), std::size_t number);

  program_context& context_;
  application_config config_;
  application_figures& figures_;
  std::vector<std::unique_ptr<mutual_exclusion_lock>> locks_;
  std::unique_ptr<barrier> barrier_;
  bool warming_up_ = false;
  std::size_t crossed_ = 0;
  std::size_t first_crossing_ = 0;  // that is measured
  cycle_t begin_ = 0;
  std::uint64_t lock_cycles_ = 0;
  std::uint64_t barrier_cycles_ = 0;
};

/// A word as a double, bit by bit.
double double_of(word_t word);
/// The same back.
word_t word_of(double value);

}  // namespace tributary
