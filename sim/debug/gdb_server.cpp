#include "sim/debug/gdb_server.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "sim/hart/machine_rounds.hpp"
#include "sim/isa/disassemble.hpp"

namespace isthmus::sim {
namespace {

constexpr unsigned kPc = 32, kFloat = 33, kFflags = 65, kFrm = 66, kFcsr = 67, kExtended = 68,
                   kRegisters = 100;

std::string hex_bytes(const void* data, std::size_t size) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (std::size_t i = 0; i < size; ++i) {
        const auto byte = static_cast<const unsigned char*>(data)[i];
        text += kDigits[byte >> 4];
        text += kDigits[byte & 15];
    }
    return text;
}

bool parse_bytes(std::string_view text, std::vector<std::uint8_t>& bytes) {
    if (text.size() % 2) return false;
    for (std::size_t i = 0; i < text.size(); i += 2) {
        std::uint64_t byte;
        if (!parse_hex(text.substr(i, 2), byte)) return false;
        bytes.push_back(static_cast<std::uint8_t>(byte));
    }
    return true;
}

/// "12,34" -> both numbers.
bool parse_pair(std::string_view text, std::uint64_t& first, std::uint64_t& second) {
    const auto comma = text.find(',');
    return comma != std::string_view::npos && parse_hex(text.substr(0, comma), first) &&
           parse_hex(text.substr(comma + 1), second);
}

int signal_of(const Hart& hart) {
    if (hart.stop != Stop::trap) return 5;
    switch (hart.trap.cause) {
        case Cause::breakpoint: return 5;
        case Cause::illegal: return 4;
        default: return 11;
    }
}

/// Linux' number of a signal in GDB's numbering, which agrees with nobody's; 0: Linux has none.
int linux_signal(int number) {
    static constexpr std::int8_t kLinux[] = {0,  1,  2,  3,  4,  5,  6,  0,  8,  9,  7,
                                             11, 31, 13, 14, 15, 23, 19, 20, 18, 17, 21,
                                             22, 29, 24, 25, 26, 27, 28, 0,  10, 12};
    constexpr int kLast = static_cast<int>(std::size(kLinux)) - 1;
    if (number <= kLast) return kLinux[number];
    if (number >= 45 && number <= 75) return number - 45 + 33;  // real-time ones, 33 to 63
    return number == 77 ? 32 : number == 78 ? 64 : 0;
}

}  // namespace

GdbServer::GdbServer(Machine& machine) : machine_(machine) {
    current_ = {machine.nodes().front().get(), machine.nodes().front()->harts.front().get()};
    machine_.on_stop = [this](Node& node, Hart& hart) {
        // Of a round's, the next one behind the one told last: a breakpoint that GDB sets to step
        // one hart must not be met by the others for ever. They stop again when they are resumed.
        const Place place = {&node, &hart};
        if (!stopped_ || number_of(place) - told_ < number_of(current_) - told_) {
            stopped_ = true;
            current_ = place;
            signal_ = signal_of(hart);
        }
        node.quota = 0;
        return true;
    };
}

GdbServer::~GdbServer() {
    machine_.on_stop = nullptr;
}

unsigned GdbServer::word_bytes() const {
    return machine_.program().xlen == Xlen::k64 ? 8 : 4;
}

bool GdbServer::serve() {
    std::fprintf(stderr, "isthmus-sim: waiting for GDB\n");
    connection_.accept();
    std::string packet;
    while (connection_.receive(packet)) {
        const std::string reply = answer(packet);
        if (killed_) return false;
        if (!connection_.send(reply)) return false;
        if (packet == "QStartNoAckMode") connection_.stop_acknowledging();
        if (detached_) return false;
        if (reply.starts_with("W")) return true;
    }
    return false;
}

std::uint32_t GdbServer::number_of(const Place& place) {
    return (place.node->id << 10 | place.hart->id) + 1;
}

std::string GdbServer::thread_name(const Place& place) {
    char text[16];
    std::snprintf(text, sizeof text, "%x", number_of(place));
    return text;
}

bool GdbServer::find_thread(std::string_view text, Place& place) const {
    if (text == "0" || text == "-1") return true;
    std::uint64_t number;
    if (!parse_hex(text, number) || number == 0) return false;
    const std::uint64_t node = (number - 1) >> 10, hart = (number - 1) & 1023;
    if (node >= machine_.nodes().size() || hart >= machine_.nodes()[node]->harts.size())
        return false;
    place = {machine_.nodes()[node].get(), machine_.nodes()[node]->harts[hart].get()};
    return true;
}

