// Which road leads to which PE: what ISTHMUS_TRANSPORT says, for this job.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace isthmus {

// Whether PEs of one host reach each other without a road.
bool setting_has_window();
// Whether all operations are to be late (ISTHMUS_DELAY): then all PEs are far.
bool is_delayed();

struct RoadChoice {
    std::vector<std::string> names;     // of the modules
    std::vector<std::uint8_t> road_of;  // by PE: a number in `names`; the same at every PE
};

// Ends the job with a message if the setting names a road, a PE or a host that there is not, or if
// not each PE of the job is reached by one road. Where the hosts' names are known.
RoadChoice choose_roads();

// Where the roads lie.
std::string road_folder();

// Of a road. It lies beside this library, whether in a build folder or installed.
std::string road_module(const std::string& name);

// " (it needs ...)": of one that cannot be loaded, as its file says.
std::string needs_of_road(const std::string& name);

}  // namespace isthmus
