// Written by rtl/tools/registers.py from rtl/engine/registers.toml.
#pragma once

#include <cstdint>

namespace isthmus::rtl::registers {

inline constexpr std::uint32_t kControl = 0x000;
inline constexpr std::uint32_t kNodeId = 0x004;
inline constexpr std::uint32_t kOriginStartLo = 0x008;
inline constexpr std::uint32_t kOriginStartHi = 0x00c;
inline constexpr std::uint32_t kMaskLo = 0x010;
inline constexpr std::uint32_t kMaskHi = 0x014;
inline constexpr std::uint32_t kGlobalWidth = 0x018;
inline constexpr std::uint32_t kTimeout = 0x01c;
inline constexpr std::uint32_t kTickLog = 0x020;
inline constexpr std::uint32_t kOriginQuota = 0x024;
inline constexpr std::uint32_t kTargetQuota = 0x028;
inline constexpr std::uint32_t kPrefetchLines = 0x02c;
inline constexpr std::uint32_t kPrefetchInvalidate = 0x030;
inline constexpr std::uint32_t kReleaseTag = 0x034;
inline constexpr std::uint32_t kNodeIndex = 0x038;
inline constexpr std::uint32_t kNodeBaseLo = 0x03c;
inline constexpr std::uint32_t kNodeBaseHi = 0x040;
inline constexpr std::uint32_t kIntervalFirst = 0x044;
inline constexpr std::uint32_t kIntervalLast = 0x064;
inline constexpr std::uint32_t kIntervalControl = 0x084;
inline constexpr std::uint32_t kWindowFirst = 0x0a4;
inline constexpr std::uint32_t kWindowLast = 0x0b4;
inline constexpr std::uint32_t kWindowOrigins = 0x0c4;
inline constexpr std::uint32_t kWindowControl = 0x0d4;
inline constexpr std::uint32_t kInverseNode = 0x0e4;
inline constexpr std::uint32_t kInverseOffsetLo = 0x0e8;
inline constexpr std::uint32_t kInverseOffsetHi = 0x0ec;
inline constexpr std::uint32_t kInverseAddrLo = 0x0f0;
inline constexpr std::uint32_t kInverseAddrHi = 0x0f4;
inline constexpr std::uint32_t kBulkLocalLo = 0x0f8;
inline constexpr std::uint32_t kBulkLocalHi = 0x0fc;
inline constexpr std::uint32_t kBulkGlobalLo = 0x100;
inline constexpr std::uint32_t kBulkGlobalHi = 0x104;
inline constexpr std::uint32_t kBulkLength = 0x108;
inline constexpr std::uint32_t kBulkNotifyLo = 0x10c;
inline constexpr std::uint32_t kBulkNotifyHi = 0x110;
inline constexpr std::uint32_t kBulkValue = 0x114;
inline constexpr std::uint32_t kBulkStart = 0x118;
inline constexpr std::uint32_t kBulkStatus = 0x11c;
inline constexpr std::uint32_t kStatus = 0x120;
inline constexpr std::uint32_t kCountRxMalformed = 0x124;
inline constexpr std::uint32_t kCountRxMisrouted = 0x128;
inline constexpr std::uint32_t kCountPDroppedOrigin = 0x12c;
inline constexpr std::uint32_t kCountNpRefusedOrigin = 0x130;
inline constexpr std::uint32_t kCountNpDuplicateTag = 0x134;
inline constexpr std::uint32_t kCountPDroppedTarget = 0x138;
inline constexpr std::uint32_t kCountNpRefusedTarget = 0x13c;
inline constexpr std::uint32_t kCountNpOverQuota = 0x140;
inline constexpr std::uint32_t kCountOriginTimeout = 0x144;
inline constexpr std::uint32_t kCountTargetTimeout = 0x148;
inline constexpr std::uint32_t kCountLateResponse = 0x14c;
inline constexpr std::uint32_t kCountStrayResponse = 0x150;
inline constexpr std::uint32_t kCountLateHost = 0x154;
inline constexpr std::uint32_t kCountStrayHost = 0x158;
inline constexpr std::uint32_t kCountBadResponse = 0x15c;
inline constexpr std::uint32_t kCountFence = 0x160;
inline constexpr std::uint32_t kCountNonForwarded = 0x164;
inline constexpr std::uint32_t kCountPrefetchHit = 0x168;
inline constexpr std::uint32_t kCountPrefetchIssue = 0x16c;
inline constexpr std::uint32_t kCountPrefetchWaste = 0x170;

}  // namespace isthmus::rtl::registers
