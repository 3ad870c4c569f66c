#include "transport/preferred_road.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace isthmus::transport {
namespace {

namespace fs = std::filesystem;

// What the kernel would list, in a folder of the test's own.
class PreferredRoadTest : public testing::Test {
  protected:
    PreferredRoadTest() {
        fs::remove_all(devices_);
        fs::create_directories(devices_);
    }
    ~PreferredRoadTest() override { fs::remove_all(devices_); }
    void add_device(const std::string& path) { fs::create_directories(devices_ / path); }
    PreferredRoad prefer(const std::string& fabric, const std::string& modules) const {
        return preferred_road(fabric, modules, devices_);
    }
    // Tests run beside each other, each in a process of its own.
    const fs::path devices_ =
        fs::path(testing::TempDir()) / ("preferred_road_devices-" + std::to_string(getpid()));
};

TEST_F(PreferredRoadTest, IsPacketsOnPlainIpNetworks) {
    EXPECT_EQ(prefer("", "/nowhere").name, "packet");
    EXPECT_EQ(prefer("", "/nowhere").why, "this host has plain IP networks alone");
    add_device("infiniband");  // a class without a device
    EXPECT_EQ(prefer("", "/nowhere").why, "this host has plain IP networks alone");
}

TEST_F(PreferredRoadTest, IsLibfabricIfTheUserAsksForAProvider) {
    EXPECT_EQ(prefer("tcp;ofi_rxm", "/nowhere").name, "ofi");
    EXPECT_EQ(prefer("tcp;ofi_rxm", "/nowhere").why, "ISTHMUS_FABRIC is set");
}

TEST_F(PreferredRoadTest, IsPacketsIfLibfabricIsNotThere) {
    add_device("infiniband/mlx5_0");
    const PreferredRoad road = prefer("", "/nowhere");
    EXPECT_EQ(road.name, "packet");
    EXPECT_TRUE(
        road.why.starts_with("there is the device mlx5_0, and libfabric cannot be loaded: "))
        << road.why;
}

TEST_F(PreferredRoadTest, IsPacketsIfNoProviderUsesTheDevice) {
    add_device("cxi/cxi0");
    const PreferredRoad road = prefer("", ISTHMUS_MODULES);
    EXPECT_EQ(road.name, "packet");
    if (fs::exists(fs::path(ISTHMUS_MODULES) / "libisthmus-ofi.so")) {
        EXPECT_EQ(road.why, "there is the device cxi0, and no provider of libfabric uses it");
    }
}

// A module that says so stands for libfabric on a machine with such a network.
TEST_F(PreferredRoadTest, IsLibfabricIfAProviderUsesTheDevice) {
    add_device("infiniband/mlx5_0");
    const PreferredRoad road = prefer("", ISTHMUS_MODULES_WITH_HARDWARE);
    EXPECT_EQ(road.name, "ofi") << road.why;
    EXPECT_EQ(road.why, "libfabric drives the device mlx5_0");
}

}  // namespace
}  // namespace isthmus::transport
