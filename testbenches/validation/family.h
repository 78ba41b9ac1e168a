// SPDX-License-Identifier: Apache-2.0
// The claims of expected.json: rows that differ only in a size or a setting are one family.
#pragma once

#include <string>
#include <vector>

#include <tributary/sim/json_document.h>

#include "plan.h"

namespace tributary::validation {

class claims;

/// One entry of expected.json.
class family {
 public:
  family(const claims& all, std::string id, const json_value& data)
      : all_(&all), id_(std::move(id)), data_(&data) {}

  const std::string& id() const { return id_; }

  /// A row "id" or "id.suffix" with kind, source, sentence, unit and expectation of the family.
  planned_row row(const std::string& suffix = {}) const;
  /// The same with an expectation that is computed or looked up; it gets the family's tolerance.
  planned_row row_with(const std::string& suffix, double expected) const;

  /// The row `id`, whose expectation is the published number of that name.
  planned_row published_row(const std::string& id) const;
  /// The row "id.suffix", whose expectation is the published number with that suffix.
  planned_row published_member(const std::string& suffix) const;

  /// A preset by the name of its design with the family's own settings.
  point on(const std::string& design) const;

  std::string text(const std::string& key) const;
  std::vector<std::string> texts(const std::string& key) const;
  double number(const std::string& key) const;
  std::vector<double> numbers(const std::string& key) const;
  bool has(const std::string& key) const { return data_->find(key) != nullptr; }
  /// A member of any kind; throws `input_error` if it is missing.
  const json_value& member(const std::string& key) const;

 private:
  const claims* all_;
  std::string id_;
  const json_value* data_;
};

/// A check of the specification: a heading over its families.
struct check_title {
  std::string id;
  std::string title;
  std::string section;
};

/// expected.json and the platform's published numbers.
class claims {
 public:
  /// `platform`: empty for that of `locations`, otherwise its folder. Throws `input_error` for
  /// files that cannot be read or miss something.
  claims(const std::string& path, std::string presets, std::string platform = {});

  family operator[](const std::string& id) const;
  std::vector<check_title> checks() const;
  /// The platform's folder of presets.
  const std::string& presets() const { return presets_; }
  const std::string& platform() const { return platform_; }
  /// What agrees with a published number of the platform, by its identifier.
  accepted_range published(const std::string& id) const;
  std::string place(const json_value& value) const { return document_.place(value); }

  /// Reads "expected" and "tolerance" of a family.
  expectation expectation_of(const json_value& data) const;

 private:
  json_document document_;
  std::string presets_;
  std::string platform_;
};

/// A number as it stands in ids: "2048", "0.05".
std::string id_text(double number);

}  // namespace tributary::validation
