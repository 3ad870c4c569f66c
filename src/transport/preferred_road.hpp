// Which road `auto` takes between hosts, as one host sees it.
#pragma once

#include <string>

namespace isthmus::transport {

inline constexpr const char* kOfi = "ofi";
inline constexpr const char* kPacket = "packet";

struct PreferredRoad {
    std::string name;
    std::string why;  // begins with a small letter: "ISTHMUS_FABRIC is set"
};

// libfabric where the user asks for one of its providers or where it drives a network's own
// hardware, which keeps others' processes out. On plain IP networks packets: whoever comes to
// libfabric's ports there takes part in its connections (SECURITY.md), and nobody who does not know
// the job's secret takes part in those of packets.
//
// `fabric`: ISTHMUS_FABRIC; `modules`: the folder of the roads; `devices`: where the kernel lists
// devices by class. libfabric is loaded only if there is a device that it may drive.
PreferredRoad preferred_road(const std::string& fabric, const std::string& modules,
                             const std::string& devices = "/sys/class");

}  // namespace isthmus::transport
