// SPDX-License-Identifier: Apache-2.0
#include <tributary/processor/program.h>

#include <utility>

#include <tributary/sim/error.h>
#include <tributary/sim/names.h>

namespace tributary {
namespace {

class function_program final : public program {
 public:
  explicit function_program(std::function<void(program_context&)> run) : run_(std::move(run)) {}
  void run(program_context& context) override { run_(context); }

 private:
  std::function<void(program_context&)> run_;
};

}  // namespace

void check_program_name(std::string_view name) {
  if (is_plain_name(name)) return;
  throw simulation_error("\"" + std::string(name) +
                         "\" can be no name of a mark, an interval or a sample (allowed: lower "
                         "case, digits and underscores)");
}

void refuse_beginning(std::string_view interval_name) {
  throw simulation_error("interval \"" + std::string(interval_name) +
                         "\" begins again before it ended");
}

void refuse_end(std::string_view interval_name) {
  throw simulation_error("interval \"" + std::string(interval_name) + "\" ends and has not begun");
}

std::unique_ptr<program> make_program(std::function<void(program_context&)> run) {
  return std::make_unique<function_program>(std::move(run));
}

}  // namespace tributary
