#include "launch/remote/orders.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "core/job/job_layout.hpp"

namespace isthmus::launch {
namespace {

// Fields in a row, each ended by a zero byte; lists begin with their length.
class Writer {
  public:
    void text(const std::string& field) { text_.append(field).push_back('\0'); }
    void number(std::size_t value) { text(std::to_string(value)); }
    void list(const std::vector<std::string>& fields) {
        number(fields.size());
        for (const std::string& field : fields)
            text(field);
    }
    std::string text_;
};

class Reader {
  public:
    explicit Reader(std::string_view text) : left_(text) {}
    bool text(std::string& field) {
        const auto end = left_.find('\0');
        if (end == std::string_view::npos) return false;
        field = left_.substr(0, end);
        left_.remove_prefix(end + 1);
        return true;
    }
    bool number(int& value, int least, int most) {
        std::string field;
        if (!text(field)) return false;
        const char* const end = field.data() + field.size();
        const auto [rest, error] = std::from_chars(field.data(), end, value);
        return error == std::errc{} && rest == end && value >= least && value <= most;
    }
    bool list(std::vector<std::string>& fields) {
        int count = 0;
        if (!number(count, 0, static_cast<int>(left_.size()))) return false;
        fields.resize(static_cast<std::size_t>(count));
        return std::all_of(fields.begin(), fields.end(),
                           [&](std::string& field) { return text(field); });
    }
    bool at_end() const { return left_.empty(); }

  private:
    std::string_view left_;
};

// Of this host, this login or this terminal. PMI_ and PMIX_: a job within another one.
constexpr const char* kOfThisHost[] = {
    "HOSTNAME", "HOST", "DISPLAY", "XAUTHORITY", "PWD",      "OLDPWD",       "SHLVL",
    "_",        "TTY",  "GPG_TTY", "MAIL",       "WINDOWID", "INVOCATION_ID"};
constexpr const char* kOfThisHostBegin[] = {"SSH_", "XDG_", "DBUS_", "PMI_", "PMIX_", "HYDRA_"};

bool is_of_this_host(std::string_view name) {
    return name == kBootstrapVariable ||
           std::any_of(std::begin(kOfThisHost), std::end(kOfThisHost),
                       [&](const char* own) { return name == own; }) ||
           std::any_of(std::begin(kOfThisHostBegin), std::end(kOfThisHostBegin),
                       [&](const char* begin) { return name.starts_with(begin); });
}

std::string_view name_of(std::string_view entry) {
    return entry.substr(0, entry.find('='));
}

}  // namespace

std::string orders_text(const Orders& orders) {
    Writer writer;
    for (const int value : {orders.first, orders.count, orders.pes, static_cast<int>(orders.bind),
                            static_cast<int>(orders.show_binding)})
        writer.number(static_cast<std::size_t>(value));
    writer.text(orders.host);
    writer.text(orders.space);
    writer.text(orders.mapping);
    writer.text(orders.directory);
    writer.list(orders.command);
    writer.list(orders.environment);
    return writer.text_;
}

std::optional<Orders> parse_orders(std::string_view text) {
    Reader reader(text);
    Orders orders;
    int bind = 0;
    int show = 0;
    const bool whole =
        reader.number(orders.first, 0, kMaxPes - 1) && reader.number(orders.count, 1, kMaxPes) &&
        reader.number(orders.pes, 1, kMaxPes) &&
        reader.number(bind, 0, static_cast<int>(BindMode::socket)) && reader.number(show, 0, 1) &&
        reader.text(orders.host) && reader.text(orders.space) && reader.text(orders.mapping) &&
        reader.text(orders.directory) && reader.list(orders.command) &&
        reader.list(orders.environment) && reader.at_end();
    if (!whole || orders.count > orders.pes - orders.first || orders.command.empty()) return {};
    orders.bind = static_cast<BindMode>(bind);
    orders.show_binding = show != 0;
    return orders;
}

std::vector<std::string> environment_for_hosts(const std::vector<std::string>& given) {
    std::vector<std::string> result = given;
    for (char** entry = environ; *entry; ++entry) {
        const std::string_view name = name_of(*entry);
        const bool replaced = std::any_of(given.begin(), given.end(), [&](const std::string& own) {
            return name_of(own) == name;
        });
        if (!replaced && !is_of_this_host(name)) result.emplace_back(*entry);
    }
    return result;
}

std::string directory_for_hosts(const std::string& given) {
    if (!given.empty()) return given;
    char* const here = getcwd(nullptr, 0);
    std::string directory = here ? here : "/";
    std::free(here);
    return directory;
}

}  // namespace isthmus::launch
