// The engine's figures, with the bounds that they must keep.
#include <cstdio>

#include "model/measure.hpp"

using namespace isthmus::rtl;

namespace {
int failed = 0;
void check(const char* what, double value, double bound, bool at_most) {
    const bool ok = at_most ? value <= bound : value >= bound;
    std::printf("%-60s %9.3f  %s %.3f %s\n", what, value, at_most ? "<=" : ">=", bound,
                ok ? "" : "FAILED");
    failed += !ok;
}
}  // namespace

int main() {
    constexpr unsigned kOneWay = PaperConstants::kOneWay, kRead = PaperConstants::kHostRead;
    check("posted write of 8 B, cycles", posted_cycles(8, 400), 8, true);
    check("posted write of 64 B, cycles", posted_cycles(64, 200), 22, true);
    const Trip near8 = round_trip(8, false, 1, 4), far8 = round_trip(8, false, kOneWay, kRead),
               far64 = round_trip(64, false, kOneWay, kRead);
    check("read of 8 B, cycles in the engines", near8.engine, 40, true);
    check("read of 8 B with the paper's delays, us", far8.whole / PaperConstants::kMegahertz, 2,
          true);
    check("read of 64 B against 8 B", far64.whole / far8.whole, 1.12, true);
    check("atomic, cycles in the engines", round_trip(8, true, 1, 4).engine, 44, true);
    const double one = read_rate(64, 1, kOneWay, kRead, 64),
                 sixteen = read_rate(64, 16, kOneWay, kRead, 800);
    check("reads of 64 B: 16 open against 16 x 1 open", sixteen / (16 * one), 0.9, false);
    check("reads of 64 B, 1024 open: share of the link's 16 of 18 words",
          read_rate(64, 1024, kOneWay, kRead, 4000) * 18 / 64, 0.97, false);
    check("reads of 8 B, 1024 open: share of the link's 2 of 4 words",
          read_rate(8, 1024, kOneWay, kRead, 8000) * 4 / 8, 0.9, false);
    const Stream linear = read_stream(64, 64, 28, kOneWay, kRead, 2000),
                 strided = read_stream(64, 256, 28, kOneWay, kRead, 2000),
                 back = read_stream(64, -64, 28, kOneWay, kRead, 2000);
    check("prefetch, loads of 64 B in a row: share of the link", linear.link_share, 0.9, false);
    check("prefetch, loads of 64 B 256 B apart: share of the link", strided.link_share, 0.9, false);
    check("prefetch, loads of 64 B downwards: share of the link", back.link_share, 0.9, false);
    check("prefetch, loads in a row: hit rate", linear.hit_rate, 0.95, false);
    check("prefetch, loads in a row: lines fetched for nothing", linear.wasted, 0.05, true);
    const Stream words = read_stream(8, 8, 28, kOneWay, kRead, 2000),
                 none = read_stream(8, 8, 0, kOneWay, kRead, 64);
    check("prefetch, loads of 8 B in a row: times faster",
          words.bytes_per_cycle / none.bytes_per_cycle, 5, false);
    check("bulk put of 64 KiB, bytes a cycle (link: 3.2)", bulk_rate(false, 65536, kOneWay, kRead),
          2.8, false);
    check("bulk get of 64 KiB, bytes a cycle (link: 3.56)", bulk_rate(true, 65536, kOneWay, kRead),
          2.8, false);
    check("bulk put of 200 B arrives whole", bulk_rate(false, 200, 1, 4), 0.1, false);
    check("bulk get of 200 B arrives whole", bulk_rate(true, 200, 1, 4), 0.1, false);
    return failed != 0;
}
