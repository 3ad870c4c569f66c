// The road packet, for jobs whose PEs are threads of a test (loop/loop_job.hpp).
#pragma once

#include "transport/packet/link.hpp"
#include "transport/service/whole_road.hpp"

namespace isthmus::transport::test {

using PacketRoad = service::Road<packet::Link>;

// The same by datagrams.
struct WithDatagrams {
    explicit WithDatagrams(const Services& given) : services(given) { services.protocol = "udp"; }
    Services services;
};
class DatagramLink : private WithDatagrams, public packet::Link {
  public:
    explicit DatagramLink(const Services& given) : WithDatagrams(given), Link(services) {}
};
using DatagramRoad = service::Road<DatagramLink>;

}  // namespace isthmus::transport::test
