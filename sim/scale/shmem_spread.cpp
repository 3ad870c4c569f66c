#include "sim/scale/shmem_spread.hpp"

#include <sched.h>
#include <shmem.h>
#include <time.h>

#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "sim/hart/address_space.hpp"

namespace isthmus::sim {
namespace {

constexpr std::size_t kLongest = 4096;

struct Request {
    std::uint64_t sweep, node, address, size;
    std::uint8_t rights, is_write, unused[6];
};
static_assert(sizeof(Request) == 40);

// The same on every PE; see who writes what.
struct Shared {
    std::uint64_t turn, turn_state;        // by the process before
    std::uint64_t outcome, outcome_state;  // by the process with the last turn
    std::uint64_t asked;                   // PE + 1 of who has the turn; back to 0 by the owner
    std::uint64_t answered;                // 1 + success, by who was asked; back to 0 by the owner
    Request request;                       // by who has the turn
    std::byte data[kLongest];              // of a request, by who has the turn
    std::byte answer[kLongest];            // by who was asked
};

std::uint64_t packed(const Spread::State& state) {
    return std::uint64_t{state.active} | std::uint64_t{state.alive} << 1 |
           std::uint64_t{state.limited} << 2 | std::uint64_t{state.ended} << 3;
}
Spread::State unpacked(std::uint64_t bits) {
    return {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0};
}

class ShmemSpread final : public Spread {
  public:
    explicit ShmemSpread(unsigned nodes) : nodes_(nodes) {
        shmem_init();
        me_ = static_cast<unsigned>(shmem_my_pe());
        processes_ = static_cast<unsigned>(shmem_n_pes());
        if (processes_ > nodes_) {
            const std::string text = std::to_string(processes_) + " processes for " +
                                     std::to_string(nodes_) +
                                     " nodes: each needs one at least (--processes, -n)";
            shmem_finalize();
            throw std::runtime_error(text);
        }
        shared_ = static_cast<Shared*>(shmem_calloc(1, sizeof(Shared)));
        if (shared_ == nullptr) throw std::runtime_error("no symmetric memory for the mailbox");
    }
    ~ShmemSpread() override {
        shmem_barrier_all();
        shmem_free(shared_);
        shmem_finalize();
    }
    ShmemSpread(const ShmemSpread&) = delete;
    ShmemSpread& operator=(const ShmemSpread&) = delete;

    unsigned first() const override { return first_of(me_); }
    unsigned last() const override { return first_of(me_ + 1); }
    void serve_memory(Read read, Write write) override {
        read_ = std::move(read);
        write_ = std::move(write);
    }

    State sweep(unsigned start, const Turn& turn) override {
        ++sweeps_;
        const unsigned first_process = owner(start);
        // A range that begins in the middle has its first part at the end.
        const unsigned turns = processes_ + (start != first_of(first_process));
        for (unsigned t = 0; t < turns; ++t) {
            if ((first_process + t) % processes_ != me_) continue;
            State state;
            if (t != 0) {
                wait_for(shared_->turn, sweeps_ * 2048 + t);
                state = unpacked(shared_->turn_state);
            }
            const bool again = t == processes_;
            turn(t == 0 ? start : first(), again ? start : last(), state);
            if (t + 1 == turns) {
                for (unsigned pe = 0; pe < processes_; ++pe)
                    tell(shared_->outcome_state, shared_->outcome, state, sweeps_, pe);
            } else {
                tell(shared_->turn_state, shared_->turn, state, sweeps_ * 2048 + t + 1,
                     (me_ + 1) % processes_);
            }
        }
        // The next outcome cannot come before this process has had a turn in the next sweep.
        wait_for(shared_->outcome, sweeps_);
        return unpacked(shared_->outcome_state);
    }

    bool read(unsigned node, std::uint64_t address, void* to, std::size_t size,
              std::uint8_t rights) override {
        const bool done = ask({sweeps_, node, address, size, rights, 0, {}}, nullptr);
        if (done) std::memcpy(to, shared_->answer, size);
        return done;
    }
    bool write(unsigned node, std::uint64_t address, const void* from, std::size_t size,
               std::uint8_t rights) override {
        return ask({sweeps_, node, address, size, rights, 1, {}}, from);
    }

