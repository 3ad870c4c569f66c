// C++: static members, statics in functions and templates, objects with constructors as targets.
extern "C" {
#include <mpp/shmem.h>
}
#include <iostream>
#include <sstream>

class Mailbox {
  public:
    static long slots[64];
    static volatile int flag;
    static void send(long value, int pe) { shmem_long_p(&slots[shmem_my_pe()], value, pe); }
};
long Mailbox::slots[64];
volatile int Mailbox::flag = 0;

template <typename T>
T& shared_value() {
    static T value = T();
    return value;
}

struct Point {
    Point() : x(1), y(2) {}
    double x, y;
};
namespace {
Point origin;
}

int main() {
    start_pes(0);
    const int me = _my_pe(), n = _num_pes(), next = (me + 1) % n, before = (me + n - 1) % n;
    for (int pe = 0; pe < n; ++pe)
        Mailbox::send(10 * me + pe, pe);
    shmem_p(&shared_value<float>(), 1.5f + static_cast<float>(me), next);
    shmem_double_p(&shared_value<double>(), 2.5 + me, next);
    shmem_double_p(&origin.x, -me, next);
    shmem_int_p(const_cast<int*>(&Mailbox::flag), 3, next);
    shmem_int_wait_until(&Mailbox::flag, SHMEM_CMP_EQ, 3);
    shmem_barrier_all();
    bool ok = shared_value<float>() == 1.5f + static_cast<float>(before) &&
              shared_value<double>() == 2.5 + before && origin.x == -before && origin.y == 2;
    for (int pe = 0; pe < n; ++pe)
        ok = ok && Mailbox::slots[pe] == 10 * pe + me;
    std::ostringstream line;
    line << "PE " << me << (ok ? " ok" : " WRONG") << "\n";
    std::cout << line.str();
    return 0;
}
