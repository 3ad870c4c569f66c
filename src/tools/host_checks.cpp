// What jobs of several hosts need, and a job on those that the user names.
#include <dlfcn.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <set>

#include "base/module_version.hpp"
#include "base/settings.hpp"
#include "launch/handover.hpp"
#include "launch/program_run.hpp"
#include "launch/reach.hpp"
#include "tools/checks.hpp"
#include "tools/place.hpp"
#include "transport/preferred_road.hpp"
#include "transport/road_needs.hpp"

namespace isthmus::tools {

using launch::first_line_of;
using launch::ProgramRun;
using launch::run_program;

namespace {

std::string own_name() {
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    return name;
}

struct OwnAddress {
    std::string interface;
    std::string text;
};

// Those at which another host could find this one.
std::vector<OwnAddress> own_addresses() {
    std::vector<OwnAddress> found;
    ifaddrs* first = nullptr;
    if (getifaddrs(&first) != 0) return found;
    const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(first, freeifaddrs);
    for (const ifaddrs* entry = first; entry; entry = entry->ifa_next) {
        if (!entry->ifa_addr || (entry->ifa_flags & IFF_LOOPBACK) || !(entry->ifa_flags & IFF_UP) ||
            (entry->ifa_addr->sa_family != AF_INET && entry->ifa_addr->sa_family != AF_INET6))
            continue;
        char text[NI_MAXHOST];
        const bool six = entry->ifa_addr->sa_family == AF_INET6;
        if (getnameinfo(entry->ifa_addr, six ? sizeof(sockaddr_in6) : sizeof(sockaddr_in), text,
                        sizeof text, nullptr, 0, NI_NUMERICHOST) != 0)
            continue;
        found.push_back({entry->ifa_name, text});
    }
    return found;
}

// A system's setting may be several numbers, the last of which is the most. -1: there is none.
long last_number(const std::string& path) {
    std::ifstream file(path);
    long number = -1;
    for (long next = 0; file >> next;)
        number = next;
    return number;
}

// -1: it has gone meanwhile.
long mtu_of(const std::string& interface) {
    ifreq asked{};
    interface.copy(asked.ifr_name, sizeof asked.ifr_name - 1);
    const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const bool answered = socket >= 0 && ioctl(socket, SIOCGIFMTU, &asked) == 0;
    if (socket >= 0) close(socket);
    return answered ? asked.ifr_mtu : -1;
}

constexpr long kLeastMtu = 1280;       // of any network that carries IPv6
constexpr long kEnoughRoom = 1 << 20;  // for what comes while a thread is not scheduled

// Among these the kernel chooses those at which PEs listen; a firewall must let them through.
std::string ports() {
    std::ifstream range("/proc/sys/net/ipv4/ip_local_port_range");
    int first = 0;
    int last = 0;
    if (!(range >> first >> last)) return "";
    return "; PEs listen at ports " + std::to_string(first) + "-" + std::to_string(last);
}

}  // namespace

Check check_roads() {
    Check check{"roads between hosts", Verdict::ok, "", ""};
    const std::string lib = find_place().lib;
    int found = 0;
    for (const std::string name : {transport::kPacket, transport::kOfi}) {
        const std::string path = lib + "/libisthmus-" + name + ".so";
        // Not closed again: what modules load need not bear it.
        void* const module = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
        const std::string why = module ? module_mismatch(module, path) : dlerror();
        if (why.empty()) {
            ++found;
            check.finding += (check.finding.empty() ? "" : ", ") + name;
            continue;
        }
        if (module) {
            check.advice += (check.advice.empty() ? "" : "; ") + why;
            continue;
        }
        const std::string needs = transport::road_needs(path);
        check.advice += (check.advice.empty() ? "" : "; ") + name + " cannot be loaded (" +
                        (needs.empty() ? "it was not built" : "it needs " + needs) + "): " + why;
    }
    check.finding = found == 0 ? "none" : check.finding + " can be loaded";
    if (!check.advice.empty()) check.verdict = Verdict::warn;
    return check;
}

Check check_network() {
    Check check{"network", Verdict::ok, "", ""};
    std::string narrow;
    std::set<std::string> interfaces;
    for (const OwnAddress& each : own_addresses())
        interfaces.insert(each.interface);
    for (const std::string& name : interfaces) {
        const long bytes = mtu_of(name);
        check.finding +=
            (check.finding.empty() ? "MTU " : ", ") + std::to_string(bytes) + " on " + name;
        if (bytes < kLeastMtu) narrow += (narrow.empty() ? "" : ", ") + name;
    }
    if (check.finding.empty()) check.finding = "no interface but its own";
    // What a socket may be given: by TCP the kernel's own growth, by UDP what the library asks for.
    const bool by_udp = value(Setting::packet_protocol).text == "udp";
    const std::string setting = by_udp ? "net.core.rmem_max" : "net.ipv4.tcp_rmem";
    const long room =
        last_number(by_udp ? "/proc/sys/net/core/rmem_max" : "/proc/sys/net/ipv4/tcp_rmem");
    if (room > 0)  // network namespaces do not show all of these
        check.finding += "; up to " + format_size(static_cast<std::size_t>(room)) +
                         " may wait at a socket (" + setting + ")";
    if (room > 0 && room < kEnoughRoom) {
        check.verdict = Verdict::warn;
        check.advice = "long transfers between hosts stall where that is little: sysctl -w " +
                       setting + (by_udp ? "=4194304" : "='4096 131072 6291456'");
    }
    if (!narrow.empty()) {
        check.verdict = Verdict::warn;
        check.advice += (check.advice.empty() ? "" : "; ") + narrow +
                        " takes less than IPv6 asks of any network (1280 bytes): ip link set dev " +
                        narrow + " mtu 1500, or whatever its network takes";
    }
    return check;
}

Check check_launchers(const std::string& asked_for) {
    Check check{"launchers for hosts", Verdict::ok, "", ""};
    const launch::Site site = launch::Site::here(find_place().lib);
    for (const std::string& asked : launch::launcher_words()) {
        if (asked == "auto" || launch::choose_launcher(asked, site).program.empty()) continue;
        check.finding += (check.finding.empty() ? "" : ", ") + asked;
    }
    if (check.finding.empty()) {
        check.verdict = Verdict::warn;
        check.finding = "none";
        check.advice = "jobs of several hosts need one: apt-get install openssh-client, or mpich";
        return check;
    }
    const launch::LauncherChoice chosen = launch::choose_launcher(
        asked_for.empty() ? value(Setting::launcher).text : asked_for, site);
    check.finding += chosen.program.empty() ? "" : "; taken: " + chosen.program;
    if (const std::string clear = launch::who_may_hear(chosen); !clear.empty())
        check.finding += " (" + clear + ")";
    return check;
}

Check check_host_name() {
    Check check{"name and addresses", Verdict::ok, "", ""};
    const std::string name = own_name();
    std::string list;
    for (const OwnAddress& each : own_addresses())
        list += (list.empty() ? "" : ", ") + each.interface + " " + each.text;
    check.finding = name + ": " + (list.empty() ? "no address but its own" : list) + ports();
    if (list.empty()) {
        check.verdict = Verdict::warn;
        check.advice = "no other host can reach this one: is a network up?";
    }
    return check;
}

std::vector<Check> check_hosts(const std::string& list, const std::string& launcher) {
    Check names{"hosts", Verdict::ok, "", ""};
    Check job{"job on these hosts", Verdict::ok, "", ""};
    std::vector<launch::HostShare> hosts;
    if (const std::string problem = launch::parse_hosts(list, hosts); !problem.empty()) {
        names.verdict = job.verdict = Verdict::fail;
        names.finding = problem;
        job.finding = "not run";
        return {names, job};
    }
    const Place place = find_place();
    const std::string trial = find_helper(place, "isthmus-trial");
    std::string text;
    int pes = 0;
    for (launch::HostShare& host : hosts) {
        host.pes = std::max(host.pes, 1);
        pes += host.pes;
        text += (text.empty() ? "" : ",") + host.name + ":" + std::to_string(host.pes);
    }
    names.finding = std::to_string(hosts.size()) + (hosts.size() == 1 ? " host" : " hosts");
    if (trial.empty()) {
        job.verdict = Verdict::fail;
        job.finding = "isthmus-trial is not installed beside isthmus";
        job.advice = "install again (cmake --install)";
        return {names, job};
    }
    // Said only if it was said here: else the setting decides, as it will for the user's jobs.
    std::vector<std::string> words{place.bin + "/isthmus", "run", "--hosts", text};
    if (!launcher.empty()) words.insert(words.end(), {"--launcher", launcher});
    words.insert(words.end(), {"--env", "ISTHMUS_JOIN_SECONDS=30", trial});
    const ProgramRun ran = run_program(words);
    if (ran.status == 0) {
        job.finding = std::to_string(pes) + " PEs ran and what they sent arrived";
        return {names, job};
    }
    job.verdict = Verdict::fail;
    job.finding =
        "ended with status " + std::to_string(ran.status) + ": " + first_line_of(ran.output);
    job.advice = "the same by hand: isthmus run --hosts " + text +
                 (launcher.empty() ? "" : " --launcher " + launcher) + " " + trial +
                 "; it must lie at the same place on all hosts, and ssh must need no password";
    return {names, job};
}

}  // namespace isthmus::tools
