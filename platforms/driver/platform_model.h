// SPDX-License-Identifier: Apache-2.0
// What the program needs to know of a kind of machine, and what each platform implements once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tributary/sim/error.h>
#include <tributary/sim/statistics.h>

#include "engine_kind.h"
#include "simulation.h"

namespace tributary {

class parameter_set;

/// A table in which results are shown.
struct table_layout {
  std::string title;
  std::vector<std::string> rows;  ///< parameters that tell rows apart
  std::string columns;            ///< "series", a parameter, or empty for a single column
  /// Path of a statistic; "*" in it stands for every name at that place, each making a row.
  std::string value;
  std::uint32_t decimals = 1;
  /// The column by whose value each of a row is divided; empty: values stand as they are.
  std::string relative_to;
  /// Identifiers in the platform's list of published numbers that belong next to the table.
  std::vector<std::string> published;
};

/// A machine of a platform with all its parameters, before it is built.
class platform_model {
 public:
  virtual ~platform_model() = default;
  virtual std::unique_ptr<platform_model> clone() const = 0;

  /// As a run file names it; its presets and published numbers are in the folder of that name.
  virtual std::string platform() const = 0;

  /// The name of its parameter that says how many processors there are.
  virtual std::string processors_parameter() const = 0;
  /// Picoseconds of a cycle in which programs count.
  virtual std::uint64_t program_cycle() const = 0;

  /// Every parameter of the machine, under the names of a run file.
  virtual void bind(parameter_set& parameters) = 0;
  /// Refuses combinations that could not work; throws `configuration_error`.
  virtual void validate() const = 0;
  /// Throws `configuration_error` for what this program was built without.
  virtual void require_built() const {}
  /// Throws `configuration_error` if the state of this machine in that engine cannot be saved.
  virtual void require_checkpoints(engine_kind) const {}
  /// Sentences about settings that work but can hardly be meant.
  virtual std::vector<std::string> warnings() const { return {}; }

  /// Whether the workload never finishes.
  virtual bool endless() const { return false; }
  /// How much there is to simulate in a cycle, in blocks of the size of a switch, and what such a
  /// block is.
  virtual std::uint64_t size() const = 0;
  virtual std::string size_unit() const = 0;
  /// Whether a machine in that engine can use more than one thread.
  virtual bool uses_threads(engine_kind) const { return false; }
  /// Which parts are RTL, for people; empty if none are.
  virtual std::string rtl() const { return {}; }
  /// The table of a run file that asks for none: its title, value and decimals.
  virtual table_layout usual_table() const = 0;

  /// The machine in its initial state. Throws `configuration_error`, and `input_error` for files
  /// that it reads.
  virtual std::unique_ptr<simulation> make(engine_kind engine, std::uint64_t seed) const = 0;
  /// The statistics of the machine before its first cycle.
  virtual statistics_tree statistics() const { return make(engine_kind::loop, 1)->statistics(); }
  /// Whether `statistics` has this one wherever a run has it.
  virtual bool is_known_before_run(const std::string& statistic) const = 0;

 protected:
  platform_model() = default;
  platform_model(const platform_model&) = default;
  platform_model& operator=(const platform_model&) = default;
};

/// A model as a value: copied whole, and constant where it is constant.
class machine_choice {
 public:
  explicit machine_choice(std::unique_ptr<platform_model> model) : model_(std::move(model)) {}
  machine_choice(const machine_choice& other) : model_(other.model_->clone()) {}
  machine_choice(machine_choice&& other) noexcept = default;
  machine_choice& operator=(const machine_choice& other) { return *this = machine_choice(other); }
  machine_choice& operator=(machine_choice&& other) noexcept = default;
  ~machine_choice() = default;

  platform_model& operator*() { return *model_; }
  const platform_model& operator*() const { return *model_; }
  platform_model* operator->() { return model_.get(); }
  const platform_model* operator->() const { return model_.get(); }

 private:
  std::unique_ptr<platform_model> model_;
};

/// The model of one platform in a choice. Throws `error` if it is of another.
template <class Model, class Choice>
auto& model_in(Choice& machine) {
  // One class a platform, so its name says which it is.
  if (machine->platform() != Model::name) {
    throw error("this is a machine of the platform " + machine->platform() + ", not of " +
                Model::name);
  }
  using chosen = std::conditional_t<std::is_const_v<Choice>, const Model, Model>;
  return static_cast<chosen&>(*machine);
}

}  // namespace tributary
