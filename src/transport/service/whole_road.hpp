// All of Road, for who makes one of a link.
#pragma once

#include "transport/service/progress.hpp"
#include "transport/service/requests.hpp"
#include "transport/service/road.hpp"
#include "transport/service/side_channel.hpp"
#include "transport/service/thread.hpp"
#include "transport/service/transfer.hpp"
