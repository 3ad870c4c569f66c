// The road packet, for jobs whose PEs are threads of a test (loop/loop_job.hpp).
#pragma once

#include "transport/packet/link.hpp"
#include "transport/service/whole_road.hpp"

namespace isthmus::transport::test {

using PacketRoad = service::Road<packet::Link>;

}  // namespace isthmus::transport::test
