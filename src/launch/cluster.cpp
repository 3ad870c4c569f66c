#include "launch/cluster.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <utility>

#include "base/edit_distance.hpp"
#include "core/job/job_layout.hpp"
#include "launch/hosts.hpp"
#include "launch/json_lines.hpp"

namespace isthmus::launch {
namespace {

using Kind = LinedJson::Kind;

constexpr std::size_t kLargestFile = std::size_t{1} << 20;
constexpr std::string_view kClusterFields[] = {"name", "protocol", "network", "nodes"};
constexpr std::string_view kNodeFields[] = {"name", "type", "address", "kernels"};

// Thrown within this file alone.
struct Wrong {
    int line;
    std::string what;
};

std::string quoted(const std::string& text) {
    return "'" + text + "'";
}

// A value and where it stands: "nodes[1].kernels".
class Field {
  public:
    Field(const LinedJson& value, std::string path) : value_(&value), path_(std::move(path)) {}

    [[noreturn]] void refuse(const std::string& what) const {
        throw Wrong{value_->line, (path_.empty() ? "" : path_ + ": ") + what};
    }
    Kind kind() const { return value_->kind; }
    void require(Kind kind) const {
        if (value_->kind != kind)
            refuse(std::string("expected ") + kind_name(kind) + ", not " + kind_name(value_->kind));
    }
    // Every member is one of these, and comes once.
    template <std::size_t count>
    void require_members(const std::string_view (&known)[count]) const {
        require(Kind::object);
        for (std::size_t i = 0; i < value_->names.size(); ++i) {
            const std::string& name = value_->names[i];
            const Field field(value_->elements[i], inside(name));
            if (std::find(std::begin(known), std::end(known), name) == std::end(known))
                field.refuse("there is no such field" +
                             did_you_mean(name, {std::begin(known), std::end(known)}));
            if (find(name) != &value_->elements[i]) field.refuse("comes twice");
        }
    }
    // Null: there is none.
    const LinedJson* find(std::string_view name) const {
        const auto& names = value_->names;
        const auto found = std::find(names.begin(), names.end(), name);
        return found == names.end()
                   ? nullptr
                   : &value_->elements[static_cast<std::size_t>(found - names.begin())];
    }
    bool has(std::string_view name) const { return find(name) != nullptr; }
    Field operator[](const std::string& name) const {
        const LinedJson* const value = find(name);
        if (!value) refuse("the field " + name + " is missing");
        return {*value, inside(name)};
    }
    std::vector<Field> elements() const {
        require(Kind::list);
        std::vector<Field> fields;
        for (const LinedJson& element : value_->elements)
            fields.emplace_back(element, path_ + "[" + std::to_string(fields.size()) + "]");
        return fields;
    }
    const std::string& text() const {
        require(Kind::text);
        if (value_->text.empty()) refuse("is empty");
        return value_->text;
    }
    // One of the words.
    const std::string& word(std::initializer_list<const char*> words) const {
        const std::string& given = text();
        if (std::find(words.begin(), words.end(), given) != words.end()) return given;
        std::string list;
        for (const char* const each : words)
            list += (list.empty() ? "" : " or ") + std::string(each);
        refuse(quoted(given) + " is not " + list);
    }
    int kernel() const {
        require(Kind::number);
        if (value_->number < 0 || value_->number >= kMaxPes)
            refuse("kernel " + std::to_string(value_->number) + " is out of range 0.." +
                   std::to_string(kMaxPes - 1));
        return static_cast<int>(value_->number);
    }

