// What the tests of the OpenSHMEM face share: routines that know their names and count their
// checks, sample values of every type, the contexts to try, and the result file from which
// tools/conformance.py makes docs/conformance.md.
//
// A test makes a struct of the routines of one type from the table (shmem_table.h), so that none is
// left out: MEMBER declares them, INITIALISER fills them in. Calls go through the exported symbols,
// or, compiled with TEST_INLINE, through the inlined bodies of shmem.h.
#pragma once

#include <shmem.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace test {

struct Record {
    std::string name;
    long checks = 0;
    long failures = 0;
};

inline std::deque<Record> records;

inline Record& record_of(const std::string& name) {
    for (Record& record : records) {
        if (record.name == name) return record;
    }
    return records.emplace_back(Record{name});
}

inline long failures_shown = 0;

inline bool expect(Record& record, bool condition, const char* file, int line,
                   const std::string& what) {
    ++record.checks;
    if (condition) return true;
    ++record.failures;
    int initialized = 0;
    shmem_query_initialized(&initialized);
    if (++failures_shown <= 20)
        std::fprintf(stderr, "%s:%d: PE %d: %s: %s\n", file, line,
                     initialized != 0 ? shmem_my_pe() : -1, record.name.c_str(), what.c_str());
    return false;
}

template <typename Signature>
class Routine;

template <typename R, typename... Arguments>
class Routine<R(Arguments...)> {
  public:
    Routine(const char* name, R (*function)(Arguments...))
        : record(&records.emplace_back(Record{name})), function_(function) {}
    R operator()(Arguments... arguments) const { return function_(arguments...); }
    Record* record;

  private:
    R (*function_)(Arguments...);
};

