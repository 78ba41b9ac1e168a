// SPDX-License-Identifier: Apache-2.0
#include <tributary/workload/program.h>

#include <utility>

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

std::unique_ptr<program> make_program(std::function<void(program_context&)> run) {
  return std::make_unique<function_program>(std::move(run));
}

}  // namespace tributary
