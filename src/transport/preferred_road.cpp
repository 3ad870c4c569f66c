#include "transport/preferred_road.hpp"

#include <dlfcn.h>

#include <array>
#include <filesystem>
#include <system_error>

#include "base/module_version.hpp"
#include "transport/transport.hpp"

namespace isthmus::transport {
namespace {

namespace fs = std::filesystem;

// InfiniBand, RoCE, EFA, Omni-Path and usNIC are in the first class, Slingshot in the second.
constexpr std::array kClasses{"infiniband", "cxi"};

// Such as "mlx5_0"; empty if there is none.
std::string find_device(const std::string& devices) {
    for (const char* const each : kClasses) {
        std::error_code none;
        const fs::directory_iterator found(fs::path(devices) / each, none);
        if (!none && found != fs::directory_iterator()) return found->path().filename().string();
    }
    return "";
}

}  // namespace

PreferredRoad preferred_road(const std::string& fabric, const std::string& modules,
                             const std::string& devices) {
    if (!fabric.empty()) return {kOfi, "ISTHMUS_FABRIC is set"};
    const std::string device = find_device(devices);
    if (device.empty()) return {kPacket, "this host has plain IP networks alone"};
    // Not closed again: what libfabric loads need not bear it.
    const std::string path = fs::path(modules) / (std::string("libisthmus-") + kOfi + ".so");
    void* const module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!module)
        return {kPacket, "there is the device " + device +
                             ", and libfabric cannot be loaded: " + std::string(dlerror())};
    if (const std::string wrong = module_mismatch(module, path); !wrong.empty())
        return {kPacket, "there is the device " + device + ", and " + wrong};
    const auto has_hardware = reinterpret_cast<HasHardware>(dlsym(module, kHasHardwareSymbol));
    if (!has_hardware || !has_hardware())
        return {kPacket,
                "there is the device " + device + ", and no provider of libfabric uses it"};
    return {kOfi, "libfabric drives the device " + device};
}

}  // namespace isthmus::transport
