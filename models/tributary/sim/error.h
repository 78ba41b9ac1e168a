// SPDX-License-Identifier: Apache-2.0
// What the library throws.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace tributary {

/// Base of every exception the library throws; thrown itself when the library is misused in code.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The parts of a message about a bad key or value; empty parts are left out of it.
struct configuration_problem {
  std::string key;      ///< full dotted name, "network.slots"
  std::string source;   ///< where the value came from: "run.json, line 4, column 3", "--set"
  std::string problem;  ///< what is wrong: "65 is out of range"
  std::string allowed;  ///< what would be right: "1 to 64 entries"
  std::string advice;   ///< what to do, as an imperative: "choose a value in the range"
};

/// One line: "run.json, line 4: network.slots: 65 is out of range (allowed: 1 to 64); choose ...".
std::string to_string(const configuration_problem& problem);

/// A key or a value that a configuration does not allow, alone or in combination with others.
class configuration_error : public error {
 public:
  using error::error;
  explicit configuration_error(const configuration_problem& problem)
      : error(to_string(problem)),
        problem_(std::make_shared<const configuration_problem>(problem)) {}

  /// What is wrong, part by part; nullptr if the error was made from a text.
  const configuration_problem* problem() const { return problem_.get(); }

 private:
  std::shared_ptr<const configuration_problem> problem_;  // copies do not throw
};

/// Calls `check`, which names keys within a part of a configuration; errors name the whole keys.
template <class Check>
void check_part(const std::string& part, Check&& check) {
  try {
    std::forward<Check>(check)();
  } catch (const configuration_error& thrown) {
    if (thrown.problem() == nullptr) throw;
    configuration_problem whole = *thrown.problem();
    whole.key = part + "." + whole.key;
    throw configuration_error(whole);
  }
}

/// A file that cannot be read, written or understood.
class input_error : public error {
 public:
  using error::error;
};

/// "path: what: the system's reason; advice", for a file operation that has just failed.
/// `error_number` is the value of errno, in no unit.
input_error file_error(const std::string& path, const std::string& action, int error_number,
                       const std::string& advice);

/// A machine that broke one of its promises while it was simulated.
class simulation_error : public error {
 public:
  using error::error;
};

}  // namespace tributary