void GdbServer::choose_live() {
    if (!current_.node->exited) return;
    for (const auto& node : machine_.nodes()) {
        if (!node->exited) {
            current_ = {node.get(), node->harts.front().get()};
            return;
        }
    }
}

std::string GdbServer::stop_reply() const {
    const bool over = std::all_of(machine_.nodes().begin(), machine_.nodes().end(),
                                  [](const auto& n) { return n->exited; });
    char text[40];
    if (over) {
        std::snprintf(text, sizeof text, "W%02x",
                      static_cast<unsigned>(exit_status(machine_.exit_code())));
        return text;
    }
    std::snprintf(text, sizeof text, "T%02xthread:%s;", signal_, thread_name(current_).c_str());
    return text;
}

template <HartObserver Observer>
void GdbServer::move(Move how, std::span<Observer> observers) {
    if (how == Move::all) {
        while (machine_.round(observers) && !stopped_) {
            if (!connection_.interrupted()) continue;
            signal_ = 2;
            return;
        }
        return;
    }
    Node& node = *current_.node;
    Hart& hart = *current_.hart;
    if (how == Move::step) hart.blocks.set_limit(1);
    do {
        if (node.exited) break;
        const Stop stop = run(hart, observers[node.id], how == Move::step ? 1 : 1000);
        if (stop != Stop::budget && stop != Stop::yield) machine_.serve(node, hart);
        if (connection_.interrupted()) {
            signal_ = 2;
            break;
        }
    } while (how == Move::alone && !stopped_ && node.runnable[hart.id]);
    hart.blocks.set_limit(BlockCache::kMaxInstructions);
}

std::string GdbServer::resume(Move how, int signal) {
    // Who moves one hart hears of that one only. GDB takes watchpoints out to move it over what it
    // has seen, and puts them in again: what they saw before is told when all go on.
    if (how == Move::all) {
        std::erase_if(hits_, [&](const Told& told) {
            return std::find(watches_.begin(), watches_.end(), told.hit.watch) == watches_.end();
        });
        if (!hits_.empty()) return next_hit(true);
    }
    stopped_ = false;
    signal_ = 5;
    Environment& environment = *current_.node->environment;
    if (signal != 0 && current_.hart->stop == Stop::trap && signal == signal_of(*current_.hart)) {
        // The one that the debugger was told of goes on to the program.
        environment.serve(*current_.node, *current_.hart);
        current_.hart->stop = Stop::budget;
    } else if (signal != 0) {
        const int number = linux_signal(signal);
        if (number == 0 || !environment.send_signal(*current_.hart, number))
            print("the signal does not reach the program: it knows none, or not this one\n");
    }
    const Hart* const moved = current_.hart;
    if (watches_.empty()) {
        std::vector<NoObserver> observers(machine_.nodes().size());
        move(how, std::span(observers));
    } else {
        watchers_.resize(machine_.nodes().size(), WatchObserver(watches_));
        move(how, std::span(watchers_));
        take_hits();
    }
    // A hart that waits for others cannot be moved alone.
    if (how == Move::alone && !stopped_ && signal_ != 2 && !current_.node->exited &&
        !current_.node->runnable[current_.hart->id])
        return resume(Move::all, 0);
    choose_live();
    told_ = number_of(current_) + 1;
    const bool hit = !hits_.empty() && (how == Move::all || hits_.back().hit.hart == moved);
    return hit ? next_hit(how == Move::all) : stop_reply();
}

void GdbServer::print(const char* text) {
    if (connection_.is_open()) connection_.send("O" + hex_bytes(text, std::strlen(text)));
}

void GdbServer::take_hits() {
    for (const auto& node : machine_.nodes()) {
        for (const WatchHit& hit : watchers_[node->id].take())
            hits_.push_back({hit, node.get()});
    }
}

