// SPDX-License-Identifier: GPL-2.0-or-later
// The load of cases.downlink() in LENA, the LTE module of ns-3: a server sends to UEs on bearers of RLC UM.
//
//     lena UES FLOWS SECONDS udp|tcp BPS    BPS: of all datagrams, or of the wire to the server. Prints received bytes.
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/lte-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"

#include <cstdlib>
#include <iostream>
#include <string>

using namespace ns3;

namespace
{

constexpr uint16_t PORT = 5001;
constexpr uint16_t RESOURCE_BLOCKS = 50;
constexpr uint32_t PAYLOAD_BYTES = 1400;
// The UEs have attached by then.
const Time START = Seconds(1);

void
SetDefaults()
{
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(PAYLOAD_BYTES));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(4 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(4 << 20));
    Config::SetDefault("ns3::LteEnbRrc::EpsBearerToRlcMapping", EnumValue(LteEnbRrc::RLC_UM_ALWAYS));
    Config::SetDefault("ns3::LteEnbRrc::SrsPeriodicity", UintegerValue(80)); // room for 40 UEs and more
    Config::SetDefault("ns3::LteRlcUm::MaxTxBufferSize", UintegerValue(1 << 20));
}

void
Place(const NodeContainer& nodes, double height_m)
{
    auto places = CreateObject<ListPositionAllocator>();
    for (uint32_t i = 0; i < nodes.GetN(); i++)
        places->Add(Vector(10.0 * i, 0, height_m));
    MobilityHelper mobility;
    mobility.SetPositionAllocator(places);
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
    mobility.Install(nodes);
}

// The P-GW, and a wire to the server.
void
Connect(Ptr<Node> gateway, Ptr<Node> server, uint64_t wire_bps)
{
    PointToPointHelper wire;
    wire.SetDeviceAttribute("DataRate", DataRateValue(DataRate(wire_bps)));
    Ipv4AddressHelper addresses("1.0.0.0", "255.0.0.0");
    addresses.Assign(wire.Install(gateway, server));
    Ipv4StaticRoutingHelper routing;
    routing.GetStaticRouting(server->GetObject<Ipv4>())
        ->AddNetworkRouteTo(Ipv4Address("7.0.0.0"), Ipv4Mask("255.0.0.0"), 1);
}

void
SendTo(const Address& sink, Ptr<Node> server, bool tcp, uint64_t rate_bps)
{
    if (tcp)
    {
        BulkSendHelper bulk("ns3::TcpSocketFactory", sink);
        bulk.SetAttribute("SendSize", UintegerValue(16384));
        bulk.Install(server).Start(START);
        return;
    }
    OnOffHelper datagrams("ns3::UdpSocketFactory", sink);
    datagrams.SetConstantRate(DataRate(rate_bps), PAYLOAD_BYTES);
    datagrams.Install(server).Start(START);
}

} // namespace

int
main(int argc, char** argv)
{
    if (argc != 6)
        return 2;
    const uint32_t ues = std::stoul(argv[1]);
    const uint32_t flows = std::stoul(argv[2]);
    const double seconds = std::stod(argv[3]);
    const bool tcp = std::string(argv[4]) == "tcp";
    const uint64_t rate_bps = std::stoull(argv[5]);
    const std::string factory = tcp ? "ns3::TcpSocketFactory" : "ns3::UdpSocketFactory";

    SetDefaults();
    auto lte = CreateObject<LteHelper>();
    auto epc = CreateObject<PointToPointEpcHelper>();
    lte->SetEpcHelper(epc);
    lte->SetEnbDeviceAttribute("DlBandwidth", UintegerValue(RESOURCE_BLOCKS));
    lte->SetEnbDeviceAttribute("UlBandwidth", UintegerValue(RESOURCE_BLOCKS));

    NodeContainer server(1);
    NodeContainer enb(1);
    NodeContainer ue(ues);
    InternetStackHelper internet;
    internet.Install(server);
    internet.Install(ue);
    Place(enb, 30);
    Place(ue, 1.5);
    Connect(epc->GetPgwNode(), server.Get(0), tcp ? rate_bps : 1'000'000'000);

    auto enbDevice = lte->InstallEnbDevice(enb).Get(0);
    auto ueDevices = lte->InstallUeDevice(ue);
    auto addresses = epc->AssignUeIpv4Address(ueDevices);
    Ipv4StaticRoutingHelper routing;
    for (uint32_t i = 0; i < ues; i++)
        routing.GetStaticRouting(ue.Get(i)->GetObject<Ipv4>())
            ->SetDefaultRoute(epc->GetUeDefaultGatewayAddress(), 1);
    lte->Attach(ueDevices, enbDevice);

    PacketSinkHelper sink(factory, InetSocketAddress(Ipv4Address::GetAny(), PORT));
    auto sinks = sink.Install(ue);
    for (uint32_t i = 0; i < flows; i++)
        SendTo(InetSocketAddress(addresses.GetAddress(i), PORT), server.Get(0), tcp, rate_bps / flows);

    Simulator::Stop(START + Seconds(seconds));
    Simulator::Run();
    uint64_t received = 0;
    for (uint32_t i = 0; i < ues; i++)
        received += DynamicCast<PacketSink>(sinks.Get(i))->GetTotalRx();
    Simulator::Destroy();
    std::cout << received << std::endl;
    return 0;
}
