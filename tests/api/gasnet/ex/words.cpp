// Handlers whose words (gex_name) are gone when the table of messages is written, behind main.
#include <string>
#include <utility>

#include "check.h"

namespace {

// Its destructor writes over what it had.
struct Name {
    explicit Name(std::string is) : text(std::move(is)) {}
    ~Name() { text.assign(text.size(), '#'); }
    std::string text;
};
Name& name() {
    static Name made([] {
        std::string text = "long ";
        while (text.size() < 1000)
            text += "of ";
        return text;
    }());
    return made;
}

void nothing(gex_Token_t) {}

}  // namespace

int main(int argc, char** argv) {
    constexpr gex_Flags_t kFlags = GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST;
    const auto function = reinterpret_cast<gex_AM_Fn_t>(nothing);
    gex_AM_Entry_t table[] = {{200, function, kFlags, 0, nullptr, name().text.c_str()},
                              {201, function, kFlags, 0, nullptr, "two\nlines"},
                              {202, function, kFlags, 0, nullptr, nullptr}};
    start(&argc, &argv, table, 3, 65536);
    for (gex_AM_Index_t handler = 200; handler <= 202; ++handler)
        OK(gex_AM_RequestShort0(all, me, handler, 0));
    meet();
    return 0;
}