// The oldest one, told of the node that has the memory; or the newest one, of the hart that moved.
std::string GdbServer::next_hit(bool retarget) {
    const Told told = retarget ? hits_.front() : hits_.back();
    retarget ? hits_.pop_front() : hits_.pop_back();
    const auto& harts = told.by->harts;
    const auto hart = std::find_if(harts.begin(), harts.end(),
                                   [&](const auto& one) { return one.get() == told.hit.hart; });
    if (hart == harts.end() || told.by->exited)
        return hits_.empty() || !retarget ? stop_reply() : next_hit(true);
    current_ = {told.by, hart->get()};
    if (told.hit.remote) {
        Node& target = *machine_.nodes()[told.by->namespaces.node_of(told.hit.name_space)];
        const std::string place = machine_.program().describe(told.hit.pc);
        char text[200];
        std::snprintf(text, sizeof text, "node %u reaches node %u from 0x%lx%s%s%s\n", told.by->id,
                      target.id, static_cast<unsigned long>(told.hit.pc), place.empty() ? "" : " <",
                      place.c_str(), place.empty() ? "" : ">");
        print(text);
        if (!target.exited && retarget) current_ = {&target, target.harts.front().get()};
    }
    const char* const name = told.hit.watch.kind == Watch::Kind::write  ? "watch"
                             : told.hit.watch.kind == Watch::Kind::read ? "rwatch"
                                                                        : "awatch";
    char text[80];
    std::snprintf(text, sizeof text, "T05%s:%lx;thread:%s;", name,
                  static_cast<unsigned long>(told.hit.watch.address),
                  thread_name(current_).c_str());
    return text;
}

int GdbServer::signal_in(std::string_view action) {
    return action.front() == 'C' || action.front() == 'S' ? signal_number(action.substr(1)) : 0;
}

int GdbServer::signal_number(std::string_view text) {
    std::uint64_t signal = 0;
    return parse_hex(text.substr(0, 2), signal) ? static_cast<int>(signal) : 0;
}

std::string GdbServer::read_register(unsigned number) const {
    const Hart& hart = *current_.hart;
    std::uint64_t value = 0;
    std::size_t size = word_bytes();
    if (number < 32)
        value = hart.x[number];
    else if (number == kPc)
        value = hart.pc;
    else if (number < kFflags)
        value = hart.f[number - kFloat], size = 8;
    else if (number == kFflags)
        value = hart.fflags, size = 4;
    else if (number == kFrm)
        value = hart.frm, size = 4;
    else if (number == kFcsr)
        value = hart.fflags | hart.frm << 5, size = 4;
    else
        value = hart.e[number - kExtended];
    return hex_bytes(&value, size);
}

bool GdbServer::write_register(unsigned number, std::uint64_t value) {
    Hart& hart = *current_.hart;
    if (word_bytes() == 4 && (number < 32 || number == kPc))
        value = static_cast<std::uint64_t>(static_cast<std::int32_t>(value));
    if (number == 0 || number == kExtended) return true;
    if (number < 32)
        hart.x[number] = value;
    else if (number == kPc)
        hart.pc = value & ~std::uint64_t{1};
    else if (number < kFflags)
        hart.f[number - kFloat] = value;
    else if (number == kFflags)
        hart.fflags = value & 31;
    else if (number == kFrm)
        hart.frm = value & 7;
    else if (number == kFcsr)
        hart.fflags = value & 31, hart.frm = (value >> 5) & 7;
    else if (number < kRegisters)
        hart.e[number - kExtended] = value;
    else
        return false;
    return true;
}

std::string GdbServer::read_registers() const {
    std::string text;
    for (unsigned i = 0; i < kRegisters; ++i)
        text += read_register(i);
    return text;
}

bool GdbServer::write_registers(std::string_view hex) {
    for (unsigned i = 0; i < kRegisters; ++i) {
        const std::size_t digits = read_register(i).size();
        if (hex.size() < digits) return i != 0;
        std::vector<std::uint8_t> bytes;
        if (!parse_bytes(hex.substr(0, digits), bytes)) return false;
        std::uint64_t value = 0;
        std::memcpy(&value, bytes.data(), bytes.size());
        write_register(i, value);
        hex.remove_prefix(digits);
    }
    return true;
}

std::string GdbServer::transfer_features(std::string_view arguments) const {
    if (!arguments.starts_with("target.xml:")) return "E00";
    std::uint64_t offset = 0, length = 0;
    if (!parse_pair(arguments.substr(11), offset, length)) return "E01";
    const std::string bits = std::to_string(8 * word_bytes());
    std::string xml =
        "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM "
        "\"gdb-target.dtd\"><target><architecture>riscv:rv" +
        bits + "</architecture><feature name=\"org.gnu.gdb.riscv.cpu\">";
    const auto add = [&](const std::string& name, const std::string& size, const char* type,
                         unsigned number) {
        xml += "<reg name=\"" + name + "\" bitsize=\"" + size + "\" type=\"" + type +
               "\" regnum=\"" + std::to_string(number) + "\"/>";
    };
    for (unsigned i = 0; i < 32; ++i) {
        add(register_name(RegisterFile::x, i), bits,
            i == 1   ? "code_ptr"
            : i == 2 ? "data_ptr"
                     : "int",
            i);
    }
    add("pc", bits, "code_ptr", kPc);
    xml += "</feature><feature name=\"org.gnu.gdb.riscv.fpu\">";
    for (unsigned i = 0; i < 32; ++i)
        add(register_name(RegisterFile::f, i), "64", "ieee_double", kFloat + i);
    add("fflags", "32", "int", kFflags);
    add("frm", "32", "int", kFrm);
    add("fcsr", "32", "int", kFcsr);
    xml += "</feature><feature name=\"isthmus.xbgas\">";
    for (unsigned i = 0; i < 32; ++i)
        add(register_name(RegisterFile::e, i), bits, "int", kExtended + i);
    xml += "</feature></target>";
    if (offset >= xml.size()) return "l";
    const std::string part = xml.substr(offset, length);
    return (offset + part.size() < xml.size() ? "m" : "l") + part;
}

