#include <algorithm>
#include <chrono>
#include <cstdio>
#include <stdexcept>

#include "sim/hart/machine_rounds.hpp"
#include "sim/hart/remote_access.hpp"

namespace isthmus::sim {
namespace {

std::uint64_t milliseconds() {
    using namespace std::chrono;
    return static_cast<std::uint64_t>(
        duration_cast<std::chrono::milliseconds>(steady_clock::now().time_since_epoch()).count());
}

}  // namespace

Machine::Machine(Program program, MachineOptions options, const Boot& boot)
    : program_(std::move(program)),
      options_(std::move(options)),
      decoder_(program_.xlen, options_.profile) {
    if (options_.nodes < 1 || options_.nodes > 1024)
        throw std::runtime_error("the number of nodes is " + std::to_string(options_.nodes) +
                                 ", not in 1..1024 (-n)");
    if (options_.quantum < 1 || options_.quantum > 1'000'000'000)
        throw std::runtime_error("the quantum is " + std::to_string(options_.quantum) +
                                 ", not in 1..1000000000 (--quantum)");
    complain = [](const std::string& text) { std::fputs(text.c_str(), stderr); };
    for (unsigned i = 0; i < options_.nodes; ++i) {
        nodes_.push_back(std::make_unique<Node>(i, options_.nodes));
        if (owns(i)) boot(*this, *nodes_.back());
    }
    if (options_.spread != nullptr)
        options_.spread->serve_memory(
            [this](unsigned node, std::uint64_t address, void* to, std::size_t size,
                   std::uint8_t rights) { return read_here(node, address, to, size, rights); },
            [this](unsigned node, std::uint64_t address, const void* from, std::size_t size,
                   std::uint8_t rights) { return write_here(node, address, from, size, rights); });
}

Machine::~Machine() = default;

Hart& Machine::add_hart(Node& node, bool emulate_linux) {
    HartOptions hart_options;
    hart_options.xlen = program_.xlen;
    hart_options.profile = options_.profile;
    hart_options.emulate_linux = emulate_linux;
    if (!emulate_linux) {
        hart_options.supervisor_mode = true;
        hart_options.sets_accessed = HartOptions::SetsAccessed::svadu;
        hart_options.interrupt_bits = 0xaaa;
    }
    hart_options.strict_e = options_.strict_e;
    hart_options.translate = options_.translate;
    auto hart = std::make_unique<Hart>(hart_options, decoder_, node.memory);
    hart->id = static_cast<unsigned>(node.harts.size());
    hart->e[10] = node.id;
    hart->e[11] = options_.nodes;
    hart->e[12] = shared_size_;
    hart->e[13] = shared_base_;
    hart->e[14] = shared_base_ + shared_size_;
    if (!node.harts.empty()) hart->blocks.breakpoints() = node.harts.front()->blocks.breakpoints();
    node.harts.push_back(std::move(hart));
    node.runnable.push_back(true);
    return *node.harts.back();
}

bool Machine::run() {
    std::vector<NoObserver> observers(nodes_.size());
    return run(std::span(observers));
}

// The order of service turns with the rounds, from a start the seed chooses, so that no node is
// always first.
std::size_t Machine::first_of_round() const {
    std::uint64_t mixed = (options_.seed + rounds_) * 0x9e3779b97f4a7c15ull;
    mixed ^= mixed >> 32;
    return options_.seed == 0 ? 0 : mixed % nodes_.size();
}

void Machine::begin_round() {
    ++rounds_;
    active_.clear();
    const std::size_t first = first_of_round();
    for (std::size_t i = 0; i < nodes_.size(); ++i)
        begin_round(*nodes_[(first + i) % nodes_.size()]);
    if (options_.host_clock && active_.empty()) rest();
}

// The host's time passes by itself: while no hart of any node can run, the host sleeps until the
// first may, and looks now and then whether something else than time lets one.
void Machine::rest() const {
    constexpr std::uint64_t kLongest = 1'000'000;
    std::uint64_t left = kLongest;
    bool alive = false;
    for (const auto& node : nodes_) {
        if (node->exited) continue;
        alive = true;
        if (!owns(node->id) || node->wakes_at == 0) continue;
        const std::uint64_t now = node->nanoseconds();
        left = std::min(left, node->wakes_at > now ? node->wakes_at - now : 0);
    }
    if (alive && left != 0) std::this_thread::sleep_for(std::chrono::nanoseconds(left));
}

void Machine::begin_round(Node& node) {
    if (node.exited) return;
    node.begin_round_of_time();
    node.environment->before_round(node);
    const auto none_can_run = [&] { return std::ranges::count(node.runnable, true) == 0; };
    if (none_can_run()) {
        if (!node.environment->wake_sleepers(node)) {
            complain("isthmus-sim: node " + std::to_string(node.id) +
                     ": every thread waits for another one; the program is deadlocked\n");
            for (const auto& hart : node.harts)
                complain(report(node, *hart));
            exit_node(node, 124);
            return;
        }
        if (options_.host_clock && none_can_run()) return;
    }
    if (options_.max_instructions != 0 &&
        node.retired() + node.trapped() >= options_.max_instructions) {
        limit_reached_ = true;
        return;
    }
    node.quota = static_cast<std::int64_t>(options_.quantum);
    active_.push_back(&node);
}

// What the process that has the next turn must know of the nodes of this one.
void Machine::note_spread(unsigned first, unsigned last, Spread::State& state) const {
    state.ended = state.ended || job_ended_;
    state.limited = state.limited || limit_reached_;
    for (unsigned i = first; i < last; ++i)
        state.alive = state.alive || !nodes_[i]->exited;
    for (const Node* node : active_) {
        state.active = state.active ||
                       (node->id >= first && node->id < last && !node->exited && node->quota > 0);
    }
}

Spread::State Machine::begin_spread_round() {
    ++rounds_;
    active_.clear();
    Spread::State state =
        options_.spread->sweep(static_cast<unsigned>(first_of_round()),
                               [&](unsigned first, unsigned last, Spread::State& now) {
                                   if (now.ended) end_job_elsewhere();
                                   for (unsigned i = first; i < last; ++i)
                                       begin_round(*nodes_[i]);
                                   note_spread(first, last, now);
                               });
    state = agree(state);
    if (options_.host_clock && state.alive && !state.active) rest();
    return state;
}

Spread::State Machine::end_spread_phase() {
    Spread::State state = options_.spread->sweep(
        static_cast<unsigned>(first_of_round()),
        [&](unsigned first, unsigned last, Spread::State& now) {
            if (now.ended) end_job_elsewhere();
            for (Node* node : active_) {
                if (!node->wants_service || node->id < first || node->id >= last) continue;
                node->wants_service = false;
                serve(*node, *node->harts[node->current]);
            }
            note_spread(first, last, now);
        });
    state = agree(state);
    std::erase_if(active_, [](const Node* node) { return node->exited || node->quota <= 0; });
    return state;
}

// After a sweep: what a later turn has ended is over here, too.
Spread::State Machine::agree(Spread::State state) {
    if (!state.ended) return state;
    end_job_elsewhere();
    state.active = state.alive = false;
    return state;
}

// Another process's node has ended the job.
void Machine::end_job_elsewhere() {
    job_ended_ = true;
    for (const auto& node : nodes_) {
        if (node->exited) continue;
        node->exited = true;
        node->quota = 0;
    }
}

// Calls act(physical, offset, bytes) for each piece of a range that others reach on a node, by the
// node's own page tables if it has some; false where there is nothing or act says so.
template <class Act>
bool Machine::at_node(Node& node, std::uint64_t address, std::size_t size, AccessType type,
                      Act&& act) {
    Hart& hart = *node.harts.front();
    if (hart.csr.satp == 0) return act(address, std::size_t{0}, size);
    for (std::size_t done = 0; done != size;) {
        const std::uint64_t at = address + done;
        const std::size_t n = std::min<std::uint64_t>(size - done, kPageSize - at % kPageSize);
        std::uint64_t physical = 0;
        if (!hart.remote_address(at, type, physical) || !act(physical, done, n)) return false;
        done += n;
    }
    return true;
}

bool Machine::read_here(unsigned node, std::uint64_t address, void* to, std::size_t size,
                        std::uint8_t rights) {
    Node& there = *nodes_[node];
    return at_node(
        there, address, size, (rights & kWrite) != 0 ? AccessType::store : AccessType::load,
        [&](std::uint64_t physical, std::size_t done, std::size_t n) {
            return there.memory.read(physical, static_cast<std::byte*>(to) + done, n, rights);
        });
}
bool Machine::write_here(unsigned node, std::uint64_t address, const void* from, std::size_t size,
                         std::uint8_t rights) {
    Node& there = *nodes_[node];
    return at_node(there, address, size, AccessType::store,
                   [&](std::uint64_t physical, std::size_t done, std::size_t n) {
                       return there.memory.write(
                           physical, static_cast<const std::byte*>(from) + done, n, rights);
                   });
}
bool Machine::read_node(unsigned node, std::uint64_t address, void* to, std::size_t size,
                        std::uint8_t rights) {
    return owns(node) ? read_here(node, address, to, size, rights)
                      : options_.spread->read(node, address, to, size, rights);
}
bool Machine::write_node(unsigned node, std::uint64_t address, const void* from, std::size_t size,
                         std::uint8_t rights) {
    return owns(node) ? write_here(node, address, from, size, rights)
                      : options_.spread->write(node, address, from, size, rights);
}

// Serves what the nodes stopped for. True when the round is over.
bool Machine::end_phase() {
    for (Node* node : active_) {
        if (!node->wants_service) continue;
        node->wants_service = false;
        serve(*node, *node->harts[node->current]);
    }
    std::erase_if(active_, [](const Node* node) { return node->exited || node->quota <= 0; });
    return active_.empty();
}

void Machine::serve(Node& node, Hart& hart) {
    if (hart.stop == Stop::remote) {
        serve_remote(node, hart);
    } else if (hart.stop == Stop::observer) {
        if (on_stop) on_stop(node, hart);
    } else {
        const bool for_debugger = hart.stop == Stop::breakpoint || hart.stop == Stop::trap;
        if (for_debugger && on_stop && on_stop(node, hart)) return;
        if (hart.stop == Stop::system_call) ++node.counters.system_calls;
        node.environment->serve(node, hart);
    }
}

bool Machine::serve_remote(Node& from, Hart& hart) {
    const RemoteRequest& request = hart.remote;
    using Kind = RemoteRequest::Kind;
    const bool writes = request.kind != Kind::load && request.kind != Kind::load_reserved &&
                        request.kind != Kind::bulk_load;
    // The access did not take place: the instruction traps as if it had just been reached.
    const auto raise = [&](const Trap& trap) {
        hart.has_deferred = false;
        hart.pc = request.pc;
        --hart.instret;
        hart.trap = trap;
        hart.stop = Stop::trap;
        ++hart.trap_counts[static_cast<unsigned>(hart.trap.cause)];
        if (tell_trap_) tell_trap_(from, hart, request.pc);
        if (hart.options().emulate_linux || !hart.enter_trap(request.pc))
            from.environment->serve(from, hart);
        return false;
    };
    const auto fail = [&](bool store, std::uint64_t address) {
        if (request.name_space == 0 && hart.data_view().satp != 0)
            return raise(store ? as_store(hart.trap) : hart.trap);
        return raise({store ? Cause::store_fault : Cause::load_fault, address, request.name_space});
    };
    const unsigned target_id = from.namespaces.node_of(request.name_space);
    if (target_id == NamespaceTable::kUnmapped) return fail(writes, request.address);
    // Namespace 0 is the own memory as the program sees it, elsewhere it is as the node there does.
    const bool local = request.name_space == 0 && hart.data_view().satp != 0;
    std::uint64_t failed = 0;
    const auto read = [&](std::uint64_t address, void* to, std::size_t size,
                          std::uint8_t rights = kRead) {
        return local ? hart.copy_in(address, to, size, failed)
                     : read_node(target_id, address, to, size, rights);
    };
    const auto write = [&](std::uint64_t address, const void* data, std::size_t size) {
        return local ? hart.copy_out(address, data, size, failed)
                     : write_node(target_id, address, data, size, kWrite);
    };
    std::array<std::uint64_t, 2> value{};
    switch (request.kind) {
        case Kind::load:
        case Kind::load_reserved:
            if (!read(request.address, value.data(), request.size))
                return fail(false, request.address);
            break;
        case Kind::store: {
            const std::uint64_t data[2] = {request.value, request.value_high};
            if (!write(request.address, data, request.size)) return fail(true, request.address);
            break;
        }
        case Kind::atomic:
        case Kind::store_conditional: {
            if (!read(request.address, value.data(), request.size, kRead | kWrite))
                return fail(true, request.address);
            std::uint64_t next = request.value;
            if (request.kind == Kind::atomic)
                next = apply_atomic(atomic_operation(request.op), value[0], request.value,
                                    request.compare, request.size);
            else if (!reservation_holds(hart, request, value[0]))
                break;
            if (!write(request.address, &next, request.size)) return fail(true, request.address);
            break;
        }
        case Kind::bulk_load:
        case Kind::bulk_store: {
            const bool load = request.kind == Kind::bulk_load;
            if (request.count > ~std::uint64_t{0} / request.size)
                return fail(!load, request.address);
            std::uint64_t left = request.count * request.size, remote = request.address,
                          at = request.local;
            std::byte buffer[4096];
            // A piece that fails is done again byte by byte: the first that cannot be moved ends
            // it.
            bool by_bytes = false;
            while (left != 0) {
                const std::size_t n = by_bytes ? 1 : std::min<std::uint64_t>(left, sizeof buffer);
                const bool there =
                    load ? read(remote, buffer, n) : hart.copy_in(at, buffer, n, failed);
                const bool moved = there && (load ? hart.copy_out(at, buffer, n, failed)
                                                  : write(remote, buffer, n));
                if (!moved && n > 1) {
                    by_bytes = true;
                    continue;
                }
                if (!moved) return load == there ? raise(hart.trap) : fail(!load, remote);
                left -= n;
                remote += n;
                at += n;
            }
            break;
        }
    }
    complete_remote(from, hart, request, value);
    return true;
}

void Machine::exit_node(Node& node, int code) {
    if (node.in_job && code != 0) return end_job(node, code);
    node.exited = true;
    node.exit_code = code;
    node.quota = 0;
}

void Machine::exit_nodes(int code) {
    for (const auto& node : nodes_) {
        if (!node->exited) exit_node(*node, code);
    }
}

// Nodes that ended before keep their codes; the others end with 0, so that exit_code() is this
// one's.
void Machine::end_job(Node& node, int code) {
    job_ended_ = true;
    for (const auto& other : nodes_) {
        if (other->exited) continue;
        other->exited = true;
        other->exit_code = other.get() == &node ? code : 0;
        other->quota = 0;
    }
}

int Machine::exit_code() const {
    for (const auto& node : nodes_) {
        if (node->exited && node->exit_code != 0) return node->exit_code;
    }
    return 0;
}

std::uint64_t Machine::retired() const {
    std::uint64_t total = 0;
    for (const auto& node : nodes_)
        total += node->retired();
    return total;
}

void Machine::tick_progress() {
    // Reading the clock every round would show in the speed of small quanta.
    if (!on_progress || (rounds_ & 63) != 0) return;
    const std::uint64_t now = milliseconds();
    if (now < next_progress_) return;
    next_progress_ = now + 50;
    on_progress();
}

}  // namespace isthmus::sim
