// SPDX-License-Identifier: Apache-2.0
#include <tributary/sim/error.h>

#include <system_error>

namespace tributary {

namespace {

void append(std::string& text, const std::string& part, const char* separator) {
  if (!part.empty()) {
    text += text.empty() ? part : separator + part;
  }
}

}  // namespace

std::string to_string(const configuration_problem& problem) {
  std::string text = problem.source;
  append(text, problem.key, ": ");
  append(text, problem.problem, ": ");
  if (!problem.allowed.empty()) {
    text += " (allowed: " + problem.allowed + ")";
  }
  append(text, problem.advice, "; ");
  return text;
}

input_error file_error(const std::string& path, const std::string& action, int error_number,
                       const std::string& advice) {
  // The generic category's message is strerror's, without its static buffer.
  std::string text = path + ": " + action + ": " + std::generic_category().message(error_number);
  append(text, advice, "; ");
  return input_error(text);
}

}  // namespace tributary
