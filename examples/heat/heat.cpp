// Heat flow over a picture: the bright parts are hot, the dark ones cold, and the heat spreads.
// Every PE computes a band of rows; examples/README.md tells how to run it.
#include <shmem.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>

#include "image.hpp"
#include "options.hpp"
#include "plate.hpp"

namespace heat {
namespace {

constexpr int kCheckEvery = 50;
constexpr int kBadUse = 2;  // exit status: command line or files

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// PE 0 read the picture (or could not); all learn its size. Symmetric, as every static variable.
int picture_size[2] = {0, 0};

// One line that is rewritten on a terminal, a line every tenth of the way elsewhere.
class Progress {
  public:
    Progress(long iterations, bool speaks)
        : iterations_(iterations), terminal_(isatty(STDERR_FILENO) != 0), speaks_(speaks) {}

    void show(long done, double residual) {
        if (!speaks_) return;
        const double elapsed = seconds_since(start_);
        const bool last = done == iterations_;
        if (terminal_ ? elapsed - shown_ < 0.1 && !last : done * 10 / iterations_ == tenth_) return;
        shown_ = elapsed;
        tenth_ = done * 10 / iterations_;
        const double left =
            elapsed / static_cast<double>(done) * static_cast<double>(iterations_ - done);
        std::fprintf(stderr, "%sstep %ld of %ld, residual %.3e, %.1f s, at most %.1f s to go%s",
                     terminal_ ? "\r" : "", done, iterations_, residual, elapsed, left,
                     terminal_ ? "  " : "\n");
        std::fflush(stderr);
    }
    void end() const {
        if (speaks_ && terminal_) std::fputs("\n", stderr);
    }

  private:
    long iterations_;
    bool terminal_;
    bool speaks_;
    Clock::time_point start_ = Clock::now();
    double shown_ = 0;
    long tenth_ = 0;
};

struct Outcome {
    long iterations = 0;
    double residual = 0;
    double seconds = 0;
};

Outcome solve(Plate& plate, const Options& options) {
    Progress progress(options.iterations, shmem_my_pe() == 0);
    Outcome outcome;
    const auto start = Clock::now();
    while (outcome.iterations < options.iterations) {
        plate.step();
        ++outcome.iterations;
        if (outcome.iterations % kCheckEvery != 0 && outcome.iterations != options.iterations)
            continue;
        outcome.residual = plate.residual();
        progress.show(outcome.iterations, outcome.residual);
        if (outcome.residual <= options.tolerance) break;  // the same decision at every PE
    }
    shmem_barrier_all();
    outcome.seconds = seconds_since(start);
    progress.end();
    return outcome;
}

void write_field(const std::string& path, const double* field, std::size_t cells) {
    FILE* const file = std::fopen(path.c_str(), "wb");
    const bool complete = file && std::fwrite(field, sizeof(double), cells, file) == cells;
    if (!file || std::fclose(file) != 0 || !complete) throw ImageError(path + ": cannot write");
}

// Before the work, not after it.
void require_writable(const std::string& path) {
    FILE* const file = std::fopen(path.c_str(), "ab");
    if (!file) throw ImageError(path + ": cannot write: " + std::strerror(errno));
    std::fclose(file);
}

// FNV-1a over the bits of the numbers: two runs that print the same number agree to the last bit.
std::uint64_t fingerprint(const double* field, std::size_t cells) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (std::size_t i = 0; i < cells; ++i) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, field + i, sizeof bits);
        for (int byte = 0; byte < 8; ++byte, bits >>= 8)
            hash = (hash ^ (bits & 0xff)) * 0x100000001b3;
    }
    return hash;
}

void report(const Options& options, const Outcome& outcome, const double* field,
            std::size_t cells) {
    const auto [coldest, hottest] = std::minmax_element(field, field + cells);
    const char* const why = outcome.iterations < options.iterations ? "tolerance reached" : "limit";
    std::printf("steps               %ld (%s)\n", outcome.iterations, why);
    std::printf("residual            %.6e\n", outcome.residual);
    std::printf("temperature         %.6f to %.6f\n", *coldest, *hottest);
    std::printf("fingerprint         %016llx\n",
                static_cast<unsigned long long>(fingerprint(field, cells)));
    if (outcome.iterations > 0)
        std::printf("time per iteration  %.1f us on %d PEs\n",
                    outcome.seconds * 1e6 / static_cast<double>(outcome.iterations), shmem_n_pes());
    std::printf("picture             %s\n", options.output.c_str());
}

void run(const Options& options) {
    const bool root = shmem_my_pe() == 0;
    Picture picture;
    if (root) {
        picture = read_picture(options.input);
        require_writable(options.output);
        if (!options.field.empty()) require_writable(options.field);
        std::printf("input               %s, %d x %d\n", options.input.c_str(), picture.width,
                    picture.height);
        for (int pe = 0; pe < shmem_n_pes(); ++pe) {
            const int size[2] = {picture.width, picture.height};
            shmem_int_put(picture_size, size, 2, pe);
        }
    }
    shmem_barrier_all();
    const int width = picture_size[0];
    const int height = picture_size[1];
    const std::size_t cells = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);

    // Reserved at every PE, occupied at PE 0 alone: pages count when they are touched.
    auto* const whole = static_cast<double*>(shmem_malloc(cells * sizeof(double)));
    if (!whole) throw std::bad_alloc();
    if (root) std::copy(picture.pixels.begin(), picture.pixels.end(), whole);
    shmem_barrier_all();
    {
        Plate plate(whole, width, height);
        const Outcome outcome = solve(plate, options);
        plate.gather(whole);
        if (root) {
            write_picture(options.output, whole, width, height, options.colours);
            if (!options.field.empty()) write_field(options.field, whole, cells);
            report(options, outcome, whole, cells);
        }
    }
    shmem_free(whole);
}

// PE 0 speaks for all: they were given the same command line.
void complain(const char* what) {
    if (shmem_my_pe() == 0) std::fprintf(stderr, "heat: %s\n", what);
}

int start(int argc, char** argv) {
    try {
        const Options options = parse_options(argc, argv);
        if (options.help) {
            if (shmem_my_pe() == 0) std::fputs(kUsage, stdout);
            return 0;
        }
        run(options);
        return 0;
    } catch (const UsageError& error) {
        complain(error.what());
        if (shmem_my_pe() == 0) std::fputs(kUsage, stderr);
        return kBadUse;
    } catch (const ImageError& error) {
        complain(error.what());
        shmem_global_exit(kBadUse);  // the other PEs wait for the picture
    } catch (const std::bad_alloc&) {
        complain("the picture does not fit in memory");
        shmem_global_exit(1);
    }
}

}  // namespace
}  // namespace heat

int main(int argc, char** argv) {
    shmem_init();
    const int status = heat::start(argc, argv);
    shmem_finalize();
    return status;
}
