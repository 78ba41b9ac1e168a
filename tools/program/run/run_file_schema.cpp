// SPDX-License-Identifier: Apache-2.0
// The JSON schema of run files, out of what the parameters say of themselves.
#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <boost/algorithm/string/trim.hpp>

#include <tributary/sim/parameters.h>

#include "run_file.h"

namespace tributary {
namespace {

json_value typed(const char* type) {
  json_value schema = json_value::make_object();
  schema.set("type", json_value(type));
  return schema;
}

json_value array_of(json_value items) {
  json_value schema = typed("array");
  schema.set("items", std::move(items));
  return schema;
}

json_value described(json_value schema, const std::string& text) {
  schema.set("description", json_value(text));
  return schema;
}

std::optional<double> number_at(const std::string& text, std::size_t at) {
  double number = 0;
  const auto [stop, problem] = std::from_chars(text.data() + at, text.data() + text.size(), number);
  if (problem != std::errc()) return std::nullopt;
  return number;
}

/// "1 to 1024" and "1 or more" as a minimum and a maximum.
void set_limits(const std::string& range, json_value& schema) {
  if (range.find(" or less") == std::string::npos) {
    if (const auto low = number_at(range, 0)) schema.set("minimum", json_value(*low));
  }
  const std::size_t to = range.find(" to ");
  if (to == std::string::npos) return;
  if (const auto high = number_at(range, to + 4)) schema.set("maximum", json_value(*high));
}

/// A whole number, or text of one in hexadecimal; the limits are of numbers, the pattern of texts.
json_value integer_schema(const std::string& range) {
  json_value schema = json_value::make_object();
  json_value& types = schema.set("type", json_value::make_array());
  types.push_back(json_value("integer"));
  types.push_back(json_value("string"));
  set_limits(range, schema);
  schema.set("pattern", json_value("^0[xX][0-9a-fA-F]+$"));
  return schema;
}

json_value choices(const std::string& range) {
  std::vector<std::string> names;
  boost::split(names, range, boost::is_any_of("|"));
  json_value schema = json_value::make_object();
  json_value& list = schema.set("enum", json_value::make_array());
  for (std::string& name : names) list.push_back(json_value(boost::trim_copy(name)));
  return schema;
}

json_value schema_of(const parameter_description& each) {
  json_value schema = json_value::make_object();
  if (each.type == "choice") {
    schema = choices(each.range);
  } else if (each.type == "integer") {
    schema = integer_schema(each.range);
  } else if (each.type == "number") {
    schema = typed("number");
    set_limits(each.range, schema);
  } else if (each.type == "boolean") {
    schema = typed("boolean");
  } else if (each.type == "text") {
    schema = typed("string");
  }
  std::string text = each.description;
  if (!each.unit.empty() && each.unit != "1") text += " Unit: " + each.unit + ".";
  text += " Default: " + each.default_value + ".";
  return described(std::move(schema), text);
}

/// A reference to what "$defs" says of a parameter.
json_value reference(const std::string& parameter) {
  json_value schema = json_value::make_object();
  schema.set("$ref", json_value("#/$defs/" + parameter));
  return schema;
}

/// An object that has no other members.
json_value object_of(json_value properties) {
  json_value schema = typed("object");
  schema.set("properties", std::move(properties));
  schema.set("additionalProperties", json_value(false));
  return schema;
}

/// Adds a parameter to the members of an object, by its dotted name and in groups of any part of
/// it: a run file may say {"network.slots": 4} and {"network": {"slots": 4}}.
void add_member(const std::string& name, const std::string& parameter, json_value& properties) {
  properties.set(name, reference(parameter));
  for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
    const std::string outer = name.substr(0, dot);
    json_value* group = properties.find(outer);
    if (group == nullptr) {
      group = &properties.set(outer, object_of(json_value::make_object()));
    }
    add_member(name.substr(dot + 1), parameter, *group->find("properties"));
  }
}

/// The parameters of a platform as a schema knows them.
class parameter_schemas {
 public:
  explicit parameter_schemas(const parameter_set& parameters) {
    for (const parameter_description& each : parameters.describe()) add(each);
    for (const group_description& group : parameters.groups()) describe(group);
  }

  const json_value& definitions() const { return definitions_; }
  const json_value& members() const { return members_; }
  /// Lists of values, by dotted names.
  const json_value& varied() const { return varied_; }

