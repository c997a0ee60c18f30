// SPDX-License-Identifier: MIT OR GPL-2.0
//
// Where the bytes of one TCP connection are in the kernel, and when: a program for each tracepoint that they pass.
//
// Every program compares what passes with the connection that `connection` names and, if it is that one, puts an
// `event` into the ring `events`; one that finds no room counts it in `lost`. The layout of both is that of
// `src/trace/kernel/layout.rs`. Structures of the kernel have only the members that are read; where they lie is
// looked up in the running kernel's BTF when the program is loaded (CO-RE), and a member that it does not have is
// found out before it is read.
//
// Sources: kernel documentation, bpf/; include/trace/events/{net,tcp,sock,sched}.h.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed int s32;

#define SEC(name) __attribute__((section(name), used))
#define KERNEL __attribute__((preserve_access_index))
#define MAP(field, value) int(*field)[value]
#define inline inline __attribute__((always_inline))

// Numbers of helpers and maps. Source: linux/bpf.h.
static void *(*bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
static u64 (*bpf_ktime_get_ns)(void) = (void *)5;
static u32 (*bpf_get_smp_processor_id)(void) = (void *)8;
static u64 (*bpf_get_current_pid_tgid)(void) = (void *)14;
static long (*bpf_probe_read_kernel)(void *to, u32 size, const void *from) = (void *)113;
static void *(*bpf_ringbuf_reserve)(void *ring, u64 size, u64 flags) = (void *)131;
static void (*bpf_ringbuf_submit)(void *data, u64 flags) = (void *)132;
enum { ARRAY = 2, RING = 27, RING_BYTES = 1 << 22, NO_WAKE_UP = 1 };

// What is read of the kernel's structures.
struct sock_common {
    struct {
        long counter;
    } skc_cookie;
} KERNEL;
struct sock {
    struct sock_common __sk_common;
} KERNEL;
struct tcp_sock {
    u32 write_seq, rcv_nxt;
} KERNEL;
struct sk_buff {
    struct sock *sk;
    u32 len, data_len;
    u16 protocol, transport_header;
    u8 *head, *data;
} KERNEL;
struct task_struct {
    s32 pid;
} KERNEL;

// The connection that is traced; written by the process that loads this.
struct connection {
    // 4 or 6.
    u32 version;
    // The thread at its end, as the kernel numbers it: learnt here, because a container has numbers of its own.
    u32 thread;
    u64 cookie;
    // As they stand in the packets that arrive: from the other end to this one.
    u8 from[16], to[16];
    u16 from_port, to_port;
    u32 padding;
};

enum kind { ACCEPTED, QUEUED, DRIVEN, HANDED, ARRIVED, PROTOCOL, READY, WOKEN, RUNNING, RETURNED, RETRANSMITTED };

struct event {
    u64 ns;
    // Of the first byte, or of the byte after the last one that is there.
    u32 sequence;
    // Payload. Unit: bytes.
    u32 length;
    u32 processor;
    u32 kind;
};

struct {
    MAP(type, ARRAY);
    MAP(max_entries, 1);
    u32 *key;
    struct connection *value;
} connection SEC(".maps");
struct {
    MAP(type, ARRAY);
    MAP(max_entries, 1);
    u32 *key;
    u64 *value;
} lost SEC(".maps");
struct {
    MAP(type, RING);
    MAP(max_entries, RING_BYTES);
} events SEC(".maps");

static inline struct connection *traced(void) {
    u32 first = 0;
    return bpf_map_lookup_elem(&connection, &first);
}

static inline void tell(enum kind kind, u32 sequence, u32 length) {
    struct event *event = bpf_ringbuf_reserve(&events, sizeof *event, 0);
    if (!event) {
        u32 first = 0;
        u64 *count = bpf_map_lookup_elem(&lost, &first);
        if (count) __sync_fetch_and_add(count, 1);
        return;
    }
    event->ns = bpf_ktime_get_ns();
    event->sequence = sequence;
    event->length = length;
    event->processor = bpf_get_smp_processor_id();
    event->kind = kind;
    bpf_ringbuf_submit(event, NO_WAKE_UP);
}

static inline int is_ours(struct sock *sk, struct connection *wanted) {
    return sk && wanted && wanted->cookie && (u64)sk->__sk_common.skc_cookie.counter == wanted->cookie;
}

// A member of the connection's own structure, which lies round that of every socket; the verifier knows only of that.
#define OF_TCP(sk, member)                                                             \
    ({                                                                                 \
        u32 value = 0;                                                                 \
        bpf_probe_read_kernel(&value, sizeof value, &((struct tcp_sock *)(sk))->member); \
        value;                                                                         \
    })

// What is read of a TCP header. Source: RFC 9293, 3.1.
struct tcp {
    u16 from_port, to_port;
    u32 sequence, acknowledgement;
    u8 offset, flags;
};

static inline u32 header_bytes(const struct tcp *tcp) {
    return (tcp->offset >> 4) * 4;
}

// A packet on its way out, whose header lies where the kernel wrote it.
static inline int going(struct sk_buff *skb, enum kind kind) {
    struct connection *wanted = traced();
    if (!is_ours(skb->sk, wanted)) return 0;
    u8 *header = skb->head + skb->transport_header;
    struct tcp tcp;
    if (bpf_probe_read_kernel(&tcp, sizeof tcp, header)) return 0;
    u32 before = header - skb->data + header_bytes(&tcp);
    u32 length = skb->len - before;
    if (skb->len > before) tell(kind, __builtin_bswap32(tcp.sequence), length);
    return 0;
}

static inline int same(const u8 *one, const u8 *other, int bytes) {
#pragma unroll
    for (int at = 0; at < bytes; at++)
        if (one[at] != other[at]) return 0;
    return 1;
}

// A packet that came in, whose data begin with the header of IP.
static inline int coming(struct sk_buff *skb, enum kind kind) {
    struct connection *wanted = traced();
    if (!wanted || !wanted->cookie) return 0;
    u8 ip[40];
    u32 in_one_place = skb->len - skb->data_len;
    if (in_one_place < 40 || bpf_probe_read_kernel(ip, sizeof ip, skb->data)) return 0;
    u32 version = ip[0] >> 4, header, total;
    if (version != wanted->version) return 0;
    if (version == 4) {
        if (ip[9] != 6) return 0;
        if (!same(ip + 12, wanted->from, 4) || !same(ip + 16, wanted->to, 4)) return 0;
        header = (ip[0] & 15) * 4;
        total = (u32)ip[2] << 8 | ip[3];
    } else {
        if (ip[6] != 6) return 0;
        if (!same(ip + 8, wanted->from, 16) || !same(ip + 24, wanted->to, 16)) return 0;
        header = 40;
        total = ((u32)ip[4] << 8 | ip[5]) + header;
        if (total == header) total = 0;
    }
    struct tcp tcp;
    if (in_one_place < header + 20 || bpf_probe_read_kernel(&tcp, sizeof tcp, skb->data + header)) return 0;
    if (tcp.from_port != wanted->from_port || tcp.to_port != wanted->to_port) return 0;
    // A packet that the host put together may be longer than the field of IP can say; a short one has padding.
    u32 bytes = total ? total : skb->len;
    u32 before = header + header_bytes(&tcp);
    if (bytes > before) tell(kind, __builtin_bswap32(tcp.sequence), bytes - before);
    return 0;
}

// The send call has reached TCP.
SEC("tp_btf/tcp_sendmsg_locked")
int accepted(u64 *arguments) {
    struct sock *sk = (struct sock *)arguments[0];
    struct connection *wanted = traced();
    if (!is_ours(sk, wanted)) return 0;
    wanted->thread = (u32)bpf_get_current_pid_tgid();
    tell(ACCEPTED, OF_TCP(sk, write_seq), 0);
    return 0;
}

SEC("tp_btf/net_dev_queue")
int queued(u64 *arguments) {
    return going((struct sk_buff *)arguments[0], QUEUED);
}

SEC("tp_btf/net_dev_start_xmit")
int driven(u64 *arguments) {
    return going((struct sk_buff *)arguments[0], DRIVEN);
}

SEC("tp_btf/netif_rx")
int handed_to_backlog(u64 *arguments) {
    return coming((struct sk_buff *)arguments[0], HANDED);
}

SEC("tp_btf/napi_gro_receive_entry")
int handed_to_gro(u64 *arguments) {
    return coming((struct sk_buff *)arguments[0], HANDED);
}

SEC("tp_btf/netif_receive_skb")
int arrived(u64 *arguments) {
    return coming((struct sk_buff *)arguments[0], ARRIVED);
}

// TCP of the receiver looks at a segment, whose data begin with its header.
SEC("tp_btf/tcp_probe")
int protocol(u64 *arguments) {
    struct sk_buff *skb = (struct sk_buff *)arguments[1];
    if (!is_ours((struct sock *)arguments[0], traced())) return 0;
    struct tcp tcp;
    if (bpf_probe_read_kernel(&tcp, sizeof tcp, skb->data)) return 0;
    u32 before = header_bytes(&tcp);
    if (skb->len > before) tell(PROTOCOL, __builtin_bswap32(tcp.sequence), skb->len - before);
    return 0;
}

// What has arrived can be read, up to `rcv_nxt`.
SEC("tp_btf/sk_data_ready")
int ready(u64 *arguments) {
    struct sock *sk = (struct sock *)arguments[0];
    if (is_ours(sk, traced())) tell(READY, OF_TCP(sk, rcv_nxt), 0);
    return 0;
}

SEC("tp_btf/sched_wakeup")
int woken(u64 *arguments) {
    struct connection *wanted = traced();
    u32 thread = ((struct task_struct *)arguments[0])->pid;
    if (wanted && wanted->thread && wanted->thread == thread) tell(WOKEN, 0, 0);
    return 0;
}

SEC("tp_btf/sched_switch")
int running(u64 *arguments) {
    struct connection *wanted = traced();
    u32 thread = ((struct task_struct *)arguments[2])->pid;
    if (wanted && wanted->thread && wanted->thread == thread) tell(RUNNING, 0, 0);
    return 0;
}

// A send call is over.
SEC("tp_btf/sock_send_length")
int returned(u64 *arguments) {
    struct sock *sk = (struct sock *)arguments[0];
    struct connection *wanted = traced();
    if (!is_ours(sk, wanted)) return 0;
    wanted->thread = (u32)bpf_get_current_pid_tgid();
    tell(RETURNED, OF_TCP(sk, write_seq), 0);
    return 0;
}

SEC("tp_btf/tcp_retransmit_skb")
int retransmitted(u64 *arguments) {
    struct sock *sk = (struct sock *)arguments[0];
    if (is_ours(sk, traced())) tell(RETRANSMITTED, 0, 0);
    return 0;
}

const char LICENSE[] SEC("license") = "Dual MIT/GPL";
