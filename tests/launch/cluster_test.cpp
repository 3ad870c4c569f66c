#include "launch/cluster.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "launch/cluster_options.hpp"

namespace isthmus::launch {
namespace {

constexpr const char* kTwo = R"({
  "name": "lab",
  "protocol": "udp",
  "network": "10.1.0.0/16",
  "nodes": [
    {"name": "right", "type": "software", "address": "node2", "kernels": "2-4"},
    {"name": "left", "address": "node1", "kernels": [0, 1]}
  ]
})";

std::string wrong(const std::string& text) {
    Cluster cluster;
    return parse_cluster("c.json", text, cluster);
}
// A description of these nodes, a line each from line 2 on.
std::string nodes(const std::string& list) {
    return "{\"nodes\": [\n" + list + "\n]}";
}

TEST(Cluster, IsRead) {
    Cluster cluster;
    ASSERT_EQ(parse_cluster("c.json", kTwo, cluster), "");
    EXPECT_EQ(cluster.protocol, "udp");
    EXPECT_EQ(cluster.network, "10.1.0.0/16");
    EXPECT_EQ(cluster.kernels, 5);
    ASSERT_EQ(cluster.nodes.size(), 2u);
    EXPECT_EQ(cluster.nodes[0].name, "left");
    EXPECT_EQ(cluster.nodes[0].address, "node1");
    EXPECT_EQ(cluster.nodes[0].first, 0);
    EXPECT_EQ(cluster.nodes[0].count, 2);
    EXPECT_EQ(cluster.nodes[1].first, 2);
    EXPECT_EQ(cluster.nodes[1].count, 3);
    EXPECT_EQ(describe(cluster),
              "node left (node1): kernels 0-1\n"
              "node right (node2): kernels 2-4\n"
              "between nodes: packets by udp, network 10.1.0.0/16\n");
}

TEST(Cluster, HasStandards) {
    Cluster cluster;
    ASSERT_EQ(parse_cluster("c.json", nodes(R"({"name": "a", "kernels": [0]})"), cluster), "");
    EXPECT_EQ(cluster.protocol, "tcp");
    EXPECT_EQ(cluster.nodes[0].address, "localhost");
    EXPECT_EQ(describe(cluster), "node a (localhost): kernel 0\n");
}

// The text of each refusal, with line and field.
TEST(Cluster, SaysWhatIsWrong) {
    const struct {
        std::string text;
        const char* what;
    } cases[] = {
        {"",
         "c.json:1: syntax error while parsing value - unexpected end of input; expected '[', "
         "'{', or a literal"},
        {"{\n\n\"nodes\": [}",
         "c.json:3: syntax error while parsing value - unexpected '}'; expected '[', '{', or a "
         "literal"},
        {"[]", "c.json:1: expected an object, not a list"},
        {"{\"name\":\n\n 7, \"nodes\": []}", "c.json:3: name: expected a text, not a whole number"},
        {"{\n \"node\": []}", "c.json:2: node: there is no such field; did you mean nodes?"},
        {"{\n \"protocol\": \"tcp\",\n \"protocol\": \"udp\"}", "c.json:3: protocol: comes twice"},
        {"{\n \"protocol\": \"ip\", \"nodes\": []}", "c.json:2: protocol: 'ip' is not tcp or udp"},
        {"{\n \"network\": \"a b\", \"nodes\": []}",
         "c.json:2: network: 'a b' is no address, network such as 10.1.0.0/16, or interface"},
        {"{\n \"protocol\": \"\", \"nodes\": []}", "c.json:2: protocol: is empty"},
        {"{\"protocol\": \"tcp\"}", "c.json:1: the field nodes is missing"},
        {"{\n\"nodes\": []}", "c.json:2: nodes: is empty"},
        {"{\n\"nodes\": {}}", "c.json:2: nodes: expected a list, not an object"},
        {nodes("7"), "c.json:2: nodes[0]: expected an object, not a whole number"},
        {nodes("{\"kernels\": [0]}"), "c.json:2: nodes[0]: the field name is missing"},
        {nodes("{\"name\": \"a\"}"), "c.json:2: nodes[0]: the field kernels is missing"},
        {nodes("{\"name\": \"a b\", \"kernels\": [0]}"),
         "c.json:2: nodes[0].name: 'a b' is no name of a node"},
        {nodes("{\"name\": \"a\", \"kernels\": [0],\n \"adress\": \"x\"}"),
         "c.json:3: nodes[0].adress: there is no such field; did you mean address?"},
        {nodes("{\"name\": \"a\", \"kernels\": [0], \"address\": \"-x\"}"),
         "c.json:2: nodes[0].address: '-x' is no name or address of a host"},
        {nodes("{\"name\": \"a\", \"kernels\": [0], \"address\": \"x:3\"}"),
         "c.json:2: nodes[0].address: 'x:3' is no name or address of a host"},
        {nodes("{\"name\": \"a\", \"kernels\": 1}"),
         "c.json:2: nodes[0].kernels: expected a list of numbers, or a range such as \"0-3\""},
        {nodes("{\"name\": \"a\", \"kernels\": []}"), "c.json:2: nodes[0].kernels: is empty"},
        {nodes("{\"name\": \"a\", \"kernels\": [0, \"1\"]}"),
         "c.json:2: nodes[0].kernels[1]: expected a whole number, not a text"},
        {nodes("{\"name\": \"a\", \"kernels\": [0, 1.5]}"),
         "c.json:2: nodes[0].kernels[1]: expected a whole number, not a number that is not whole, "
         "or too large"},
        {nodes("{\"name\": \"a\", \"kernels\": [\n-1\n]}"),
         "c.json:3: nodes[0].kernels[0]: kernel -1 is out of range 0..1023"},
        {nodes("{\"name\": \"a\", \"kernels\": [0,\n 2]}"),
         "c.json:3: nodes[0].kernels[1]: kernel 2 does not follow 0: a node's kernels are in a "
         "row"},
        {nodes("{\"name\": \"a\", \"kernels\": \"3-1\"}"),
         "c.json:2: nodes[0].kernels: '3-1' is no range of kernels such as 0-3, of 0..1023"},
        {nodes("{\"name\": \"a\", \"kernels\": [0]},\n{\"name\": \"b\", \"kernels\": \"0-2\"}"),
         "c.json:3: nodes[1].kernels: kernel 0 is on node a already"},
        {nodes("{\"name\": \"a\", \"kernels\": [0]},\n{\"name\": \"b\", \"kernels\": [2]}"),
         "c.json:3: nodes[1].kernels: no node has kernel 1; kernels are numbered from 0, without "
         "gaps"},
        {nodes("{\"name\": \"a\", \"kernels\": [0]},\n{\"name\": \"a\", \"kernels\": [1]}"),
         "c.json:3: nodes[1].name: there are two nodes a"},
        {nodes("{\"name\": \"a\", \"kernels\": [0]},\n{\"name\": \"board\",\n\"type\": "
               "\"hardware\", \"kernels\": [1]}"),
         "c.json:4: nodes[1].type: node board is hardware, and hardware nodes cannot be started "
         "yet"},
        {nodes("{\"name\": \"a\", \"kernels\": [0], \"type\": \"soft\"}"),
         "c.json:2: nodes[0].type: 'soft' is not software or hardware"},
        {std::string(40, '['), "c.json:1: lists and objects lie in each other more than 32 deep"},
    };
    for (const auto& one : cases)
        EXPECT_EQ(wrong(one.text), one.what) << one.text;
    Cluster cluster;
    EXPECT_EQ(read_cluster("/nowhere/c.json", cluster),
              "/nowhere/c.json: No such file or directory");
}

