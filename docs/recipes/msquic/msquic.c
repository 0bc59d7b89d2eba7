/* SPDX-License-Identifier: Apache-2.0
 *
 * BBR of MsQuic behind the C interface of Narrows. The rule and its filters are MsQuic's, compiled from a checkout; here is what its
 * connection does around them: a record of each packet sent, and its calls in their order (src/core/loss_detection.c). Departures:
 *
 * - The host paces at the rule's gain times its bandwidth, in bursts of the rule's quantum. MsQuic itself asks the rule every
 *   millisecond how much may leave (BbrCongestionControlGetSendAllowance); the product of bandwidth and time there is neither divided
 *   by 10^6 for microseconds nor by 8 for the unit of the bandwidth, so that a quarter of the window may leave each time. The parameter
 *   `paced` = 0 sets no rate, which is near to this.
 * - An acknowledgement has losses if some were declared at the same time; MsQuic remembers lost packets for longer.
 * - The delay of acknowledgements is not known, and counts as none.
 * - A timeout is persistent congestion. */
#include "precomp.h"

#include "narrows.h"

#include <math.h>
#include <stdlib.h>

enum { FIRST_ROOM = 1024 };

struct flow {
	QUIC_CONNECTION connection; /* of which the rule reads the path's datagram size and the largest packet number */
	QUIC_SENT_PACKET_METADATA *packets; /* each at its number modulo room; without a length if it is not outstanding */
	uint64_t room, mss, now, lost_at, random, largest_acked;
	int paced;
};

uint64_t BbrCongestionControlGetBandwidth(const QUIC_CONGESTION_CONTROL *cc);

/* What the rule calls of the rest of MsQuic. The flow that is being called, for those that need it. */
static _Thread_local struct flow *current;

uint64_t CxPlatTimeUs64(void)
{
	return current->now;
}

QUIC_STATUS CxPlatRandom(uint32_t length, void *buffer)
{
	uint8_t *bytes = buffer;
	uint32_t i;

	for (i = 0; i < length; i++) {
		/* SplitMix64 */
		uint64_t z = current->random += 0x9e3779b97f4a7c15;

		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
		z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
		bytes[i] = (uint8_t)(z ^ (z >> 31));
	}
	return QUIC_STATUS_SUCCESS;
}

void CxPlatLogAssert(const char *file, int line, const char *expression) {}
void quic_bugcheck(const char *file, int line, const char *expression) { abort(); }
QUIC_STATUS QuicConnIndicateEvent(QUIC_CONNECTION *connection, QUIC_CONNECTION_EVENT *event) { return QUIC_STATUS_SUCCESS; }
void QuicSendBufferConnectionAdjust(QUIC_CONNECTION *connection) {}
void QuicStreamSetGetFlowControlSummary(const QUIC_STREAM_SET *streams, uint64_t *available, uint64_t *window) { *available = *window = 0; }

static uint64_t us(uint64_t ns)
{
	return ns / 1000 + 1; /* 0 is "never" */
}

static void size_of_packets(struct flow *f, uint64_t mss)
{
	f->mss = mss;
	f->connection.Paths[0].Mtu = (uint16_t)(mss + CXPLAT_MIN_IPV4_HEADER_SIZE + CXPLAT_UDP_HEADER_SIZE);
}

static QUIC_CONGESTION_CONTROL *enter(struct flow *f, const struct narrows_path *path)
{
	current = f;
	f->now = us(path->now);
	size_of_packets(f, path->mss);
	return &f->connection.CongestionControl;
}

/* The metadata of an outstanding packet, or NULL. */
static QUIC_SENT_PACKET_METADATA *find(const struct flow *f, uint64_t number)
{
	QUIC_SENT_PACKET_METADATA *packet = &f->packets[number % f->room];

	return packet->PacketLength && packet->PacketNumber == number ? packet : NULL;
}

/* The place for a packet, with more room where another one has it; NULL if there is no memory. */
static QUIC_SENT_PACKET_METADATA *place(struct flow *f, uint64_t number)
{
	while (f->packets[number % f->room].PacketLength) {
		QUIC_SENT_PACKET_METADATA *more = calloc(2 * f->room, sizeof(*more));
		uint64_t i;

		if (!more)
			return NULL;
		for (i = 0; i < f->room; i++)
			if (f->packets[i].PacketLength)
				more[f->packets[i].PacketNumber % (2 * f->room)] = f->packets[i];
		free(f->packets);
		f->packets = more;
		f->room *= 2;
	}
	return &f->packets[number % f->room];
}

