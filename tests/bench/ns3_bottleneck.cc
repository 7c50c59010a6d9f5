/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The network of tests/bench/droptail.scn in ns-3: ten hosts send to one by a bridge, whose port
 * to it discards what exceeds its buffer. There is no congestion notification, which ns-3 does not
 * have. sim.sh compares it with dcbsim.
 *
 *   ns3_bottleneck SECONDS      of simulated time
 *
 * Prints the frames made, delivered and received at nodes over links, and the processor time of
 * the run.
 *
 * Links are those of ns-3 that its bridge accepts, CSMA with two devices. They carry frames in one
 * direction only, so that there are no collisions. Headers of the frames have 18 octets; the gap
 * between frames stands for preamble and gap.
 */
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include <ns3/bridge-module.h>
#include <ns3/core-module.h>
#include <ns3/csma-module.h>
#include <ns3/network-module.h>

using namespace ns3;

namespace
{

const unsigned sources = 10;
const uint32_t frame_octets = 1500; /* with FCS */
const uint32_t header_octets = 14 + 4;
const uint32_t gap_octets = 20; /* preamble and gap */
const uint32_t tag_octets = 4;  /* counts in the rate of a flow of dcbsim */
const uint16_t type = 0x88b5;
const uint64_t link_rate = UINT64_C(10000000000);
const uint64_t flow_rate = UINT64_C(1100000000); /* of each source, preamble and gap included */

uint64_t made, delivered, arrived;

struct Source {
	Ptr<NetDevice> device;
	Address to;
	uint64_t sent;
};

Time time_of(uint64_t octets, uint64_t rate)
{
	return PicoSeconds(octets * 8000000 / (rate / 1000000));
}

/* Sends a frame, and schedules the next one at its time since the start. */
void send(Source *s)
{
	s->device->Send(Create<Packet>(frame_octets - header_octets), s->to, type);
	made++;
	s->sent++;
	Simulator::Schedule(time_of(s->sent * (frame_octets + gap_octets + tag_octets), flow_rate) -
				Simulator::Now(),
			    send, s);
}

bool receive(Ptr<NetDevice>, Ptr<const Packet>, uint16_t, const Address &)
{
	delivered++;
	return true;
}

void count_arrival(Ptr<const Packet>)
{
	arrived++;
}

/* Returns the device of the host; bridge_device is that at the bridge. */
Ptr<CsmaNetDevice> connect(Ptr<Node> host, Ptr<Node> bridge, Ptr<NetDevice> *bridge_device)
{
	CsmaHelper csma;
	NetDeviceContainer ends;

	csma.SetChannelAttribute("DataRate", DataRateValue(DataRate(link_rate)));
	csma.SetChannelAttribute("Delay", TimeValue(Time(0)));
	csma.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("150000B"));
	ends = csma.Install(NodeContainer(host, bridge));
	for (uint32_t i = 0; i < ends.GetN(); i++) {
		Ptr<CsmaNetDevice> device = DynamicCast<CsmaNetDevice>(ends.Get(i));

		device->SetInterframeGap(time_of(gap_octets, link_rate));
		device->TraceConnectWithoutContext("PhyRxEnd", MakeCallback(&count_arrival));
	}
	*bridge_device = ends.Get(1);
	return DynamicCast<CsmaNetDevice>(ends.Get(0));
}

double cpu_s()
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

} // namespace

int main(int argc, char **argv)
{
	double seconds = argc == 2 ? atof(argv[1]) : 0, start;
	std::vector<Source> flows(sources);
	NodeContainer hosts, bridge;
	NetDeviceContainer ports;
	Ptr<NetDevice> port, sink;

	if (seconds <= 0) {
		fprintf(stderr, "usage: ns3_bottleneck SECONDS\n");
		return 2;
	}
	Time::SetResolution(Time::PS);
	hosts.Create(sources + 1);
	bridge.Create(1);
	sink = connect(hosts.Get(sources), bridge.Get(0), &port);
	sink->SetReceiveCallback(MakeCallback(&receive));
	ports.Add(port);
	for (unsigned i = 0; i < sources; i++) {
		flows[i].device = connect(hosts.Get(i), bridge.Get(0), &port);
		flows[i].to = sink->GetAddress();
		ports.Add(port);
		Simulator::Schedule(Time(0), send, &flows[i]);
	}
	BridgeHelper().Install(bridge.Get(0), ports);
	/* The bridge learns where the sink is. */
	sink->Send(Create<Packet>(64), flows[0].device->GetAddress(), type);
	Simulator::Stop(Seconds(seconds));
	start = cpu_s();
	Simulator::Run();
	printf("made=%" PRIu64 " delivered=%" PRIu64 " events=%" PRIu64 " cpu_s=%.3f\n", made,
	       delivered, arrived, cpu_s() - start);
	Simulator::Destroy();
	return 0;
}
