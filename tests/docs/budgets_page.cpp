// budgets_page SOURCE           fails unless SOURCE/docs/cost-classes.md has the table of budgets
// that
//                               the benchmarks bind, and each number stands in a comment on a
//                               budget in the file that the table names
// budgets_page --write SOURCE   puts the table there
#include <cctype>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "budgets.hpp"

namespace isthmus::bench {
namespace {

constexpr std::string_view kBegin = "<!-- budgets: begin -->\n";
constexpr std::string_view kEnd = "<!-- budgets: end -->";

template <class Function>
void for_each_budget(Function&& function) {
    for (const Budget& budget : kOneHostBudgets)
        function(budget);
    for (const Budget& budget : kNativeBudgets)
        function(budget);
}

std::string number_of(const Budget& budget) {
    return std::to_string(static_cast<int>(budget.instructions));
}

std::string table() {
    std::string text = "| operation | budget | where it is stated |\n|---|---|---|\n";
    for_each_budget([&](const Budget& budget) {
        text += std::string("| ") + budget.operation + " | " + number_of(budget) + " | `" +
                budget.stated + "` |\n";
    });
    return text;
}

std::string read(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Within three lines or so behind the word "budget".
bool states(const std::string& text, const std::string& number) {
    constexpr std::size_t kReach = 240;
    for (std::size_t at = text.find("udget"); at != std::string::npos;
         at = text.find("udget", at + 1)) {
        const std::string near = text.substr(at, kReach);
        for (std::size_t found = near.find(number); found != std::string::npos;
             found = near.find(number, found + 1)) {
            const auto is_digit = [&](std::size_t i) {
                return i < near.size() && std::isdigit(static_cast<unsigned char>(near[i]));
            };
            if (!is_digit(found - 1) && !is_digit(found + number.size())) return true;
        }
    }
    return false;
}

}  // namespace
}  // namespace isthmus::bench

int main(int argc, char** argv) {
    using namespace isthmus::bench;
    const bool write = argc == 3 && std::string_view(argv[1]) == "--write";
    if (argc != 2 && !write) return 2;
    const std::string source = argv[argc - 1];
    const std::string page = source + "/docs/cost-classes.md";
    const std::string text = read(page);
    const auto begin = text.find(kBegin), end = text.find(kEnd);
    if (begin == std::string::npos || end == std::string::npos) {
        std::fprintf(stderr, "%s: no marks for the table of budgets\n", page.c_str());
        return 1;
    }
    const std::string wanted =
        text.substr(0, begin) + std::string(kBegin) + table() + text.substr(end);
    if (write) {
        std::ofstream(page) << wanted;
        return 0;
    }
    int status = 0;
    if (text != wanted) {
        std::fprintf(stderr,
                     "%s does not have the bounds of the benchmarks; run budgets_page --write\n",
                     page.c_str());
        status = 1;
    }
    for_each_budget([&](const Budget& budget) {
        if (states(read(source + "/" + budget.stated), number_of(budget))) return;
        std::fprintf(stderr, "%s: no comment states the budget of %s: %s instructions\n",
                     budget.stated, budget.operation, number_of(budget).c_str());
        status = 1;
    });
    return status;
}
