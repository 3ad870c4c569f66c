#include "bootstrap/find.hpp"

#include <dlfcn.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>

#include "base/blocked_signals.hpp"
#include "base/limits.hpp"
#include "base/module_version.hpp"
#include "bootstrap/pmi1.hpp"
#include "bootstrap/pmix.hpp"
#include "core/job/loaded_object.hpp"

namespace isthmus {
namespace {

// -1 unless the variable is a number.
int number_in(const char* variable) {
    const char* const text = std::getenv(variable);
    if (!text) return -1;
    int value = -1;
    const auto [rest, error] = std::from_chars(text, text + std::strlen(text), value);
    return error == std::errc{} && *rest == '\0' && value >= 0 ? value : -1;
}

bool has_pmix() {
    return std::getenv("PMIX_NAMESPACE") != nullptr && number_in("PMIX_RANK") >= 0;
}

bool has_pmi1() {
    return number_in("PMI_RANK") >= 0 && number_in("PMI_FD") >= 0;
}

// PMIx needs a thread of its own, and does not say that it got none.
std::string advice_on_lack_of_threads() {
    const BlockedSignals blocked;
    try {
        std::thread([] {}).join();
    } catch (const std::system_error& problem) {
        return os::advice_on_thread(problem.code().value());
    }
    return "";
}

// Beside this library, like the transports.
std::unique_ptr<Exchange> open_pmix(std::string& why) {
    Dl_info own{};
    std::string path = "libisthmus-pmix.so";
    if (dladdr(reinterpret_cast<void*>(&open_pmix), &own) != 0 && own.dli_fname) {
        const std::string_view library = own.dli_fname;
        path.insert(0, library.substr(0, library.rfind('/') + 1));
    }
    if (is_linked_into_program() && access(path.c_str(), R_OK) != 0) {
        why =
            "its PMIx needs a module of libisthmus.so, and the program is linked with libisthmus.a "
            "(-static); link it without -static";
        return nullptr;
    }
    void* const module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!module) {
        why = std::string("its PMIx needs a module: ") + dlerror();
        return nullptr;
    }
    if (const std::string wrong = module_mismatch(module, path); !wrong.empty()) {
        why = "its PMIx needs a module: " + wrong;
        return nullptr;
    }
    const auto open =
        reinterpret_cast<bootstrap::OpenPmix>(dlsym(module, bootstrap::kOpenPmixSymbol));
    if (!open) {
        why = path + " is no module of this library";
        return nullptr;
    }
    try {
        return std::unique_ptr<Exchange>(open());
    } catch (const std::runtime_error& problem) {
        throw std::runtime_error(problem.what() + advice_on_lack_of_threads());
    }
}

}  // namespace

bool is_launched_by_pmi1() {
    return !has_pmix() && has_pmi1();
}

int launched_rank() {
    // PMIx first: Slurm sets both kinds in some set-ups.
    if (has_pmix()) return number_in("PMIX_RANK");
    return has_pmi1() ? number_in("PMI_RANK") : -1;
}

int launched_size() {
    for (const char* variable : {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "PMIX_SIZE",
                                 "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"}) {
        if (const int size = number_in(variable); size > 0) return size;
    }
    return 0;
}

std::string why_manager_is_cut_off() {
    if (!is_launched_by_pmi1()) return "";
    const int file = number_in("PMI_FD");
    struct stat facts {};
    // The number may be another file's by now.
    if (fstat(file, &facts) == 0 && S_ISSOCK(facts.st_mode)) return "";
    return "file descriptor " + std::to_string(file) +
           " (PMI_FD) does not lead to the process manager: something between that and the program "
           "has closed it, such as a script's subprocess; let that one keep its files (Python: "
           "close_fds=False)";
}

std::unique_ptr<Exchange> find_exchange(std::string& why) {
    if (has_pmix()) return open_pmix(why);
    if (has_pmi1())
        return std::make_unique<bootstrap::Pmi1>(number_in("PMI_FD"), number_in("PMI_RANK"),
                                                 number_in("PMI_SIZE"));
    why = "no process manager in the environment";
    return nullptr;
}

}  // namespace isthmus
