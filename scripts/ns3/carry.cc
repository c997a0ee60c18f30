// Carries messages over TCP between two hosts and one link, modelled by ns-3; for scripts/against-ns3.
//
// usage: carry PATTERN BITS_PER_SECOND BUFFER, on standard input a line for each size: SIZE MESSAGES
//
// PATTERN is ping-pong or one-way; BUFFER, the socket buffers, is in bytes. Every message is a call of Send and, as far
// as it came, one of Recv. One-way, the receiver tells the sender in a byte that all of a size came. Nothing is lost:
// the queue of the port holds every window. Prints a line for each size: SIZE MESSAGES SEGMENTS CPU_SECONDS
// MODEL_SECONDS, where segments are those with data that either end sent.

#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <cstdint>
#include <ctime>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

namespace {

struct Row
{
    uint32_t size;
    uint64_t messages;
};

double CpuSeconds()
{
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

// One end of the connection: sends a number of messages, and counts those that came.
class End
{
  public:
    std::function<void()> onMessage;
    uint64_t segments = 0;

    void Use(Ptr<Socket> socket)
    {
        m_socket = socket;
        m_socket->SetSendCallback(MakeCallback(&End::Room, this));
        m_socket->SetRecvCallback(MakeCallback(&End::Came, this));
        m_socket->TraceConnectWithoutContext("Tx", MakeCallback(&End::Sent, this));
    }

    void Send(uint32_t size, uint64_t messages)
    {
        m_size = size;
        m_messages = messages;
        m_rest = size;
        Push();
    }

    void Expect(uint32_t size)
    {
        m_expected = size;
        m_missing = size;
    }

  private:
    void Push()
    {
        while (m_messages > 0)
        {
            const uint32_t part = std::min(m_rest, m_socket->GetTxAvailable());
            if (part == 0)
            {
                return;
            }
            m_socket->Send(Create<Packet>(part));
            m_rest -= part;
            if (m_rest == 0)
            {
                m_messages--;
                m_rest = m_size;
            }
        }
    }

    void Room(Ptr<Socket>, uint32_t)
    {
        Push();
    }

    void Came(Ptr<Socket> socket)
    {
        while (socket->GetRxAvailable() > 0)
        {
            Ptr<Packet> packet = socket->Recv(m_missing, 0);
            m_missing -= packet->GetSize();
            if (m_missing == 0)
            {
                m_missing = m_expected;
                onMessage();
            }
        }
    }

    void Sent(Ptr<const Packet> packet, const TcpHeader&, Ptr<const TcpSocketBase>)
    {
        segments += packet->GetSize() > 0;
    }

    Ptr<Socket> m_socket;
    uint32_t m_size = 0;
    uint64_t m_messages = 0;
    uint32_t m_rest = 0;
    uint32_t m_expected = 1;
    uint32_t m_missing = 1;
};

// Carries one row after the other.
class Carrier
{
  public:
    End client;
    End server;

    Carrier(bool pingPong, std::vector<Row> rows)
        : m_pingPong(pingPong),
          m_rows(std::move(rows))
    {
        server.onMessage = [this] { AtServer(); };
        client.onMessage = [this] { AtClient(); };
    }

    void Begin()
    {
        const Row& row = m_rows[m_at];
        m_came = 0;
        m_cpu = CpuSeconds();
        m_began = Simulator::Now();
        m_segments = client.segments + server.segments;
        server.Expect(row.size);
        client.Expect(m_pingPong ? row.size : 1);
        client.Send(row.size, m_pingPong ? 1 : row.messages);
    }

  private:
    void AtServer()
    {
        const Row& row = m_rows[m_at];
        m_came++;
        if (m_pingPong)
        {
            server.Send(row.size, 1);
        }
        else if (m_came == row.messages)
        {
            server.Send(1, 1);
        }
    }

    void AtClient()
    {
        const Row& row = m_rows[m_at];
        if (m_pingPong && m_came < row.messages)
        {
            client.Send(row.size, 1);
            return;
        }
        std::cout << row.size << ' ' << row.messages << ' '
                  << client.segments + server.segments - m_segments << ' ' << CpuSeconds() - m_cpu << ' '
                  << (Simulator::Now() - m_began).GetSeconds() << std::endl;
        m_at++;
        if (m_at < m_rows.size())
        {
            Simulator::ScheduleNow(&Carrier::Begin, this);
        }
        else
        {
            Simulator::Stop();
        }
    }

    bool m_pingPong;
    std::vector<Row> m_rows;
    size_t m_at = 0;
    uint64_t m_came = 0;
    double m_cpu = 0;
    Time m_began;
    uint64_t m_segments = 0;
};

} // namespace

int main(int argc, char* argv[])
{
    if (argc != 4)
    {
        std::cerr << "usage: carry ping-pong|one-way BITS_PER_SECOND BUFFER, with lines of SIZE MESSAGES" << std::endl;
        return 2;
    }
    const std::string pattern = argv[1];
    const uint32_t buffer = std::stoul(argv[3]);
    std::vector<Row> rows;
    for (Row row; std::cin >> row.size >> row.messages;)
    {
        rows.push_back(row);
    }
    if ((pattern != "ping-pong" && pattern != "one-way") || rows.empty())
    {
        std::cerr << "carry: an unknown pattern, or no line of SIZE MESSAGES" << std::endl;
        return 2;
    }

    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpCubic::GetTypeId()));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(buffer));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(buffer));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));

    NodeContainer nodes;
    nodes.Create(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", DataRateValue(DataRate(std::stoull(argv[2]))));
    link.SetChannelAttribute("Delay", TimeValue(NanoSeconds(10)));
    link.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("100000p"));
    NetDeviceContainer devices = link.Install(nodes);
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper addresses("10.1.1.0", "255.255.255.0");
    Ipv4InterfaceContainer interfaces = addresses.Assign(devices);
    // Queueing disciplines would cost time and drop packets; the modelled host of linerate has none either.
    TrafficControlHelper().Uninstall(devices);

    Carrier carrier(pattern == "ping-pong", rows);
    Ptr<Socket> listener = Socket::CreateSocket(nodes.Get(1), TcpSocketFactory::GetTypeId());
    listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), 5001));
    listener->Listen();
    listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                Callback<void, Ptr<Socket>, const Address&>(
                                    [&carrier](Ptr<Socket> socket, const Address&) { carrier.server.Use(socket); }));
    Ptr<Socket> socket = Socket::CreateSocket(nodes.Get(0), TcpSocketFactory::GetTypeId());
    carrier.client.Use(socket);
    socket->Connect(InetSocketAddress(interfaces.GetAddress(1), 5001));
    // Long after the handshake.
    Simulator::Schedule(Seconds(1), &Carrier::Begin, &carrier);
    Simulator::Run();
    Simulator::Destroy();
    return 0;
}
