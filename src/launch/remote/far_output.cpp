#include "launch/remote/far_output.hpp"

#include <fcntl.h>

#include <cerrno>
#include <cstring>

namespace isthmus::launch {

FarOutput::FarOutput(const RunOptions& options)
    : options_(options), pes_(static_cast<std::size_t>(options.pes)) {}

FarOutput::~FarOutput() {
    for (const Pe& pe : pes_)
        if (pe.split >= 0) close(pe.split);
}

std::string FarOutput::open_split_files() {
    if (options_.split_directory.empty()) return "";
    for (std::size_t pe = 0; pe < pes_.size(); ++pe) {
        const std::string path = options_.split_directory + "/pe-" + std::to_string(pe) + ".out";
        pes_[pe].split =
            open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
        if (pes_[pe].split < 0) return "cannot write " + path + ": " + std::strerror(errno);
    }
    return "";
}

void FarOutput::pass_on(int pe, std::string_view bytes, bool is_error) {
    Pe& own = pes_[static_cast<std::size_t>(pe)];
    if (own.split >= 0) {
        while (!bytes.empty()) {
            const ssize_t count = write(own.split, bytes.data(), bytes.size());
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) break;
            bytes.remove_prefix(static_cast<std::size_t>(count));
        }
        return;
    }
    OutputQueue& queue = is_error ? errors_ : output_;
    if (!options_.prefix) return queue.append(bytes);
    auto& cutter = own.lines[is_error ? 1 : 0];
    if (!cutter) cutter = std::make_unique<LineCutter>("[" + std::to_string(pe) + "] ");
    cutter->feed(bytes, queue);
}

void FarOutput::finish_lines() {
    for (const Pe& pe : pes_)
        for (int i = 0; i < 2; ++i)
            if (pe.lines[i]) pe.lines[i]->finish(i == 0 ? output_ : errors_);
}

void FarOutput::add_to(std::vector<pollfd>& polled) const {
    for (const OutputQueue* const queue : {&output_, &errors_})
        if (!queue->empty()) polled.push_back({queue->file(), POLLOUT, 0});
}

void FarOutput::write_some() {
    output_.write_some();
    errors_.write_some();
}

}  // namespace isthmus::launch