static void *create(const struct narrows_setup *setup, const double *parameters)
{
	struct flow *f = calloc(1, sizeof(*f));
	QUIC_SETTINGS_INTERNAL settings = { .InitialWindowPackets = (uint32_t)(setup->initial_window / setup->mss) };

	if (!f)
		return NULL;
	f->packets = calloc(FIRST_ROOM, sizeof(*f->packets));
	if (!f->packets) {
		free(f);
		return NULL;
	}
	current = f;
	f->room = FIRST_ROOM;
	f->lost_at = NARROWS_NONE;
	f->random = setup->seed;
	f->now = us(setup->now);
	f->paced = isnan(parameters[0]) || parameters[0] != 0;
	QuicAddrSetFamily(&f->connection.Paths[0].Route.RemoteAddress, QUIC_ADDRESS_FAMILY_INET);
	size_of_packets(f, setup->mss);
	BbrCongestionControlInitialize(&f->connection.CongestionControl, &settings);
	return f;
}

static void destroy(void *flow)
{
	struct flow *f = flow;

	free(f->packets);
	free(f);
}

static void limits(const void *flow, struct narrows_limits *l)
{
	const struct flow *f = flow;
	const QUIC_CONGESTION_CONTROL *cc = &f->connection.CongestionControl;
	/* In bits, since the unit of the rule is an eighth of a byte; the gain is in 1/256. */
	uint64_t rate = BbrCongestionControlGetBandwidth(cc) * cc->Bbr.PacingGain / 256;

	current = (struct flow *)f;
	l->window = cc->QuicCongestionControlGetCongestionWindow(cc);
	if (f->paced && rate) {
		l->pacing_rate = rate;
		if (cc->Bbr.SendQuantum)
			l->burst = cc->Bbr.SendQuantum;
	}
}

static void sent(void *flow, const struct narrows_packet *packet, const struct narrows_path *path)
{
	struct flow *f = flow;
	QUIC_CONGESTION_CONTROL *cc = enter(f, path);
	QUIC_LOSS_DETECTION *detection = &f->connection.LossDetection;
	QUIC_SENT_PACKET_METADATA *kept, *again = packet->retransmits == NARROWS_NONE ? NULL : find(f, packet->retransmits);

	if (again)
		again->PacketLength = 0;
	if (packet->app_limited && cc->QuicCongestionControlCanSend(cc))
		cc->QuicCongestionControlSetAppLimited(cc);
	cc->Bbr.BytesInFlight = (uint32_t)(path->in_flight > packet->size ? path->in_flight - packet->size : 0);
	detection->LargestSentPacketNumber = packet->number;
	detection->TotalBytesSent += packet->size;
	kept = place(f, packet->number);
	if (kept) {
		*kept = (QUIC_SENT_PACKET_METADATA){ .PacketNumber = packet->number,
						     .TotalBytesSent = detection->TotalBytesSent,
						     .SentTime = f->now,
						     .PacketLength = (uint16_t)packet->size };
		kept->Flags.IsAppLimited = cc->QuicCongestionControlIsAppLimited(cc);
		if (detection->TimeOfLastPacketAcked) {
			kept->Flags.HasLastAckedPacketInfo = TRUE;
			kept->LastAckedPacketInfo.SentTime = detection->TimeOfLastAckedPacketSent;
			kept->LastAckedPacketInfo.AckTime = detection->TimeOfLastPacketAcked;
			kept->LastAckedPacketInfo.AdjustedAckTime = detection->AdjustedLastAckedTime;
			kept->LastAckedPacketInfo.TotalBytesSent = detection->TotalBytesSentAtLastAck;
			kept->LastAckedPacketInfo.TotalBytesAcked = detection->TotalBytesAcked;
		}
	}
	cc->QuicCongestionControlOnDataSent(cc, (uint32_t)packet->size);
}