bool GdbServer::set_breakpoint(std::string_view arguments, bool insert) {
    std::uint64_t address = 0, kind = 0;
    if (!parse_pair(arguments.substr(0, arguments.find(';')), address, kind)) return false;
    for (const auto& node : machine_.nodes()) {
        for (const auto& hart : node->harts) {
            if (insert)
                hart->blocks.breakpoints().insert(address);
            else
                hart->blocks.breakpoints().erase(address);
            hart->flush_pending = true;
        }
    }
    return true;
}

bool GdbServer::set_watchpoint(std::string_view arguments, Watch::Kind kind, bool insert) {
    Watch watch{kind, 0, 0};
    if (!parse_pair(arguments, watch.address, watch.size) || watch.size == 0) return false;
    std::erase(watches_, watch);
    if (insert) watches_.push_back(watch);
    return true;
}

std::string GdbServer::status(bool good) {
    return good ? "OK" : "E01";
}

std::string GdbServer::answer_read_register(std::string_view text) {
    std::uint64_t number;
    if (!parse_hex(text, number) || number >= kRegisters) return "E01";
    return read_register(static_cast<unsigned>(number));
}

std::string GdbServer::answer_write_register(std::string_view text) {
    const auto equals = text.find('=');
    std::uint64_t number, value = 0;
    std::vector<std::uint8_t> bytes;
    if (equals == std::string_view::npos || !parse_hex(text.substr(0, equals), number) ||
        number >= kRegisters || !parse_bytes(text.substr(equals + 1), bytes) || bytes.empty() ||
        bytes.size() > 8)
        return "E01";
    std::memcpy(&value, bytes.data(), bytes.size());
    return status(write_register(static_cast<unsigned>(number), value));
}

std::string GdbServer::answer_read_memory(std::string_view text) {
    std::uint64_t address, size;
    if (!parse_pair(text, address, size) || size > kMaxGdbPacket / 4) return "E01";
    std::vector<std::byte> bytes(size);
    if (!current_.node->memory.read(address, bytes.data(), size, 0)) return "E14";
    return hex_bytes(bytes.data(), size);
}

std::string GdbServer::answer_write_memory(std::string_view text) {
    const auto colon = text.find(':');
    std::uint64_t address, size;
    std::vector<std::uint8_t> bytes;
    if (colon == std::string_view::npos || !parse_pair(text.substr(0, colon), address, size) ||
        !parse_bytes(text.substr(colon + 1), bytes) || bytes.size() != size)
        return "E01";
    if (!current_.node->memory.write(address, bytes.data(), size, 0)) return "E14";
    for (const auto& hart : current_.node->harts)
        hart->flush_code();
    return "OK";
}

std::string GdbServer::answer_choose_thread(std::string_view text) {
    Place place = current_;
    if (text.empty() || !find_thread(text.substr(1), place)) return "E01";
    if (text.front() == 'g' || (text.front() == 'c' && text.substr(1) != "-1")) current_ = place;
    return "OK";
}

std::string GdbServer::answer_break(std::string_view text, bool insert) {
    if (text.size() < 2 || text[0] < '0' || text[0] > '4') return "";
    if (text[0] >= '2')
        return status(
            set_watchpoint(text.substr(2), static_cast<Watch::Kind>(text[0] - '0'), insert));
    return status(set_breakpoint(text.substr(2), insert));
}

// The first action decides; it may name a thread, which then moves alone if no other action is for
// the rest.
std::string GdbServer::answer_continue(std::string_view actions) {
    const std::string_view action = actions.substr(0, actions.find(';'));
    if (action.empty()) return "E01";
    const bool step = action.front() == 's' || action.front() == 'S';
    const auto colon = action.find(':');
    bool alone = false;
    if (colon != std::string_view::npos) {
        const std::string_view thread = action.substr(colon + 1);
        if (!find_thread(thread, current_)) return "E01";
        alone = thread != "-1" && thread != "0" && actions.size() == action.size();
    }
    return resume(step ? Move::step : alone ? Move::alone : Move::all, signal_in(action));
}

