/* What programs/times.c measures, done by libfabric alone: two processes, one endpoint each, the
 * target's thread asleep on its completion queue. `bare` measures puts and gets, `bare atomic` the
 * provider's fetch-add, whose endpoint has another order of operations; `bare round_trip` a message
 * of 8 bytes and its echo, both sides polling. The provider is tcp;ofi_rxm, or what BARE_PROVIDER
 * names. BARE_NAMESPACE is the file of the network namespace that the target moves to. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "times.h"

enum { kBytes = 2 << 20, kKey = 1 };

static struct fid_ep* endpoint;
static struct fid_cq* queue;
static fi_addr_t peer;
static char* memory;

static void need(const char* what, long result) {
    if (result >= 0) return;
    fprintf(stderr, "bare: %s: %s\n", what, fi_strerror((int)-result));
    _exit(1);
}

static void open_endpoint(int atomic, int socket) {
    struct fi_info* hints = fi_allocinfo();
    struct fi_info* info = NULL;
    const char* provider = getenv("BARE_PROVIDER");
    hints->caps = FI_MSG | FI_RMA | (atomic ? FI_ATOMIC : 0);
    hints->mode = FI_CONTEXT | FI_CONTEXT2;
    hints->ep_attr->type = FI_EP_RDM;
    hints->domain_attr->threading = FI_THREAD_SAFE;
    hints->domain_attr->av_type = FI_AV_TABLE;
    hints->fabric_attr->prov_name = strdup(provider ? provider : "tcp;ofi_rxm");
    need("fi_getinfo", fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &info));
    for (struct fi_info* each = info; each; each = each->next) {
        if (strcmp(each->domain_attr->name, "lo") != 0) {
            info = each;
            break;
        }
    }
    info->tx_attr->op_flags = info->rx_attr->op_flags = FI_COMPLETION;
    struct fid_fabric* fabric;
    struct fid_domain* domain;
    struct fid_av* table;
    struct fid_mr* region;
    struct fi_av_attr addresses = {.type = FI_AV_TABLE, .count = 2};
    struct fi_cq_attr completions = {
        .format = FI_CQ_FORMAT_MSG, .size = 4096, .wait_obj = FI_WAIT_FD};
    need("fi_fabric", fi_fabric(info->fabric_attr, &fabric, NULL));
    need("fi_domain", fi_domain(fabric, info, &domain, NULL));
    need("fi_av_open", fi_av_open(domain, &addresses, &table, NULL));
    need("fi_cq_open", fi_cq_open(domain, &completions, &queue, NULL));
    need("fi_endpoint", fi_endpoint(domain, info, &endpoint, NULL));
    need("fi_ep_bind", fi_ep_bind(endpoint, &table->fid, 0));
    need("fi_ep_bind",
         fi_ep_bind(endpoint, &queue->fid, FI_TRANSMIT | FI_RECV | FI_SELECTIVE_COMPLETION));
    need("fi_enable", fi_enable(endpoint));
    memory = calloc(1, kBytes);
    need("fi_mr_reg", fi_mr_reg(domain, memory, kBytes, FI_REMOTE_READ | FI_REMOTE_WRITE, 0, kKey,
                                0, &region, NULL));
    char mine[256] = "", theirs[256] = "";
    size_t length = sizeof mine;
    need("fi_getname", fi_getname(&endpoint->fid, mine, &length));
    if (write(socket, mine, sizeof mine) != sizeof mine ||
        recv(socket, theirs, sizeof theirs, MSG_WAITALL) != sizeof theirs)
        need("exchange", -FI_EIO);
    need("fi_av_insert", fi_av_insert(table, theirs, 1, &peer, 0, NULL) == 1 ? 0 : -FI_EINVAL);
}

static void drain(int completions) {
    struct fi_cq_msg_entry entries[16];
    while (completions > 0) {
        const ssize_t count = fi_cq_read(queue, entries, 16);
        if (count > 0)
            completions -= (int)count;
        else if (count != -FI_EAGAIN)
            need("fi_cq_read", count);
    }
}

#define ISSUE(CALL)                                \
    do {                                           \
        ssize_t result;                            \
        while ((result = (CALL)) == -FI_EAGAIN)    \
            drain(fi_cq_read(queue, NULL, 0) > 0); \
        need(#CALL, result);                       \
    } while (0)

static struct fi_context2 contexts[64];
static long result_word;

static void put(const void* source, size_t bytes, size_t offset) {
    ISSUE(fi_inject_write(endpoint, source, bytes, peer, offset, kKey));
}
static void get_word(void) {
    ISSUE(fi_read(endpoint, &result_word, sizeof result_word, NULL, peer, 0, kKey, contexts));
    drain(1);
}
static void write_block(char* source, size_t bytes, int number) {
    ISSUE(fi_write(endpoint, source, bytes, NULL, peer, 0, kKey, contexts + 1 + number));
}
static void read_block(char* dest, size_t bytes, int number) {
    ISSUE(fi_read(endpoint, dest, bytes, NULL, peer, 0, kKey, contexts + 1 + number));
}
static void fetch_add(void) {
    const long one = 1;
    ISSUE(fi_fetch_atomic(endpoint, &one, 1, NULL, &result_word, NULL, peer, 8, kKey, FI_INT64,
                          FI_SUM, contexts));
    drain(1);
}

static char heard[64];
static void post_receive(void) {
    ISSUE(fi_recv(endpoint, heard, sizeof heard, NULL, FI_ADDR_UNSPEC, contexts + 1));
}
static void send_word(const void* word) {
    ISSUE(fi_inject(endpoint, word, sizeof(long), peer));
}
enum { kRoundTrips = 50 };
static void echo(void) {
    for (int left = kRoundTrips * (kBatches + 3); left > 0; --left) {
        drain(1);
        post_receive();
        send_word(heard);
    }
}
static void round_trip(const void* word) {
    send_word(word);
    drain(1);
    post_receive();
}

static void move_to(const char* namespace_file) {
    const int file = namespace_file ? open(namespace_file, O_RDONLY) : -1;
    if (namespace_file && (file < 0 || setns(file, CLONE_NEWNET) != 0)) {
        perror(namespace_file);
        _exit(1);
    }
}

static void* serve(void* nothing) {
    struct fi_cq_msg_entry entry;
    for (;;)
        fi_cq_sread(queue, &entry, 1, NULL, 100);
    return nothing;
}

int main(int argc, char** argv) {
    const int atomic = argc > 1 && strcmp(argv[1], "atomic") == 0;
    const int messages = argc > 1 && strcmp(argv[1], "round_trip") == 0;
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) return 1;
    const pid_t target = fork();
    close(sockets[target != 0]); /* so that the end of either side ends the other */
    if (target == 0) move_to(getenv("BARE_NAMESPACE"));
    open_endpoint(atomic, sockets[target == 0]);
    char token = 0;
    if (messages) post_receive();
    if (target == 0 && messages) {
        pin_to_core(1);
        echo();
        return read(sockets[1], &token, 1) != 1;
    }
    if (target == 0) {
        pthread_t thread;
        pin_to_core(1); /* its threads, too: they are those of another host */
        pthread_create(&thread, NULL, serve, NULL);
        /* As times.c passes the time: a sleep's end keeps the processor from dozing. */
        while (recv(sockets[1], &token, 1, MSG_DONTWAIT) < 0)
            nanosleep(&(struct timespec){0, 5000000}, NULL);
        return token != 0;
    }
    pin_to_core(0);
    long value = 0;
    char* source = malloc(1 << 20);
    memset(source, 1, 1 << 20);
    if (messages) {
        TIMED("round_trip", kRoundTrips, (value = i, round_trip(&value)), (void)0);
    } else if (atomic) {
        TIMED("fetch_add", 50, fetch_add(), (void)0);
    } else {
        TIMED("put_quiet", 50, (value = i, put(&value, sizeof value, 0), get_word()), (void)0);
        TIMED("get", 50, get_word(), (void)0);
        TIMED("put_rate", 1000, (value = i, put(&value, sizeof value, (size_t)(i & 63) * 8)),
              get_word());
        TIMED("put_64k", 16, (write_block(source, 65536, i), drain(1)), get_word());
        TIMED("put_1m", 4, (write_block(source, 1 << 20, i), drain(1)), get_word());
        TIMED("put_nbi_64k", 16, write_block(source, 65536, i), (drain(16), get_word()));
        TIMED("put_nbi_1m", 4, write_block(source, 1 << 20, i), (drain(4), get_word()));
        TIMED("get_nbi_64k", 16, read_block(source, 65536, i), drain(16));
        TIMED("get_nbi_1m", 4, read_block(source, 1 << 20, i), drain(4));
    }
    if (write(sockets[0], &token, 1) != 1) return 1;
    waitpid(target, NULL, 0);
    return 0;
}
