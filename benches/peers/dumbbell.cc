// One run of a speed point in ns-3; prints what it cost and that the work was the same, one "= name value" in each line.
//
//     dumbbell KIND FLOWS MBPS RTT_MS SECONDS
//
// KIND is sack (TcpNewReno with SACK) or cubic. N senders, access links of ten times the bottleneck's rate and a
// twentieth of the round trip, the bottleneck with four tenths, N receivers; DropTail of one BDP; flows start within the
// first second; CUBIC ends slow start at its share of the BDP. Devices have no queue disciplines. At most ten pairs of hosts share the flows, because ns-3's
// routers search their interfaces for each packet: that favours ns-3.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

uint64_t accessPackets = 0;
uint64_t bottleneckPackets = 0;
uint64_t drops = 0;

void
CountAccess(Ptr<const Packet>)
{
    ++accessPackets;
}

void
CountBottleneck(Ptr<const Packet>)
{
    ++bottleneckPackets;
}

void
CountDrop(Ptr<const Packet>)
{
    ++drops;
}

double
CpuSeconds()
{
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

long
MemoryKib(const std::string& name)
{
    std::ifstream status("/proc/self/status");
    std::string word;
    while (status >> word)
    {
        if (word == name + ":")
        {
            long value = 0;
            status >> value;
            return value;
        }
    }
    return 0;
}

} // namespace

int
main(int argc, char* argv[])
{
    if (argc != 6)
    {
        std::cerr << "give KIND FLOWS MBPS RTT_MS SECONDS" << std::endl;
        return 2;
    }
    const std::string kind = argv[1];
    const auto flows = static_cast<uint32_t>(std::atoi(argv[2]));
    const double rate = std::atof(argv[3]) * 1e6;
    const double rtt = std::atof(argv[4]) / 1e3;
    const double seconds = std::atof(argv[5]);
    const auto bdp = static_cast<uint64_t>(rate * rtt / 8 / 1500);
    const uint32_t hosts = std::min<uint32_t>(flows, 10);
    const long before = MemoryKib("VmRSS");

    // 1500 bytes at IP with a header of 20 bytes and TCP's of 32 with timestamps.
    const uint32_t segment = 1448;
    const auto buffer = static_cast<uint32_t>(std::max(4e6, 4.0 * static_cast<double>(bdp) * 1500));
    const TypeId control = kind == "cubic" ? TcpCubic::GetTypeId() : TcpNewReno::GetTypeId();
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(control));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(segment));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(buffer));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(buffer));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));

    if (kind == "cubic")
    {
        const auto share = static_cast<uint32_t>(bdp / flows) * segment;
        Config::SetDefault("ns3::TcpSocket::InitialSlowStartThreshold", UintegerValue(share));
    }

    NodeContainer routers(2);
    NodeContainer left(hosts);
    NodeContainer right(hosts);
    InternetStackHelper stack;
    stack.InstallAll();

    PointToPointHelper middle;
    middle.DisableFlowControl();
    middle.SetDeviceAttribute("DataRate", DataRateValue(DataRate(static_cast<uint64_t>(rate))));
    middle.SetChannelAttribute("Delay", TimeValue(Seconds(0.4 * rtt)));
    middle.SetQueue("ns3::DropTailQueue", "MaxSize", QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, 10000000)));
    PointToPointHelper access;
    access.DisableFlowControl();
    access.SetDeviceAttribute("DataRate", DataRateValue(DataRate(static_cast<uint64_t>(10 * rate))));
    access.SetChannelAttribute("Delay", TimeValue(Seconds(rtt / 20)));
    access.SetQueue("ns3::DropTailQueue", "MaxSize", QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, 10000000)));

    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    NetDeviceContainer bottleneck = middle.Install(routers);
    auto device = DynamicCast<PointToPointNetDevice>(bottleneck.Get(0));
    device->GetQueue()->SetMaxSize(QueueSize(QueueSizeUnit::PACKETS, static_cast<uint32_t>(bdp)));
    device->TraceConnectWithoutContext("PhyTxEnd", MakeCallback(&CountBottleneck));
    device->GetQueue()->TraceConnectWithoutContext("Drop", MakeCallback(&CountDrop));
    bottleneck.Get(1)->TraceConnectWithoutContext("PhyTxEnd", MakeCallback(&CountAccess));
    addresses.Assign(bottleneck);
    std::vector<Ipv4Address> sinks;
    for (uint32_t host = 0; host < hosts; ++host)
    {
        addresses.NewNetwork();
        NetDeviceContainer near = access.Install(left.Get(host), routers.Get(0));
        addresses.Assign(near);
        addresses.NewNetwork();
        NetDeviceContainer far = access.Install(routers.Get(1), right.Get(host));
        sinks.push_back(addresses.Assign(far).GetAddress(1));
        for (const auto& pair : {near, far})
        {
            for (uint32_t end = 0; end < 2; ++end)
            {
                pair.Get(end)->TraceConnectWithoutContext("PhyTxEnd", MakeCallback(&CountAccess));
            }
        }
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    auto starting = CreateObject<UniformRandomVariable>();
    for (uint32_t flow = 0; flow < flows; ++flow)
    {
        const uint32_t host = flow % hosts;
        const auto port = static_cast<uint16_t>(1000 + flow / hosts);
        BulkSendHelper source("ns3::TcpSocketFactory", InetSocketAddress(sinks[host], port));
        source.SetAttribute("SendSize", UintegerValue(segment * 16));
        source.Install(left.Get(host)).Start(Seconds(starting->GetValue(0, 1)));
        PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
        sink.Install(right.Get(host)).Start(Seconds(0));
    }

    Simulator::Stop(Seconds(seconds));
    const double begin = CpuSeconds();
    Simulator::Run();
    const double cpu = CpuSeconds() - begin;
    std::cout << "= cpu_s " << cpu << "\n= packet_hops " << accessPackets + bottleneckPackets
              << "\n= bottleneck_packets " << bottleneckPackets << "\n= utilization "
              << static_cast<double>(bottleneckPackets) * 12000 / (rate * seconds) << "\n= loss_rate "
              << static_cast<double>(drops) / std::max<double>(1, static_cast<double>(drops + bottleneckPackets))
              << "\n= memory_kib " << MemoryKib("VmHWM") - before << std::endl;
    return 0;
}