std::string GdbServer::answer_threads() const {
    std::string text = "m";
    for (const auto& node : machine_.nodes()) {
        if (node->exited) continue;
        for (const auto& hart : node->harts) {
            if (text.size() > 1) text += ',';
            text += thread_name({node.get(), hart.get()});
        }
    }
    return text;
}

std::string GdbServer::answer_thread_info(std::string_view thread) const {
    Place place = current_;
    if (!find_thread(thread, place)) return "E01";
    const std::string text =
        "node " + std::to_string(place.node->id) + " hart " + std::to_string(place.hart->id);
    return hex_bytes(text.data(), text.size());
}

std::string GdbServer::answer(std::string_view packet) {
    using Text = std::string_view;
    struct Command {
        Text name;
        bool takes_text;  // begins with the name; else it is the name
        std::string (*answer)(GdbServer&, Text text);
    };
    // The first that fits answers, so a name stands in front of those that it begins with.
    static constexpr Command kCommands[] = {
        {"vCont?", false, [](GdbServer&, Text) -> std::string { return "vCont;c;C;s;S"; }},
        {"vCont;", true, [](GdbServer& gdb, Text text) { return gdb.answer_continue(text); }},
        {"qSupported", true,
         [](GdbServer&, Text) -> std::string {
             return "PacketSize=40000;qXfer:features:read+;QStartNoAckMode+;vContSupported+";
         }},
        {"qXfer:features:read:", true,
         [](GdbServer& gdb, Text text) { return gdb.transfer_features(text); }},
        {"QStartNoAckMode", false, [](GdbServer&, Text) -> std::string { return "OK"; }},
        {"qAttached", false, [](GdbServer&, Text) -> std::string { return "1"; }},
        {"qC", false, [](GdbServer& gdb, Text) { return "QC" + thread_name(gdb.current_); }},
        {"qfThreadInfo", false, [](GdbServer& gdb, Text) { return gdb.answer_threads(); }},
        {"qsThreadInfo", false, [](GdbServer&, Text) -> std::string { return "l"; }},
        {"qThreadExtraInfo,", true,
         [](GdbServer& gdb, Text text) { return gdb.answer_thread_info(text); }},
        {"?", true, [](GdbServer& gdb, Text) { return gdb.stop_reply(); }},
        {"g", true, [](GdbServer& gdb, Text) { return gdb.read_registers(); }},
        {"G", true, [](GdbServer& gdb, Text text) { return status(gdb.write_registers(text)); }},
        {"p", true, [](GdbServer& gdb, Text text) { return gdb.answer_read_register(text); }},
        {"P", true, [](GdbServer& gdb, Text text) { return gdb.answer_write_register(text); }},
        {"m", true, [](GdbServer& gdb, Text text) { return gdb.answer_read_memory(text); }},
        {"M", true, [](GdbServer& gdb, Text text) { return gdb.answer_write_memory(text); }},
        {"c", true, [](GdbServer& gdb, Text) { return gdb.resume(Move::all, 0); }},
        {"C", true,
         [](GdbServer& gdb, Text text) { return gdb.resume(Move::all, signal_number(text)); }},
        {"s", true, [](GdbServer& gdb, Text) { return gdb.resume(Move::step, 0); }},
        {"S", true,
         [](GdbServer& gdb, Text text) { return gdb.resume(Move::step, signal_number(text)); }},
        {"H", true, [](GdbServer& gdb, Text text) { return gdb.answer_choose_thread(text); }},
        {"T", true,
         [](GdbServer& gdb, Text text) {
             Place place;
             return status(gdb.find_thread(text, place));
         }},
        {"Z", true, [](GdbServer& gdb, Text text) { return gdb.answer_break(text, true); }},
        {"z", true, [](GdbServer& gdb, Text text) { return gdb.answer_break(text, false); }},
        {"D", true,
         [](GdbServer& gdb, Text) {
             gdb.detached_ = true;
             return status(true);
         }},
        {"k", true,
         [](GdbServer& gdb, Text) {
             gdb.killed_ = true;
             return status(true);
         }},
    };
    for (const Command& command : kCommands) {
        if (command.takes_text ? packet.starts_with(command.name) : packet == command.name)
            return command.answer(*this, packet.substr(command.name.size()));
    }
    return "";
}

}  // namespace isthmus::sim
