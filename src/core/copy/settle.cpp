#include "core/copy/settle.hpp"

#include <cerrno>
#include <cstdlib>
#include <exception>

#include "core/copy/copy.hpp"
#include "core/copy/keep.hpp"
#include "core/copy/processor.hpp"

namespace isthmus {

constinit std::atomic<const CopyParameters*> copy_parameters_settled{nullptr};
constinit ChosenCopy copy_loops{nullptr, nullptr, nullptr, nullptr, "memcpy of the C library"};
constinit AvailableLoops copy_available{};

const ChosenCopy& loops_of(const CopyParameters& parameters) {
    const auto& [widest, narrower] = copy_available;
    return parameters.narrow && narrower.copy ? narrower : widest;
}

namespace {

// Of the caches of one machine, and of the widest loops.
std::string key_of(const Caches& caches, const ChosenCopy& widest) {
    return processor_name() + ", " + widest.name + ", caches " +
           std::to_string(caches.level1 >> 10) + " " + std::to_string(caches.level2 >> 10) + " " +
           std::to_string(caches.level3 >> 10) + " KiB";
}

// Not by the table of settings: a copy may come before that is read, and a program with more rights
// than its caller listens to none.
std::string wanted() {
    const char* const text = secure_getenv("ISTHMUS_TUNING");
    return text && *text ? text : "auto";
}

struct Search {
    CopyStory story;
    bool may_measure = false;
    Caches caches;

    CopyMeasurement measure() const {
        return measure_copies(copy_available.widest, copy_available.narrower, caches);
    }
};

Search search() {
    Search found{{}, false, read_caches()};
    CopyStory& story = found.story;
    story.parameters = standard_parameters(found.caches);
    story.processor = key_of(found.caches, copy_available.widest);
    const std::string wish = wanted();
    if (wish == "off") {
        story.reason = "from the sizes of the caches (ISTHMUS_TUNING=off)";
        return found;
    }
    const bool kept = wish == "auto";
    if (kept) {
        const std::string folder = cache_folder();
        if (folder.empty()) {
            story.reason = "from the sizes of the caches: no folder to keep a measurement in";
            return found;
        }
        story.file = kept_file(folder, story.processor);
    } else {
        story.file = wish;
    }
    std::string problem;
    const auto text = read_kept(story.file, problem);
    // A file that was named is taken as it stands: it may be another processor's.
    std::string_view processor = story.processor;
    constexpr std::string_view kLine = "processor = ";
    if (!kept && text) {
        const auto at = text->find(kLine);
        const auto begin = at == std::string::npos ? text->size() : at + kLine.size();
        processor = std::string_view(*text).substr(begin, text->find('\n', begin) - begin);
    }
    const auto parameters = text ? parse_parameters(*text, processor) : std::nullopt;
    if (parameters) {
        story.parameters = *parameters;
        story.given = true;
        story.reason = (kept ? "measured, " : "as given in ") + story.file;
        return found;
    }
    if (text)
        problem = kept ? "it is not of this version or this processor, or damaged"
                       : "it is not of this version, or damaged";
    if (!kept) story.refused = problem.empty() ? "it is not there" : problem;
    found.may_measure = kept && copy_available.widest.copy_by;
    story.reason = "from the sizes of the caches: ";
    if (!problem.empty())
        story.reason += story.file + " cannot be used: " + problem;
    else
        story.reason += kept ? "not measured yet (the first long copy does, or `isthmus tune`)"
                             : story.file + " is not there";
    return found;
}

// Written once, by the thread that settles.
constinit CopyParameters parameters_here;
// What others copy by meanwhile.
constinit CopyParameters parameters_meanwhile;
constinit std::atomic<bool> is_settling{false};

void measure_and_keep(Search& found) {
    const MeasureLock lock(found.story.file);
    // Nobody else waits: they copy by the sizes of the caches.
    if (!lock) return;
    const CopyMeasurement measurement = found.measure();
    if (!measurement.plausible) return;
    found.story.parameters = measurement.parameters;
    write_kept(found.story.file, parameters_text(measurement.parameters, found.story.processor));
}

}  // namespace

CopyStory find_parameters() {
    return search().story;
}

CopyStory find_or_measure() {
    Search found = search();
    if (found.may_measure) measure_and_keep(found);
    return found.story;
}

CopyStory tune_copies(CopyMeasurement& measurement) {
    Search found = search();
    measurement = found.measure();
    CopyStory& story = found.story;
    story.parameters = measurement.parameters;
    const std::string folder = cache_folder();
    story.file = folder.empty() ? "" : kept_file(folder, story.processor);
    if (!measurement.plausible)
        story.reason = "from the sizes of the caches: what was measured cannot be true";
    else if (story.file.empty())
        story.reason = "measured, and not kept: neither XDG_CACHE_HOME nor HOME is set";
    else if (!write_kept(story.file, parameters_text(story.parameters, story.processor)))
        story.reason = "measured, and not kept: " + story.file + " cannot be written";
    else
        story.reason = "measured, " + story.file;
    return story;
}

std::string describe_copies(const CopyStory& story) {
    const ChosenCopy& loops = loops_of(story.parameters);
    std::string text = loops.name;
    if (!loops.copy_by) return text;
    return text + "; " + describe_parameters(story.parameters) + " (" + story.reason + ")";
}

bool settle_by(const CopyStory& story) {
    // Relaxed: whoever settles meanwhile has found the same.
    if (!story.given || is_settling.exchange(true, std::memory_order_relaxed)) return false;
    parameters_here = story.parameters;
    // Release: pairs with the acquire in settled_parameters.
    copy_parameters_settled.store(&parameters_here, std::memory_order_release);
    return true;
}

const CopyParameters& settle_parameters() {
    // Relaxed: who comes second has his own parameters meanwhile.
    if (is_settling.exchange(true, std::memory_order_relaxed)) return parameters_meanwhile;
    const int kept_errno = errno;
    try {
        parameters_here = find_or_measure().parameters;
    } catch (const std::exception&) {  // no memory for a name
    }
    errno = kept_errno;
    // Release: pairs with the acquire in settled_parameters.
    copy_parameters_settled.store(&parameters_here, std::memory_order_release);
    return parameters_here;
}

}  // namespace isthmus