static void lost(void *flow, const struct narrows_loss *loss, const struct narrows_path *path, const struct narrows_packet *packets,
		 uint64_t count)
{
	struct flow *f = flow;
	QUIC_CONGESTION_CONTROL *cc = enter(f, path);
	QUIC_LOSS_EVENT event = { .LargestSentPacketNumber = f->connection.LossDetection.LargestSentPacketNumber,
				  .PersistentCongestion = loss->cause == NARROWS_TIMEOUT };
	uint64_t i;

	for (i = 0; i < count; i++) {
		QUIC_SENT_PACKET_METADATA *packet = find(f, packets[i].number);

		if (!packet)
			continue;
		event.NumRetransmittableBytes += packet->PacketLength;
		if (packet->PacketNumber > event.LargestPacketNumberLost)
			event.LargestPacketNumberLost = packet->PacketNumber;
		packet->PacketLength = 0;
	}
	/* MsQuic's BBR has no function for marks. */
	if (!event.NumRetransmittableBytes)
		return;
	f->lost_at = f->now;
	cc->Bbr.BytesInFlight = (uint32_t)path->in_flight + event.NumRetransmittableBytes;
	cc->QuicCongestionControlOnDataLost(cc, &event);
}

static void acked(void *flow, const struct narrows_ack *ack, const struct narrows_path *path, const struct narrows_packet *packets,
		  uint64_t count)
{
	struct flow *f = flow;
	QUIC_CONGESTION_CONTROL *cc = enter(f, path);
	QUIC_LOSS_DETECTION *detection = &f->connection.LossDetection;
	QUIC_SENT_PACKET_METADATA *last = NULL;
	QUIC_ACK_EVENT event = { .TimeNow = f->now,
				 .AdjustedAckTime = f->now,
				 .LargestSentPacketNumber = detection->LargestSentPacketNumber,
				 .MinRtt = UINT64_MAX,
				 .HasLoss = f->lost_at == f->now };
	uint64_t i;

	for (i = 0; i < count; i++) {
		QUIC_SENT_PACKET_METADATA *packet = find(f, packets[i].number);

		if (!packet)
			continue;
		event.NumRetransmittableBytes += packet->PacketLength;
		event.MinRtt = CXPLAT_MIN(event.MinRtt, f->now - packet->SentTime);
		event.IsLargestAckedPacketAppLimited = packet->Flags.IsAppLimited;
		f->largest_acked = CXPLAT_MAX(f->largest_acked, packet->PacketNumber);
		detection->TotalBytesAcked += packet->PacketLength;
		detection->TotalBytesSentAtLastAck = packet->TotalBytesSent;
		detection->TimeOfLastPacketAcked = detection->AdjustedLastAckedTime = f->now;
		detection->TimeOfLastAckedPacketSent = packet->SentTime;
		if (last)
			last->Next = packet;
		else
			event.AckedPackets = packet;
		last = packet;
	}
	if (!last)
		return;
	last->Next = NULL;
	event.LargestAck = f->largest_acked;
	event.SmoothedRtt = path->rtt_smoothed / 1000;
	event.MinRttValid = TRUE;
	event.NumTotalAckedRetransmittableBytes = detection->TotalBytesAcked;
	cc->Bbr.BytesInFlight = (uint32_t)path->in_flight + event.NumRetransmittableBytes;
	cc->QuicCongestionControlOnDataAcknowledged(cc, &event);
	for (i = 0; i < count; i++) {
		QUIC_SENT_PACKET_METADATA *packet = find(f, packets[i].number);

		if (packet)
			packet->PacketLength = 0;
	}
}

static void observe(const void *flow, double *values)
{
	const struct flow *f = flow;
	const QUIC_CONGESTION_CONTROL *cc = &f->connection.CongestionControl;

	values[0] = cc->Bbr.BbrState;
	values[1] = (double)BbrCongestionControlGetBandwidth(cc);
	values[2] = cc->Bbr.MinRttTimestampValid ? (double)cc->Bbr.MinRtt * 1e-6 : NAN;
	values[3] = cc->Bbr.PacingGain / 256.0;
	values[4] = cc->Bbr.RecoveryState;
}

static const char *const parameters[] = { "paced", NULL };
static const char *const variables[] = { "state", "bandwidth_bps", "min_rtt_s", "pacing_gain", "recovery_state", NULL };

__attribute__((visibility("default"))) const struct narrows_controller bbr = {
	.version = NARROWS_VERSION,
	.parameters = parameters,
	.variables = variables,
	.create = create,
	.destroy = destroy,
	.limits = limits,
	.acked = acked,
	.lost = lost,
	.sent = sent,
	.observe = observe,
};
