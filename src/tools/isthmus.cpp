#include "launch/launcher.hpp"
int main(int argc, char** argv) {
    return isthmus::launch::run_command("isthmus run", {argv + 2, argv + argc});
}
