// settings_page FILE           fails unless the table in FILE is the one made from the settings
// settings_page --write FILE   puts it there
//
// The table stands between two marks; what is written around it stays.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "base/settings.hpp"

namespace isthmus {
namespace {

constexpr std::string_view kBegin = "<!-- settings: begin -->\n";
constexpr std::string_view kEnd = "<!-- settings: end -->";

const char* kind_name(SettingKind kind) {
    switch (kind) {
        case SettingKind::flag: return "flag";
        case SettingKind::number: return "number";
        case SettingKind::seconds: return "seconds";
        case SettingKind::size: return "size";
        case SettingKind::text: return "text";
        case SettingKind::percent: return "percent";
        case SettingKind::processors: return "processors";
        case SettingKind::choice: return "choice";
        case SettingKind::roads: return "roads";
        case SettingKind::presence: return "presence";
    }
    return "?";
}

std::string code(const std::string& text) {
    return text.empty() ? "" : "`" + text + "`";
}

std::string kind_text(const SettingDescription& setting) {
    if (setting.kind != SettingKind::choice) return kind_name(setting.kind);
    std::string choices = setting.choices;
    for (std::size_t bar = 0; (bar = choices.find('|', bar)) != std::string::npos;)
        choices.replace(bar, 1, ", ");
    return choices;
}

std::string table() {
    std::string text = "| setting | kind | default | meaning |\n|---|---|---|---|\n";
    for (int i = 0; i < static_cast<int>(Setting::count); ++i) {
        const SettingDescription& setting = description(static_cast<Setting>(i));
        std::string name = code(setting.name);
        if (setting.old_name) name += ", formerly " + code(setting.old_name);
        for (const char* const elsewhere : setting.names_elsewhere)
            if (elsewhere) name += ", elsewhere " + code(elsewhere);
        text += "| " + name + " | " + kind_text(setting) + " | " + code(setting.standard_value) +
                " | " + setting.help + " |\n";
    }
    return text;
}

int run(bool write, const char* path) {
    std::ifstream in(path);
    std::string page{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const auto begin = page.find(kBegin);
    const auto end = page.find(kEnd);
    if (begin == std::string::npos || end == std::string::npos || end < begin) {
        std::fprintf(stderr, "%s: the marks of the settings table are missing\n", path);
        return 1;
    }
    const auto first = begin + kBegin.size();
    const std::string wanted = table();
    if (page.compare(first, end - first, wanted) == 0) return 0;
    if (!write) {
        std::fprintf(stderr,
                     "%s is not what src/base/settings.cpp says; run\n"
                     "    build/release/bin/settings_page --write docs/settings.md\n",
                     path);
        return 1;
    }
    page.replace(first, end - first, wanted);
    std::ofstream out(path);
    out << page;
    return out.good() ? 0 : 1;
}

}  // namespace
}  // namespace isthmus

int main(int argc, char** argv) {
    const bool write = argc == 3 && std::string_view(argv[1]) == "--write";
    if (argc != 2 && !write) {
        std::fputs("usage: settings_page [--write] FILE\n", stderr);
        return 2;
    }
    return isthmus::run(write, argv[argc - 1]);
}
