// SPDX-License-Identifier: Apache-2.0
// A controller with a constant window in C++: one that is exported, and one that is not.
#include "narrows.h"

#include <cstdint>

namespace {

struct Flow {
	std::uint64_t window;
};

void *create(const narrows_setup *setup, const double *)
{
	return new Flow{20 * setup->mss};
}

void destroy(void *flow)
{
	delete static_cast<Flow *>(flow);
}

void limits(const void *flow, narrows_limits *limits)
{
	limits->window = static_cast<const Flow *>(flow)->window;
}

void acked(void *, const narrows_ack *, const narrows_path *, const narrows_packet *, std::uint64_t)
{
}

void lost(void *, const narrows_loss *, const narrows_path *, const narrows_packet *, std::uint64_t)
{
}

} // namespace

#define CONTROLLER                                                                                                      \
	{                                                                                                               \
		.version = NARROWS_VERSION, .ecn = NARROWS_CLASSIC, .declines = NARROWS_PACKETS | NARROWS_RATE,         \
		.parameters = nullptr, .variables = nullptr, .create = create, .destroy = destroy, .limits = limits,    \
		.acked = acked, .lost = lost, .sent = nullptr, .recovered = nullptr, .spurious = nullptr,               \
		.idle_restart = nullptr, .timer = nullptr, .observe = nullptr, .set = nullptr, .copy = nullptr \
	}

extern "C" const narrows_controller exported = CONTROLLER;
// Something refers to it, so that the compiler keeps it.
const narrows_controller kept = CONTROLLER;
extern "C" const void *const reference = &kept;