#define MEMBER(R, NAME, PARAMETERS, ARGUMENTS) test::Routine<R PARAMETERS> NAME;
#ifdef TEST_INLINE
#define INITIALISER(R, NAME, PARAMETERS, ARGUMENTS) \
    {"shmem_" #NAME, [] PARAMETERS -> R { return shmem_##NAME ARGUMENTS; }},
#else
#define INITIALISER(R, NAME, PARAMETERS, ARGUMENTS) {"shmem_" #NAME, shmem_##NAME},
#endif

#define EXPECT(routine, condition, what) \
    test::expect(*(routine).record, (condition), __FILE__, __LINE__, (what))
// The routine without a context if `context` is null, else the one with.
#define EXPECT_CHOSEN(context, plain, with_context, condition, what)                            \
    test::expect(*((context) == nullptr ? (plain).record : (with_context).record), (condition), \
                 __FILE__, __LINE__, (what))
// For routines that are called by name.
#define EXPECT_NAMED(name, condition) \
    test::expect(test::record_of(name), (condition), __FILE__, __LINE__, #condition)

// Bytes of T that carry its value; the rest of an x87 number is padding.
template <typename T>
constexpr std::size_t value_bytes() {
    if constexpr (std::is_same_v<T, long double>)
        return std::numeric_limits<long double>::digits == 64 ? 10 : sizeof(long double);
    else
        return sizeof(T);
}

template <typename T>
bool same(const T& left, const T& right) {
    return std::memcmp(&left, &right, value_bytes<T>()) == 0;
}

inline std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

// Values of the type's own corners first (extremes, negative, not a number), then values that tell
// the PE and the index.
template <typename T>
T sample(int index, int pe) {
    using Limits = std::numeric_limits<T>;
    const std::uint64_t hash =
        mix(static_cast<std::uint64_t>(pe) * 1009 + static_cast<std::uint64_t>(index) + 1);
    if constexpr (std::is_floating_point_v<T>) {
        switch (index) {
            case 0: return T{-0.0};
            case 1: return Limits::infinity();
            case 2: return -Limits::infinity();
            case 3: return Limits::denorm_min();
            case 4: return Limits::lowest();
            case 5: {  // a quiet NaN with a payload
                T value = Limits::quiet_NaN();
                unsigned char bytes[sizeof(T)];
                std::memcpy(bytes, &value, sizeof(T));
                bytes[0] = 0x2a;
                std::memcpy(&value, bytes, sizeof(T));
                return value;
            }
            default: return static_cast<T>(static_cast<std::int32_t>(hash)) / 8;
        }
    } else if constexpr (std::is_integral_v<T>) {
        switch (index) {
            case 0: return Limits::min();
            case 1: return Limits::max();
            case 2: return static_cast<T>(-1);
            case 3: return static_cast<T>(1);
            default: return static_cast<T>(hash);
        }
    } else {
        T value;
        auto* bytes = reinterpret_cast<unsigned char*>(&value);
        for (std::size_t i = 0; i < sizeof(T); ++i)
            bytes[i] = static_cast<unsigned char>(mix(hash + i));
        return value;
    }
}

// A context and the numbers that PEs have in its team.
struct TestContext {
    const char* name;
    shmem_ctx_t context;
    bool reversed;
    int pe(int world) const { return reversed ? shmem_n_pes() - 1 - world : world; }
};

// SHMEM_CTX_DEFAULT, one created on the world, one on a team whose numbers run backwards.
class Contexts {
  public:
    Contexts() {
        const int pes = shmem_n_pes();
        shmem_ctx_t created = SHMEM_CTX_INVALID;
        shmem_ctx_t on_team = SHMEM_CTX_INVALID;
        EXPECT_NAMED("shmem_ctx_create", shmem_ctx_create(0, &created) == 0);
        EXPECT_NAMED(
            "shmem_team_split_strided",
            shmem_team_split_strided(SHMEM_TEAM_WORLD, pes - 1, -1, pes, nullptr, 0, &team_) == 0);
        EXPECT_NAMED("shmem_team_create_ctx",
                     shmem_team_create_ctx(team_, SHMEM_CTX_PRIVATE, &on_team) == 0);
        all_ = {{"default context", SHMEM_CTX_DEFAULT, false},
                {"created context", created, false},
                {"context of a team", on_team, true}};
    }
    Contexts(const Contexts&) = delete;
    Contexts& operator=(const Contexts&) = delete;
    ~Contexts() {
        shmem_ctx_destroy(all_[2].context);
        shmem_ctx_destroy(all_[1].context);
        shmem_team_destroy(team_);
    }
    auto begin() const { return all_.begin(); }
    auto end() const { return all_.end(); }
    void quiet() const {
        shmem_quiet();
        for (const TestContext& each : all_)
            shmem_ctx_quiet(each.context);
    }

  private:
    shmem_team_t team_ = SHMEM_TEAM_INVALID;
    std::vector<TestContext> all_;
};

// Symmetric memory in both places a program has it, cut into slots.
class Arena {
  public:
    static constexpr std::size_t kSlotBytes = 512;
    static constexpr std::size_t kSlots = 192;
    enum Place { heap, data };
    static constexpr unsigned char kUntouched = 0x5a;

    Arena() : heap_(static_cast<char*>(shmem_align(16, kSlotBytes * kSlots))) {
        if (heap_ == nullptr) {
            std::fprintf(stderr, "the symmetric heap is too small for the test\n");
            shmem_global_exit(3);
        }
    }
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;
    ~Arena() { shmem_free(heap_); }

    template <typename T>
    T* at(Place place, int slot) const {
        if (static_cast<std::size_t>(slot) >= kSlots) {
            std::fprintf(stderr, "test arena: slot %d of %zu\n", slot, kSlots);
            std::abort();
        }
        char* base = place == heap ? heap_ : data_;
        return reinterpret_cast<T*>(base + static_cast<std::size_t>(slot) * kSlotBytes);
    }
    void clear() const {
        std::memset(heap_, kUntouched, kSlotBytes * kSlots);
        std::memset(data_, kUntouched, kSlotBytes * kSlots);
    }
    static const char* name(Place place) { return place == heap ? "heap" : "static data"; }

  private:
    char* heap_;
    alignas(16) static inline char data_[kSlotBytes * kSlots];
};

template <typename T>
bool untouched(const T& value) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(&value);
    for (std::size_t i = 0; i < value_bytes<T>(); ++i) {
        if (bytes[i] != Arena::kUntouched) return false;
    }
    return true;
}

// Checks that wait for the barrier after which their operands are there.
inline std::vector<std::function<void()>> deferred;
inline void later(std::function<void()> check) {
    deferred.push_back(std::move(check));
}
inline void run_deferred() {
    for (auto& check : deferred)
        check();
    deferred.clear();
}

// Writes this PE's results to $CONFORMANCE_RESULTS/PROGRAM.PES.PE.json; 1 if a check failed.
inline int finish(const char* program, int pe, int pes) {
    std::string ok;
    std::string failed;
    long failures = 0;
    for (const Record& record : records) {
        failures += record.failures;
        if (record.checks == 0) continue;
        std::string& list = record.failures == 0 ? ok : failed;
        list += (list.empty() ? "\"" : ", \"") + record.name + "\"";
    }
    if (const char* folder = std::getenv("CONFORMANCE_RESULTS")) {
        const std::string path = std::string(folder) + "/" + program + "." + std::to_string(pes) +
                                 "." + std::to_string(pe) + ".json";
        if (std::FILE* file = std::fopen(path.c_str(), "w")) {
            std::fprintf(file, "{\"program\": \"%s\", \"pes\": %d, \"pe\": %d,\n", program, pes,
                         pe);
            std::fprintf(file, " \"ok\": [%s],\n \"failed\": [%s]}\n", ok.c_str(), failed.c_str());
            std::fclose(file);
        }
    }
    if (failures != 0) std::fprintf(stderr, "PE %d: %ld checks failed\n", pe, failures);
    return failures == 0 ? 0 : 1;
}

}  // namespace test
