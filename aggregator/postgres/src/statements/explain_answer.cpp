#include "explain_answer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

namespace daedalus::postgres {

namespace {

using aggregator::Plan;

std::string_view node_name(Plan::Node node) {
  switch (node) {
    case Plan::Node::kResult:
      return "Result";
    case Plan::Node::kSweep:
      return "Sweep";
    case Plan::Node::kInsert:
      return "Insert";
    case Plan::Node::kUpdate:
      return "Update";
    case Plan::Node::kDelete:
      return "Delete";
  }
  return {};
}

bool is_write(const Plan& plan) { return plan.node != Plan::Node::kResult && plan.node != Plan::Node::kSweep; }

std::string partitions_text(const Plan& plan) {
  const size_t count = plan.partitions.size();
  if (count == 0) {
    return "no partition: no row can match";
  }
  if (count == plan.partition_count) {
    return count == 1 ? "the one partition" : fmt::format("all {} partitions", count);
  }
  return count == 1 ? fmt::format("partition {} of {}", raw(plan.partitions[0]), plan.partition_count)
                    : fmt::format("{} of {} partitions", count, plan.partition_count);
}

/// Which way the statement goes; empty: nowhere.
std::string way_text(const Plan& plan) {
  if (plan.node == Plan::Node::kResult) {
    return {};
  }
  if (plan.node == Plan::Node::kInsert) {
    return fmt::format("through the writer to {}", partitions_text(plan));
  }
  return fmt::format("{}sweep over {} of {}", is_write(plan) ? "through the writer; " : "",
                     plan.is_one_segment ? "one segment" : "every segment", partitions_text(plan));
}

/// A line behind the first one, and a member of the JSON document.
struct Property {
  std::string_view name;
  std::vector<std::string> items;
  bool is_list = false;
};

std::vector<Property> properties_of(const Plan& plan, const ExplainOptions& options, const SweptRows& swept) {
  std::vector<Property> properties;
  const auto add = [&](std::string_view name, std::vector<std::string> items, bool is_list = false) {
    if (!items.empty()) {
      properties.push_back({name, std::move(items), is_list});
    }
  };
  const auto all_of = [](const std::vector<std::string>& conditions) {
    return conditions.size() < 2 ? conditions
                                 : std::vector<std::string>{fmt::format("({})", fmt::join(conditions, " AND "))};
  };
  if (options.is_verbose) {
    add("Output", plan.output, /*is_list=*/true);
  }
  add("Index Cond", all_of(plan.lookups));
  add("Filter", all_of(plan.filters));
  add("Group Key", plan.group_keys, /*is_list=*/true);
  if (plan.having) {
    add("Having", {*plan.having});
  }
  add("Sort Key", plan.sort_keys, /*is_list=*/true);
  if (plan.limit) {
    add("Limit", {fmt::format("{}", *plan.limit)});
  }
  if (plan.offset > 0) {
    add("Offset", {fmt::format("{}", plan.offset)});
  }
  if (const std::string way = way_text(plan); !way.empty()) {
    add("Way", {way});
  }
  if (options.has_costs && plan.reads_table() && !swept.is_known) {
    add("Rows Swept", {fmt::format("unknown, taken to be {}: not every node has told its rows", swept.rows)});
  } else if (options.has_costs && plan.reads_table()) {
    add("Rows Swept", {fmt::format("{}", swept.rows)});
  }
  return properties;
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string json_value(const Property& property) {
  if (!property.is_list) {
    return json_string(property.items[0]);
  }
  std::vector<std::string> items;
  std::transform(property.items.begin(), property.items.end(), std::back_inserter(items), json_string);
  return fmt::format("[{}]", fmt::join(items, ", "));
}

double planning_ms(const Plan& plan) { return static_cast<double>(plan.planning_us) / 1000; }

std::string json_of(const Plan& plan, const ExplainOptions& options, std::string_view table, const SweptRows& swept) {
  std::vector<std::string> members{fmt::format("\"Node Type\": {}", json_string(node_name(plan.node))),
                                   "\"Parallel Aware\": false", "\"Async Capable\": false"};
  if (plan.node != Plan::Node::kResult) {
    members.push_back(fmt::format("\"Relation Name\": {}", json_string(table)));
    if (options.is_verbose) {
      members.emplace_back("\"Schema\": \"public\"");
    }
    members.push_back(fmt::format("\"Alias\": {}", json_string(table)));
  }
  if (options.has_costs) {
    const auto estimate = aggregator::estimate(plan, swept.rows);
    members.push_back(fmt::format("\"Startup Cost\": {:.2f}", estimate.startup_cost));
    members.push_back(fmt::format("\"Total Cost\": {:.2f}", estimate.total_cost));
    members.push_back(fmt::format("\"Plan Rows\": {}", estimate.rows));
    members.push_back(fmt::format("\"Plan Width\": {}", plan.width));
  }
  for (const Property& property : properties_of(plan, options, swept)) {
    members.push_back(fmt::format("{}: {}", json_string(property.name), json_value(property)));
  }
  std::string text = fmt::format("[\n  {{\n    \"Plan\": {{\n      {}\n    }}", fmt::join(members, ",\n      "));
  if (options.has_summary) {
    text += fmt::format(",\n    \"Planning Time\": {:.3f}", planning_ms(plan));
  }
  return text + "\n  }\n]";
}

}  // namespace

SweptRows swept_rows(const Plan& plan, const wire::v1::StatusReply& status) {
  std::map<uint32_t, std::pair<uint64_t, uint32_t>> by_partition;  // Rows and segments.
  for (const auto& node : status.nodes()) {
    for (const auto& segment : node.segments()) {
      auto& [rows, segments] = by_partition[segment.partition()];
      rows += segment.rows();
      ++segments;
    }
  }
  SweptRows swept{0, true};
  for (const auto partition : plan.partitions) {
    const auto found = by_partition.find(raw(partition));
    if (found == by_partition.end()) {
      return {};
    }
    const auto& [rows, segments] = found->second;
    swept.rows += plan.is_one_segment ? rows / segments : rows;
  }
  return swept;
}

std::vector<std::string> explain_lines(const Plan& plan, const ExplainOptions& options, std::string_view table,
                                       const SweptRows& swept) {
  if (options.is_json) {
    return {json_of(plan, options, table, swept)};
  }
  std::string first(node_name(plan.node));
  if (plan.node != Plan::Node::kResult) {
    first += fmt::format(" on {}{}", options.is_verbose ? "public." : "", table);
  }
  if (options.has_costs) {
    const auto estimate = aggregator::estimate(plan, swept.rows);
    first += fmt::format("  (cost={:.2f}..{:.2f} rows={} width={})", estimate.startup_cost, estimate.total_cost,
                         estimate.rows, plan.width);
  }
  std::vector<std::string> lines{std::move(first)};
  for (const Property& property : properties_of(plan, options, swept)) {
    lines.push_back(fmt::format("  {}: {}", property.name, fmt::join(property.items, ", ")));
  }
  if (options.has_summary) {
    lines.push_back(fmt::format("Planning Time: {:.3f} ms", planning_ms(plan)));
  }
  return lines;
}

}  // namespace daedalus::postgres
