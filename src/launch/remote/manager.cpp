#include "launch/remote/manager.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "bootstrap/pmi1.hpp"

namespace isthmus::launch {
namespace {

// Lines are short enough for any client's buffer.
constexpr const char* kMaxes = "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024\n";
constexpr std::size_t kLongestValue = 1024;

}  // namespace

HostManager::HostManager(int first, int count, int pes, std::string space,
                         const std::string& mapping)
    : first_(first),
      pes_(pes),
      space_(std::move(space)),
      members_(static_cast<std::size_t>(count)) {
    if (!mapping.empty() && mapping.size() < kLongestValue) learn(bootstrap::kMappingKey, mapping);
}

HostManager::Outcome HostManager::take_line(int pe, std::string_view line) {
    Outcome outcome;
    std::map<std::string, std::string> words;
    Member& own = members_[static_cast<std::size_t>(pe - first_)];
    // `spawn` and the like use lines of other shapes: not offered.
    if (!bootstrap::parse_pmi_line(line, words) || !words.contains("cmd")) {
        outcome.problem = "says to its process manager: " + std::string(line.substr(0, 60));
        return outcome;
    }
    const std::string& command = words["cmd"];
    if (command == "init") {
        outcome.began = !own.began;
        own.began = true;
        outcome.answer = words["pmi_version"] == "1"
                             ? "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n"
                             : "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=-1\n";
    } else if (command == "get_maxes") {
        outcome.answer = kMaxes;
    } else if (command == "get_appnum") {
        outcome.answer = "cmd=appnum appnum=0\n";
    } else if (command == "get_universe_size") {
        outcome.answer = "cmd=universe_size size=" + std::to_string(pes_) + "\n";
    } else if (command == "get_my_kvsname") {
        outcome.answer = "cmd=my_kvsname kvsname=" + space_ + "\n";
    } else if (command == "put") {
        const bool room = !words["key"].empty() && !values_.contains(words["key"]);
        if (room) {
            outcome.key = words["key"];
            outcome.value = words["value"];
        }
        outcome.answer =
            room ? "cmd=put_result rc=0 msg=success\n" : "cmd=put_result rc=-1 msg=duplicate_key\n";
    } else if (command == "get") {
        const auto found = values_.find(words["key"]);
        outcome.answer = found == values_.end()
                             ? "cmd=get_result rc=-1 msg=key_not_found value=unknown\n"
                             : "cmd=get_result rc=0 msg=success value=" + found->second + "\n";
    } else if (command == "barrier_in") {
        own.waits = true;
        outcome.all_arrived = std::all_of(members_.begin(), members_.end(),
                                          [](const Member& member) { return member.waits; });
    } else if (command == "finalize") {
        outcome.left = !own.left;
        own.left = true;
        outcome.answer = "cmd=finalize_ack\n";
    } else if (command == "abort") {
        outcome.aborts = true;
        outcome.status = std::atoi(words["exitcode"].c_str());
        outcome.has_words = words.contains(bootstrap::kLastWords);
        const std::string& said = words[bootstrap::kLastWords];
        outcome.words.resize(said.size() / 2);
        if (!bootstrap::decode_bytes(said, outcome.words.data(), outcome.words.size()))
            outcome.words.clear();
    } else if (command == bootstrap::kLeaveCommand) {
        outcome.left = !own.left;
        own.left = true;
    } else if (command == bootstrap::kDeathCommand) {
        outcome.signal = std::atoi(words["signal"].c_str());
    } else if (command == bootstrap::kStartCommand) {
        outcome.starts = words["in"] == "1";
        outcome.began = outcome.starts && own.left;  // again
        if (outcome.starts) own.left = false;
        outcome.has_started = words["in"] == "0";
        outcome.answer = "cmd=" + command + "_result rc=0\n";
    } else {
        outcome.answer = "cmd=" + command + "_result rc=-1 msg=not_offered\n";
    }
    return outcome;
}

void HostManager::learn(std::string key, std::string value) {
    values_.insert_or_assign(std::move(key), std::move(value));
}

std::string HostManager::go_on() {
    for (Member& member : members_)
        member.waits = false;
    return "cmd=barrier_out\n";
}

}  // namespace isthmus::launch