  private:
    std::string inside(const std::string& name) const {
        return path_.empty() ? name : path_ + "." + name;
    }
    const LinedJson* value_;
    std::string path_;
};

// What goes into messages and settings.
bool is_plain(const std::string& text, const char* marks) {
    return std::all_of(text.begin(), text.end(), [marks](char letter) {
        const auto byte = static_cast<unsigned char>(letter);
        return std::isalnum(byte) != 0 || (byte != 0 && std::strchr(marks, letter) != nullptr);
    });
}

// "4-7", "4": the numbers of a text.
bool parse_span(const std::string& text, int& first, int& last) {
    const char* const end = text.data() + text.size();
    const auto [dash, error] = std::from_chars(text.data(), end, first);
    if (error != std::errc{}) return false;
    last = first;
    if (dash == end) return true;
    if (*dash != '-') return false;
    const auto [rest, second] = std::from_chars(dash + 1, end, last);
    return second == std::errc{} && rest == end;
}

// One after the other: PEs of a host have numbers in a row.
void read_kernels(const Field& field, ClusterNode& node) {
    std::vector<int> kernels;
    if (field.kind() == Kind::text) {
        int first = 0;
        int last = 0;
        if (!parse_span(field.text(), first, last) || first < 0 || last < first || last >= kMaxPes)
            field.refuse(quoted(field.text()) + " is no range of kernels such as 0-3, of 0.." +
                         std::to_string(kMaxPes - 1));
        node.first = first;
        node.count = last - first + 1;
        return;
    }
    if (field.kind() != Kind::list)
        field.refuse("expected a list of numbers, or a range such as \"0-3\"");
    for (const Field& element : field.elements()) {
        const int kernel = element.kernel();
        if (!kernels.empty() && kernel != kernels.back() + 1)
            element.refuse("kernel " + std::to_string(kernel) + " does not follow " +
                           std::to_string(kernels.back()) + ": a node's kernels are in a row");
        kernels.push_back(kernel);
    }
    if (kernels.empty()) field.refuse("is empty");
    node.first = kernels.front();
    node.count = static_cast<int>(kernels.size());
}

ClusterNode read_node(const Field& field) {
    field.require_members(kNodeFields);
    ClusterNode node;
    const Field name = field["name"];
    node.name = name.text();
    if (!is_plain(node.name, "-_.")) name.refuse(quoted(node.name) + " is no name of a node");
    if (field.has("type") && field["type"].word({"software", "hardware"}) == "hardware")
        field["type"].refuse("node " + node.name +
                             " is hardware, and hardware nodes cannot be started yet");
    if (field.has("address")) {
        const Field address = field["address"];
        std::vector<HostShare> hosts;
        node.address = address.text();
        if (!parse_hosts(node.address, hosts).empty() || hosts.size() != 1 || hosts[0].pes != 0)
            address.refuse(quoted(node.address) + " is no name or address of a host");
    }
    read_kernels(field["kernels"], node);
    return node;
}

struct ReadNode {
    ClusterNode node;
    Field field;
};

// Every kernel from 0 on is on one node.
void place_kernels(std::vector<ReadNode>& nodes, Cluster& cluster) {
    std::stable_sort(nodes.begin(), nodes.end(), [](const ReadNode& one, const ReadNode& other) {
        return one.node.first < other.node.first;
    });
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const ClusterNode& node = nodes[i].node;
        const Field kernels = nodes[i].field["kernels"];
        if (node.first < cluster.kernels)
            kernels.refuse("kernel " + std::to_string(node.first) + " is on node " +
                           nodes[i - 1].node.name + " already");
        if (node.first > cluster.kernels)
            kernels.refuse("no node has kernel " + std::to_string(cluster.kernels) +
                           "; kernels are numbered from 0, without gaps");
        for (std::size_t k = 0; k < i; ++k) {
            if (nodes[k].node.name == node.name)
                nodes[i].field["name"].refuse("there are two nodes " + node.name);
        }
        cluster.kernels += node.count;
        cluster.nodes.push_back(node);
    }
}

void read(const Field& root, Cluster& cluster) {
    root.require_members(kClusterFields);
    if (root.has("name")) (void)root["name"].text();
    if (root.has("protocol")) cluster.protocol = root["protocol"].word({"tcp", "udp"});
    if (root.has("network")) {
        const Field network = root["network"];
        cluster.network = network.text();
        if (!is_plain(cluster.network, "-_.:/"))
            network.refuse(quoted(cluster.network) +
                           " is no address, network such as 10.1.0.0/16, or interface");
    }
    const Field list = root["nodes"];
    std::vector<ReadNode> nodes;
    for (const Field& field : list.elements())
        nodes.push_back({read_node(field), field});
    if (nodes.empty()) list.refuse("is empty");
    place_kernels(nodes, cluster);
}

}  // namespace

std::string parse_cluster(const std::string& file, std::string_view text, Cluster& cluster) {
    LinedJson root;
    if (const std::string why = parse_lined_json(text, root); !why.empty()) return file + ":" + why;
    try {
        cluster = Cluster{};
        read(Field(root, ""), cluster);
    } catch (const Wrong& wrong) {
        return file + ":" + std::to_string(wrong.line) + ": " + wrong.what;
    }
    return "";
}

std::string read_cluster(const std::string& file, Cluster& cluster) {
    errno = 0;
    std::ifstream stream(file, std::ios::binary);
    std::string text;
    if (stream) text.assign(std::istreambuf_iterator<char>(stream), {});
    if (!stream) return file + ": " + std::strerror(errno != 0 ? errno : EIO);
    if (text.size() > kLargestFile)
        return file + ": " + std::to_string(text.size()) + " bytes; at most " +
               std::to_string(kLargestFile);
    return parse_cluster(file, text, cluster);
}

}  // namespace isthmus::launch
