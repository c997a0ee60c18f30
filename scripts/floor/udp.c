/* The floor of UDP bulk: sendmmsg and recvmmsg in bare loops, and nothing else.

   usage: udp receive PORT BATCH SIZE          prints: packets seconds
          udp send ADDRESS PORT BATCH SIZE SECONDS    prints: packets seconds

   The receiver asks for the largest receive buffer that the host grants, begins to count with the first
   packet, and ends half a second after the last. Its seconds are from the first packet to the last. */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

enum { MOST_BATCH = 1024, MOST_SIZE = 65507 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

static void check(int result, const char *what)
{
    if (result < 0) {
        perror(what);
        exit(2);
    }
}

static struct mmsghdr *messages(int batch, int size)
{
    struct mmsghdr *all = calloc(batch, sizeof *all);
    struct iovec *places = calloc(batch, sizeof *places);
    char *bytes = calloc(batch, size);
    if (!all || !places || !bytes) {
        perror("calloc");
        exit(2);
    }
    for (int i = 0; i < batch; i++) {
        places[i] = (struct iovec){.iov_base = bytes + (size_t)i * size, .iov_len = size};
        all[i].msg_hdr.msg_iov = &places[i];
        all[i].msg_hdr.msg_iovlen = 1;
    }
    return all;
}

static int number(const char *text, int least, int most)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (*end || value < least || value > most) {
        fprintf(stderr, "%s is not a number from %d to %d\n", text, least, most);
        exit(2);
    }
    return value;
}

static int receive(char **arguments)
{
    int batch = number(arguments[1], 1, MOST_BATCH), size = number(arguments[2], 1, MOST_SIZE);
    int socket_ = socket(AF_INET, SOCK_DGRAM, 0);
    check(socket_, "socket");
    int most = INT_MAX / 2;
    check(setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &most, sizeof most), "SO_RCVBUF");
    struct timeval patience = {.tv_sec = 10};
    check(setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), "SO_RCVTIMEO");
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(number(arguments[0], 1, 65535))};
    check(bind(socket_, (struct sockaddr *)&here, sizeof here), "bind");
    struct mmsghdr *all = messages(batch, size);
    unsigned long packets = 0;
    double first = 0, last = 0;
    for (;;) {
        int got = recvmmsg(socket_, all, batch, MSG_WAITFORONE, NULL);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN)
            break;
        check(got, "recvmmsg");
        last = now();
        if (!packets) {
            first = last;
            patience = (struct timeval){.tv_usec = 500000};
            check(setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), "SO_RCVTIMEO");
        }
        packets += got;
    }
    printf("%lu %.6f\n", packets, last - first);
    return 0;
}

static int send_(char **arguments)
{
    int batch = number(arguments[2], 1, MOST_BATCH), size = number(arguments[3], 1, MOST_SIZE);
    double seconds = number(arguments[4], 1, 3600);
    int socket_ = socket(AF_INET, SOCK_DGRAM, 0);
    check(socket_, "socket");
    struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = htons(number(arguments[1], 1, 65535))};
    if (inet_pton(AF_INET, arguments[0], &there.sin_addr) != 1) {
        fprintf(stderr, "%s is no address\n", arguments[0]);
        return 2;
    }
    check(connect(socket_, (struct sockaddr *)&there, sizeof there), "connect");
    struct mmsghdr *all = messages(batch, size);
    unsigned long packets = 0;
    double begun = now();
    while (now() - begun < seconds) {
        int sent = sendmmsg(socket_, all, batch, 0);
        if (sent < 0 && (errno == EINTR || errno == ENOBUFS))
            continue;
        check(sent, "sendmmsg");
        packets += sent;
    }
    printf("%lu %.6f\n", packets, now() - begun);
    return 0;
}

int main(int count, char **arguments)
{
    if (count == 5 && !strcmp(arguments[1], "receive"))
        return receive(arguments + 2);
    if (count == 7 && !strcmp(arguments[1], "send"))
        return send_(arguments + 2);
    fprintf(stderr, "usage: udp receive PORT BATCH SIZE | udp send ADDRESS PORT BATCH SIZE SECONDS\n");
    return 2;
}