 private:
  void add(const parameter_description& each) {
    const std::size_t list = each.name.find("[].");
    if (list != std::string::npos) {
      json_value* items = definitions_.find(each.name.substr(0, list))->find("items");
      items->find("properties")->set(each.name.substr(list + 3), schema_of(each));
      return;
    }
    json_value schema = schema_of(each);
    if (each.type == "list") {
      json_value of_list = array_of(object_of(json_value::make_object()));
      schema = described(std::move(of_list), schema.find("description")->as_string());
    }
    definitions_.set(each.name, std::move(schema));
    add_member(each.name, each.name, members_);
    varied_.set(each.name, array_of(reference(each.name)));
  }

  void describe(const group_description& group) {
    json_value* found = &members_;
    for (std::size_t from = 0; found != nullptr && from < group.name.size();) {
      const std::size_t dot = std::min(group.name.find('.', from), group.name.size());
      found = found->find(group.name.substr(from, dot - from));
      from = dot + 1;
      if (from < group.name.size() && found != nullptr) found = found->find("properties");
    }
    if (found != nullptr) found->set("description", json_value(group.description));
  }

  json_value definitions_ = json_value::make_object();
  json_value members_ = json_value::make_object();
  json_value varied_ = json_value::make_object();
};

json_value constant(const std::string& text) {
  json_value only = json_value::make_object();
  only.set("const", json_value(text));
  return only;
}

/// A series of another platform has parameters that this schema does not know.
json_value other_series_schema(const std::string& platform) {
  json_value properties = json_value::make_object();
  json_value other = json_value::make_object();
  other.set("not", constant(platform));
  properties.set("platform", std::move(other));
  json_value schema = typed("object");
  schema.set("properties", std::move(properties));
  json_value& required = schema.set("required", json_value::make_array());
  for (const char* name : {"name", "platform"}) required.push_back(json_value(name));
  return schema;
}

json_value series_schema(const std::string& platform, const json_value& members) {
  json_value own = members;
  own.set("name", described(typed("string"), "Name of the curve."));
  own.set("platform", described(constant(platform), "The platform, if it is not the file's."));
  own.set("extends", described(typed("string"), "A run file, or the name of a preset."));
  json_value schema = object_of(std::move(own));
  schema.set("required", json_value::make_array()).push_back(json_value("name"));
  json_value either = json_value::make_object();
  json_value& choices = either.set("anyOf", json_value::make_array());
  choices.push_back(std::move(schema));
  choices.push_back(other_series_schema(platform));
  return either;
}

json_value table_schema() {
  json_value texts = json_value::make_object();
  json_value& either = texts.set("anyOf", json_value::make_array());
  either.push_back(typed("string"));
  either.push_back(array_of(typed("string")));
  json_value own = json_value::make_object();
  own.set("title", typed("string"));
  own.set("rows", described(texts, "Parameters by which rows differ."));
  own.set("columns", described(typed("string"), "\"series\", or a parameter."));
  own.set("value", described(typed("string"), "A statistic, as interface.latency.mean."));
  own.set("decimals", typed("integer"));
  own.set("relative_to",
          described(typed("string"), "The column by which the others of a row are divided."));
  own.set("published", described(std::move(texts), "Identifiers of published numbers."));
  return object_of(std::move(own));
}

}  // namespace

json_value run_file_schema(const std::string& platform) {
  experiment any(platform);
  const parameter_schemas parameters(parameter_set::of(any));
  json_value members = json_value::make_object();
  members.set("$schema", described(typed("string"), "This schema, for editors."));
  members.set("platform", constant(platform));
  members.set("extends", described(typed("string"), "A run file, or the name of a preset."));
  members.set("title", typed("string"));
  members.set("description", typed("string"));
  members.set("series", array_of(series_schema(platform, parameters.members())));
  json_value varied = parameters.varied();
  varied.set(common_processors, array_of(reference(any.machine->processors_parameter())));
  members.set("vary", described(object_of(std::move(varied)), "Parameters with lists of values."));
  json_value& table = members.set("table", json_value::make_object());
  json_value& either = table.set("anyOf", json_value::make_array());
  either.push_back(table_schema());
  either.push_back(array_of(table_schema()));
  for (const json_member& each : parameters.members().as_object()) {
    members.set(each.key, each.value);
  }
  json_value schema = json_value::make_object();
  schema.set("$schema", json_value("https://json-schema.org/draft/2020-12/schema"));
  schema.set("title", json_value("Run file of the platform " + platform));
  const json_value root = object_of(std::move(members));
  for (const json_member& each : root.as_object()) {
    schema.set(each.key, each.value);
  }
  schema.set("$defs", parameters.definitions());
  return schema;
}

}  // namespace tributary
