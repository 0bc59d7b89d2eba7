// SPDX-License-Identifier: Apache-2.0
// One run of a speed point in csg-htsim; prints what it cost and that the work was the same, one "= name value" in each
// line.
//
//     dumbbell_htsim KIND FLOWS MBPS RTT_MS SECONDS
//
// KIND is sack, which its TCP lacks: it is NewReno without SACK. N senders, access links of ten times the bottleneck's
// rate and a twentieth of the round trip, the bottleneck with four tenths, N receivers; DropTail of one BDP; flows start
// within the first second. No logger is used, and routes are lists of queues and pipes: both favour htsim.

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "eventlist.h"
#include "pipe.h"
#include "queue.h"
#include "route.h"
#include "tcp.h"

namespace {

uint64_t hops = 0;

class Link : public Queue {
public:
    Link(double bps, uint64_t bytes, EventList& events) : Queue(linkspeed_bps(bps), mem_b(bytes), events, nullptr) {}
    uint64_t passed = 0;
    int lost() const { return num_drops(); }

protected:
    void completeService() override {
        ++passed;
        ++hops;
        Queue::completeService();
    }
};

double cpu_s() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

long memory_kib(const std::string& name) {
    std::ifstream status("/proc/self/status");
    std::string word;
    while (status >> word) {
        if (word == name + ":") {
            long value = 0;
            status >> value;
            return value;
        }
    }
    return 0;
}

} // namespace

int main(int argc, char* argv[]) {
    if (argc != 6 || std::string(argv[1]) != "sack") {
        std::cerr << "give sack FLOWS MBPS RTT_MS SECONDS" << std::endl;
        return 2;
    }
    const int flows = std::atoi(argv[2]);
    const double rate = std::atof(argv[3]) * 1e6;
    const double rtt = std::atof(argv[4]) / 1e3;
    const double seconds = std::atof(argv[5]);
    const uint64_t size = 1500;
    const uint64_t bdp = uint64_t(rate * rtt / 8 / double(size)) * size;
    const uint64_t unlimited = uint64_t(1) << 50;
    const long before = memory_kib("VmRSS");

    EventList& events = EventList::getTheEventList();
    EventList::setEndtime(timeFromSec(seconds));
    Packet::set_packet_size(int(size));
    srandom(1);

    Link forward(rate, bdp, events), backward(rate, unlimited, events);
    Pipe there(timeFromSec(0.4 * rtt), events), back(timeFromSec(0.4 * rtt), events);
    TcpRtxTimerScanner timers(timeFromMs(10.0), events);
    std::vector<TcpSrc*> senders;
    for (int flow = 0; flow < flows; ++flow) {
        const auto access = [&](Route* route) {
            route->push_back(new Link(10 * rate, unlimited, events));
            route->push_back(new Pipe(timeFromSec(rtt / 20), events));
        };
        const auto route = [&](Link& link, Pipe& pipe, PacketSink* end) {
            Route* made = new Route();
            access(made);
            made->push_back(&link);
            made->push_back(&pipe);
            access(made);
            made->push_back(end);
            return made;
        };
        TcpSrc* sender = new TcpSrc(nullptr, nullptr, events);
        TcpSink* sink = new TcpSink();
        sender->set_cwnd(2 * size);
        sender->set_ssthresh(0xffffffff);
        timers.registerTcp(*sender);
        const double start = double(random()) / double(RAND_MAX);
        sender->connect(*route(forward, there, sink), *route(backward, back, sender), *sink, timeFromSec(start));
        senders.push_back(sender);
    }

    const double begin = cpu_s();
    while (EventList::doNextEvent()) {
    }
    const double cpu = cpu_s() - begin;
    std::cout << "\n= cpu_s " << cpu << "\n= packet_hops " << hops << "\n= bottleneck_packets " << forward.passed
              << "\n= utilization " << double(forward.passed) * 12000 / (rate * seconds) << "\n= loss_rate "
              << double(forward.lost()) / double(std::max<uint64_t>(1, forward.passed + uint64_t(forward.lost())))
              << "\n= memory_kib " << memory_kib("VmHWM") - before << std::endl;
    return 0;
}
