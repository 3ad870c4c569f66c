#include "launch/before_start.hpp"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/settings.hpp"
#include "core/job/heap_size.hpp"
#include "core/job/window.hpp"

namespace isthmus {

// A tool is no PE: its window stays closed. What counts here is the shift, that of the library.
Window window;

namespace launch {
namespace {

// --env for as long as it lives, but only what is a setting: nobody else is to see the rest.
class GivenSettings {
  public:
    explicit GivenSettings(const std::vector<std::string>& entries) {
        for (const std::string& entry : entries) {
            const auto equals = entry.find('=');
            const std::string name = entry.substr(0, equals);
            if (equals == std::string::npos || !is_setting(name)) continue;
            const char* const now = std::getenv(name.c_str());
            before.emplace_back(name, now ? std::optional<std::string>(now) : std::nullopt);
            setenv(name.c_str(), entry.c_str() + equals + 1, 1);
        }
    }
    ~GivenSettings() {
        for (auto each = before.rbegin(); each != before.rend(); ++each) {
            if (each->second)
                setenv(each->first.c_str(), each->second->c_str(), 1);
            else
                unsetenv(each->first.c_str());
        }
        read_settings();
    }
    GivenSettings(const GivenSettings&) = delete;
    GivenSettings& operator=(const GivenSettings&) = delete;

  private:
    static bool is_setting(const std::string& name) {
        for (const char* const prefix : {"ISTHMUS_", "SHMEM_", "SMA_", "XT_"})
            if (name.starts_with(prefix)) return true;
        return false;
    }

    std::vector<std::pair<std::string, std::optional<std::string>>> before;
};

}  // namespace

std::string problem_of_settings(const RunOptions& options) {
    const GivenSettings given(options.environment);
    if (const auto problems = read_settings(); !problems.empty()) return problems[0].message;
    const HeapChoice heap = choose_heap(options.pes > 0 ? options.pes : 1);
    if (heap.is_refused())
        return std::string(description(Setting::symmetric_size).name) + "=" +
               value(Setting::symmetric_size).text + " is " + format_size(heap.bytes) +
               "; at most " + format_size(heap.largest) + " fit in the window";
    return "";
}

std::string make_split_directory(const std::string& path, bool keep) {
    namespace fs = std::filesystem;
    std::error_code problem;
    std::vector<fs::path> made;
    for (fs::path each = fs::absolute(path, problem); !each.empty() && !fs::exists(each, problem);
         each = each.parent_path())
        made.push_back(each);
    fs::create_directories(path, problem);
    std::string why = problem ? problem.message() : "";
    std::error_code ignored;
    if (!keep)
        for (const fs::path& each : made)
            fs::remove(each, ignored);  // only what is empty
    return why;
}

}  // namespace launch
}  // namespace isthmus