    std::vector<std::string> gather(const std::string& text) override {
        auto* const sizes =
            static_cast<std::uint64_t*>(shmem_malloc((processes_ + 1) * sizeof(std::uint64_t)));
        if (sizes == nullptr) throw std::runtime_error("no symmetric memory for the reports");
        sizes[processes_] = text.size();
        shmem_uint64_fcollect(SHMEM_TEAM_WORLD, sizes, sizes + processes_, 1);
        std::size_t longest = 1;
        for (unsigned pe = 0; pe < processes_; ++pe)
            longest = std::max<std::size_t>(longest, sizes[pe]);
        auto* const block = static_cast<char*>(shmem_malloc(longest));
        if (block == nullptr)
            throw std::runtime_error(
                "no symmetric memory for the reports: raise SHMEM_SYMMETRIC_SIZE to " +
                std::to_string(2 * longest) + " or more");
        std::memcpy(block, text.data(), text.size());
        shmem_barrier_all();
        std::vector<std::string> texts;
        for (unsigned pe = 0; pe < processes_; ++pe) {
            texts.emplace_back(sizes[pe], '\0');
            shmem_getmem(texts.back().data(), block, sizes[pe], static_cast<int>(pe));
        }
        shmem_barrier_all();
        shmem_free(block);
        shmem_free(sizes);
        return texts;
    }

    void end(int code) override {
        std::fflush(nullptr);
        shmem_barrier_all();
        shmem_global_exit(code);
    }

  private:
    unsigned first_of(unsigned process) const {
        return static_cast<unsigned>(std::uint64_t{nodes_} * process / processes_);
    }
    unsigned owner(unsigned node) const {
        unsigned process = static_cast<unsigned>(std::uint64_t{node} * processes_ / nodes_);
        while (node >= first_of(process + 1))
            ++process;
        return process;
    }

    static void tell(std::uint64_t& state_word, std::uint64_t& word, const State& state,
                     std::uint64_t value, unsigned pe) {
        shmem_uint64_p(&state_word, packed(state), static_cast<int>(pe));
        shmem_fence();  // the state before the word that says it is there
        shmem_uint64_atomic_set(&word, value, static_cast<int>(pe));
    }
    /// Serves others until the word has come to the value.
    void wait_for(std::uint64_t& word, std::uint64_t value) {
        for (unsigned looks = 0; shmem_uint64_test(&word, SHMEM_CMP_GE, value) == 0; ++looks) {
            serve_one();
            be_patient(looks);
        }
    }
    void serve_one() {
        if (shmem_uint64_test(&shared_->asked, SHMEM_CMP_NE, 0) == 0) return;
        const Request request = shared_->request;
        // Of the next sweep: whoever asks knows the outcome of this one, and this process does not
        // yet. Its nodes have to run before.
        if (request.sweep != sweeps_) return;
        const int pe = static_cast<int>(shared_->asked - 1);
        const auto node = static_cast<unsigned>(request.node);
        bool done = false;
        if (request.is_write != 0) {
            done = write_(node, request.address, shared_->data, request.size, request.rights);
        } else {
            std::byte buffer[kLongest];
            done = read_(node, request.address, buffer, request.size, request.rights);
            if (done) shmem_putmem(shared_->answer, buffer, request.size, pe);
        }
        shared_->asked = 0;
        shmem_fence();
        shmem_uint64_atomic_set(&shared_->answered, std::uint64_t{1} + done, pe);
    }
    bool ask(const Request& request, const void* data) {
        const int pe = static_cast<int>(owner(static_cast<unsigned>(request.node)));
        shared_->answered = 0;
        if (data != nullptr) shmem_putmem(shared_->data, data, request.size, pe);
        shmem_putmem(&shared_->request, &request, sizeof request, pe);
        shmem_fence();
        shmem_uint64_atomic_set(&shared_->asked, me_ + std::uint64_t{1}, pe);
        for (unsigned looks = 0; shmem_uint64_test(&shared_->answered, SHMEM_CMP_NE, 0) == 0;
             ++looks)
            be_patient(looks);
        return shared_->answered == 2;
    }
    /// There may be fewer cores than processes, and others may want them: a word that is long in
    /// coming comes sooner to who sleeps for it than to who has used up its share of the time.
    static void be_patient(unsigned looks) {
        constexpr unsigned kSpins = 64, kYields = 128;
        if (looks < kSpins * kYields) {
            if (looks % kSpins == kSpins - 1) sched_yield();
        } else {
            constexpr timespec kNap = {0, 20'000};
            nanosleep(&kNap, nullptr);
        }
    }

    const unsigned nodes_;
    unsigned me_ = 0, processes_ = 1;
    std::uint64_t sweeps_ = 0;
    Shared* shared_ = nullptr;
    Read read_;
    Write write_;
};

}  // namespace

std::unique_ptr<Spread> make_shmem_spread(unsigned nodes) {
    return std::make_unique<ShmemSpread>(nodes);
}

}  // namespace isthmus::sim