std::string environment_of(const RunOptions& options) {
    std::string text;
    for (const std::string& entry : options.environment)
        text += (text.empty() ? "" : " ") + entry;
    return text;
}
RunOptions applied(const std::string& text, const std::vector<std::string>& given = {}) {
    Cluster cluster;
    EXPECT_EQ(parse_cluster("c.json", text, cluster), "");
    RunOptions options;
    options.environment = given;
    EXPECT_EQ(apply_cluster(cluster, options), "");
    return options;
}

TEST(Cluster, BecomesHostsAndSettings) {
    const RunOptions options = applied(kTwo);
    EXPECT_EQ(options.pes, 5);
    EXPECT_TRUE(options.elsewhere);
    ASSERT_EQ(options.hosts.size(), 2u);
    EXPECT_EQ(options.hosts[0].name, "node1");
    EXPECT_EQ(options.hosts[1].pes, 3);
    EXPECT_EQ(environment_of(options),
              "ISTHMUS_PACKET_PROTOCOL=udp ISTHMUS_PACKET_ADDRESS=10.1.0.0/16 "
              "ISTHMUS_TRANSPORT=auto,packet:0-4");
}

TEST(Cluster, MakesNodesOfThisMachine) {
    const std::string two = nodes(
        R"({"name": "a", "kernels": [0]}, {"name": "b", "address": "127.0.0.1", "kernels": "1-2"})");
    const RunOptions options = applied(two);
    EXPECT_FALSE(options.elsewhere);
    EXPECT_TRUE(options.hosts.empty());
    EXPECT_EQ(environment_of(options),
              "ISTHMUS_PACKET_PROTOCOL=tcp ISTHMUS_TRANSPORT=auto,packet:0-2 ISTHMUS_NODES=1,2");
    EXPECT_EQ(environment_of(applied(two, {"ISTHMUS_TRANSPORT=packet"})),
              "ISTHMUS_TRANSPORT=packet ISTHMUS_PACKET_PROTOCOL=tcp ISTHMUS_NODES=1,2");
    EXPECT_EQ(environment_of(applied(nodes(R"({"name": "a", "kernels": "0-3"})"))),
              "ISTHMUS_PACKET_PROTOCOL=tcp");
}

TEST(Cluster, KeepsAHostsKernelsInARow) {
    Cluster cluster;
    RunOptions options;
    ASSERT_EQ(parse_cluster("c.json", nodes(R"({"name": "a", "address": "x", "kernels": [0]},
                                               {"name": "b", "address": "x", "kernels": [1]},
                                               {"name": "c", "address": "y", "kernels": [2]})"),
                            cluster),
              "");
    EXPECT_EQ(apply_cluster(cluster, options), "");
    ASSERT_EQ(options.hosts.size(), 2u);
    EXPECT_EQ(options.hosts[0].pes, 2);
    std::swap(cluster.nodes[1].address, cluster.nodes[2].address);
    EXPECT_EQ(apply_cluster(cluster, options),
              "node c: the kernels of host x are not in a row; number those of one host one after "
              "the other");
    cluster.nodes = {{"a", "x", 0, 257}};
    EXPECT_EQ(apply_cluster(cluster, options), "257 kernels on host x; at most 256");
}

}  // namespace
}  // namespace isthmus::launch
