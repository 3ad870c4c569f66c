#include "transport/packet/address.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>

#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/limits.hpp"

namespace isthmus::transport::packet {
namespace {

struct Raw {
    const unsigned char* bytes = nullptr;
    std::size_t count = 0;
};
Raw raw(const sockaddr_storage& address) {
    if (address.ss_family == AF_INET)
        return {reinterpret_cast<const unsigned char*>(
                    &reinterpret_cast<const sockaddr_in&>(address).sin_addr),
                4};
    return {reinterpret_cast<const unsigned char*>(
                &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr),
            16};
}

bool has_same_bits(const sockaddr_storage& a, const sockaddr_storage& b, unsigned bits) {
    if (a.ss_family != b.ss_family) return false;
    const Raw left = raw(a);
    const Raw right = raw(b);
    if (bits > 8 * left.count) return false;
    if (std::memcmp(left.bytes, right.bytes, bits / 8) != 0) return false;
    const unsigned rest = bits % 8;
    return rest == 0 || (left.bytes[bits / 8] ^ right.bytes[bits / 8]) >> (8 - rest) == 0;
}

bool parse_address(const std::string& text, sockaddr_storage& address) {
    address = {};
    auto& four = reinterpret_cast<sockaddr_in&>(address);
    auto& six = reinterpret_cast<sockaddr_in6&>(address);
    if (inet_pton(AF_INET, text.c_str(), &four.sin_addr) == 1) {
        address.ss_family = AF_INET;
        return true;
    }
    if (inet_pton(AF_INET6, text.c_str(), &six.sin6_addr) != 1) return false;
    address.ss_family = AF_INET6;
    return true;
}

// Whether the setting means this one.
bool is_meant(const Interface& each, const std::string& setting) {
    const auto slash = setting.find('/');
    const std::string front = setting.substr(0, slash);
    sockaddr_storage wanted;
    if (parse_address(front, wanted)) {
        unsigned bits = static_cast<unsigned>(8 * raw(wanted).count);
        if (slash != std::string::npos) {
            char* end = nullptr;
            bits = static_cast<unsigned>(std::strtoul(setting.c_str() + slash + 1, &end, 10));
            if (*end != '\0' || end == setting.c_str() + slash + 1) return false;
        }
        return has_same_bits(each.address, wanted, bits);
    }
    if (each.name != front) return false;
    if (slash == std::string::npos) return true;
    return setting.substr(slash) == (each.address.ss_family == AF_INET ? "/4" : "/6");
}

}  // namespace

std::vector<Interface> interfaces(std::string& problem) {
    ifaddrs* list = nullptr;
    if (getifaddrs(&list) != 0) {
        const int error = errno;
        problem = std::string("the system does not tell this host's addresses (getifaddrs): ") +
                  std::strerror(error);
        if (os::is_call_forbidden(error))
            problem +=
                "; a socket of netlink, or what is said by it, is forbidden here (a "
                "container's seccomp profile?)";
        return {};
    }
    const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owned(list, freeifaddrs);
    std::vector<Interface> all;
    for (const ifaddrs* each = list; each; each = each->ifa_next) {
        if (!each->ifa_addr || (each->ifa_flags & IFF_UP) == 0) continue;
        const int family = each->ifa_addr->sa_family;
        if (family != AF_INET && family != AF_INET6) continue;
        Interface found;
        found.name = each->ifa_name;
        found.is_loopback = (each->ifa_flags & IFF_LOOPBACK) != 0;
        if (!found.is_loopback && (each->ifa_flags & IFF_RUNNING) == 0) continue;
        std::memcpy(&found.address, each->ifa_addr,
                    family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
        // Of one link alone, and nothing without its number, which differs between hosts.
        const auto& six = reinterpret_cast<const sockaddr_in6&>(found.address);
        if (family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&six.sin6_addr)) continue;
        all.push_back(found);
    }
    return all;
}

const Interface* choose_interface(const std::vector<Interface>& all, const std::string& setting,
                                  bool leaves_machine, std::string& why) {
    const Interface* best = nullptr;
    const auto rank = [&](const Interface& each) {
        return (each.is_loopback == leaves_machine ? 2 : 0) +
               (each.address.ss_family == AF_INET ? 0 : 1);
    };
    bool stays = false;
    for (const Interface& each : all) {
        if (!setting.empty() && !is_meant(each, setting)) continue;
        if (setting.empty() && leaves_machine && each.is_loopback) {
            stays = true;
            continue;
        }
        if (!best || rank(each) < rank(*best)) best = &each;
    }
    if (best) {
        why = setting.empty() ? (leaves_machine ? "the first address of this host that others reach"
                                                : "all PEs are on this machine")
                              : "asked for by ISTHMUS_PACKET_ADDRESS";
    } else if (!setting.empty()) {
        std::string names;
        for (const Interface& each : all)
            names += " " + text_of(each.address) + " (" + each.name + "),";
        if (names.empty()) names = " none,";
        names.pop_back();
        why = "ISTHMUS_PACKET_ADDRESS=" + setting +
              " is no address, network or interface of this host, which has" + names;
    } else {
        why = stays ? "this host has no network address but that of its loop-back device, by which "
                      "no other host reaches it; is its network up?"
                    : "this host has no address of IP; is its network up?";
    }
    return best;
}

std::string text_of(const sockaddr_storage& address) {
    char text[INET6_ADDRSTRLEN] = "";
    inet_ntop(address.ss_family, raw(address).bytes, text, sizeof text);
    return text;
}

socklen_t length_of(const sockaddr_storage& address) {
    return address.ss_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
}

}  // namespace isthmus::transport::packet
