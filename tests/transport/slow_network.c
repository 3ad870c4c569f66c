/* Loaded before libfabric: a network that is slow, and keeps no order that it does not promise.
 *
 *   SLOW_NETWORK=writes      writes of SLOW_NETWORK_FROM bytes and more leave a while after their
 *                            call, and whatever is called meanwhile comes behind them (in order)
 *   SLOW_NETWORK=unordered   the same, but the provider says that it keeps no order, and nothing
 *                            waits for them
 *   SLOW_NETWORK=messages    messages are slow, in order among themselves; writes and reads pass
 *                            them, which the order that is asked of a provider allows
 *   SLOW_NETWORK=held        for some seconds there is no room for messages that are not injected
 *   SLOW_NETWORK=gone        the first answer to a request goes nowhere
 *   SLOW_NETWORK=none        as fast as it is
 *   SLOW_NETWORK_PIECE=N     the longest message is N bytes
 *
 * In each, a message still comes while the endpoint is being closed.
 *
 * What is not injected is read from the caller's memory when it leaves. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { kDelay = 30000000 }; /* nanoseconds */
static const long long kHeld = 3000000000;
/* Where a request has its kind, and which is an answer (transport/service/wire.hpp). */
enum { kKindAt = 28, kAnswer = 4 };

struct operation {
    struct operation* next;
    enum { write_inject, write_message, read_memory, send_inject, send_message } kind;
    long long due;
    struct fid_ep* ep;
    fi_addr_t to;
    uint64_t address, key, flags;
    void* context;
    void* descriptor;
    void* memory; /* of a read; of what is injected, ours */
    size_t bytes;
    struct fi_msg_rma rma;
    struct fi_msg message;
    struct iovec local;
    struct fi_rma_iov remote;
};

static struct fi_ops_fabric fabric_table;
static struct fi_ops_domain domain_table;
static struct fi_ops_rma rma_table, *real_rma;
static struct fi_ops_msg message_table, *real_message;
static struct fi_ops endpoint_table, *real_endpoint;
static int (*real_open_domain)(struct fid_fabric*, struct fi_info*, struct fid_domain**, void*);
static int (*real_open_endpoint)(struct fid_domain*, struct fi_info*, struct fid_ep**, void*);

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct operation *first, **last = &first;
static int leaving; /* the first one is being called */
static int is_open, has_thread;

static const char* setting(const char* name, const char* otherwise) {
    const char* const text = getenv(name);
    return text ? text : otherwise;
}
static int mode_is(const char* name) {
    return strcmp(setting("SLOW_NETWORK", "writes"), name) == 0;
}

static void* real(const char* name) {
    void* const library = dlopen("libfabric.so.1", RTLD_NOW | RTLD_LOCAL);
    void* const found = library ? dlsym(library, name) : NULL;
    if (!found) {
        fprintf(stderr, "slow_network: %s\n", dlerror());
        abort();
    }
    return found;
}

/* libfabric's layers call these functions of each other, too. */
static int is_library(const void* caller) {
    Dl_info where;
    return dladdr(caller, &where) != 0 && strstr(where.dli_fname, "isthmus") != NULL;
}

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static ssize_t call(struct operation* each) {
    switch (each->kind) {
        case write_inject:
            return real_rma->inject(each->ep, each->memory, each->bytes, each->to, each->address,
                                    each->key);
        case write_message: return real_rma->writemsg(each->ep, &each->rma, each->flags);
        case read_memory:
            return real_rma->read(each->ep, each->memory, each->bytes, each->descriptor, each->to,
                                  each->address, each->key, each->context);
        case send_inject:
            return real_message->inject(each->ep, each->memory, each->bytes, each->to);
        case send_message: return real_message->sendmsg(each->ep, &each->message, each->flags);
    }
    return 0;
}

static void finish(struct operation* each) {
    if (each->kind == write_inject || each->kind == send_inject) free(each->memory);
    free(each);
}

static void* deliver(void* none) {
    pthread_mutex_lock(&guard);
    for (;;) {
        while (!first)
            pthread_cond_wait(&changed, &guard);
        struct operation* const each = first;
        leaving = 1;
        pthread_mutex_unlock(&guard);
        while (now() < each->due)
            usleep(500);
        for (;;) {
            pthread_mutex_lock(&guard);
            const ssize_t result = is_open ? call(each) : 0;
            if (result != -FI_EAGAIN) break;
            pthread_mutex_unlock(&guard);
            usleep(200);
        }
        leaving = 0;
        first = each->next;
        if (!first) last = &first;
        finish(each);
    }
    return none;
}

/* Under the guard. */
static int put_off(const struct operation* operation, int slow) {
    struct operation* const each = malloc(sizeof *each);
    *each = *operation;
    each->next = NULL;
    each->due = now() + (slow ? kDelay : 0);
    if (each->kind == write_inject || each->kind == send_inject) {
        each->memory = malloc(each->bytes ? each->bytes : 1);
        memcpy(each->memory, operation->memory, each->bytes);
    } else if (each->kind == write_message) {
        each->local = each->rma.msg_iov[0];
        each->remote = each->rma.rma_iov[0];
        each->descriptor = each->rma.desc ? each->rma.desc[0] : NULL;
        each->rma.msg_iov = &each->local;
        each->rma.rma_iov = &each->remote;
        each->rma.desc = &each->descriptor;
    } else if (each->kind == send_message) {
        each->local = each->message.msg_iov[0];
        each->descriptor = each->message.desc ? each->message.desc[0] : NULL;
        each->message.msg_iov = &each->local;
        each->message.desc = &each->descriptor;
    }
    *last = each;
    last = &each->next;
    if (!has_thread) {
        pthread_t thread;
        has_thread = pthread_create(&thread, NULL, deliver, NULL) == 0;
        pthread_detach(thread);
    }
    pthread_cond_signal(&changed);
    return 0;
}

static ssize_t pass(struct operation* operation) {
    const int is_write = operation->kind == write_inject || operation->kind == write_message;
    const int is_message = operation->kind == send_inject || operation->kind == send_message;
    const size_t length =
        operation->kind == write_message ? operation->rma.msg_iov->iov_len : operation->bytes;
    const size_t piece = (size_t)atol(setting("SLOW_NETWORK_PIECE", "0"));
    if (piece != 0 && length > piece && !is_message) {
        fprintf(stderr, "slow_network: %zu bytes, and a message has %zu\n", length, piece);
        abort();
    }
    pthread_mutex_lock(&guard);
    ssize_t result = 0;
    if (mode_is("messages")) {
        if (is_message)
            put_off(operation, 1);
        else
            result = call(operation);
    } else {
        const int slow = is_write && (mode_is("writes") || mode_is("unordered")) &&
                         length >= (size_t)atol(setting("SLOW_NETWORK_FROM", "0"));
        if (slow || (first && mode_is("writes")))
            put_off(operation, slow);
        else
            result = call(operation);
    }
    pthread_mutex_unlock(&guard);
    return result;
}

static ssize_t slow_write_inject(struct fid_ep* ep, const void* memory, size_t bytes, fi_addr_t to,
                                 uint64_t address, uint64_t key) {
    return pass(&(struct operation){.kind = write_inject,
                                    .ep = ep,
                                    .memory = (void*)memory,
                                    .bytes = bytes,
                                    .to = to,
                                    .address = address,
                                    .key = key});
}
static ssize_t slow_write(struct fid_ep* ep, const struct fi_msg_rma* message, uint64_t flags) {
    return pass(
        &(struct operation){.kind = write_message, .ep = ep, .rma = *message, .flags = flags});
}
static ssize_t slow_read(struct fid_ep* ep, void* memory, size_t bytes, void* descriptor,
                         fi_addr_t from, uint64_t address, uint64_t key, void* context) {
    return pass(&(struct operation){.kind = read_memory,
                                    .ep = ep,
                                    .memory = memory,
                                    .bytes = bytes,
                                    .descriptor = descriptor,
                                    .to = from,
                                    .address = address,
                                    .key = key,
                                    .context = context});
}
static int is_held(void) {
    static long long since;
    pthread_mutex_lock(&guard);
    if (since == 0) since = now();
    const int held = now() - since < kHeld;
    pthread_mutex_unlock(&guard);
    return held;
}
static int is_gone(const void* message) {
    static int one;
    pthread_mutex_lock(&guard);
    const int gone = !one && ((const unsigned char*)message)[kKindAt] == kAnswer;
    one |= gone;
    pthread_mutex_unlock(&guard);
    return gone;
}
static ssize_t slow_send_inject(struct fid_ep* ep, const void* memory, size_t bytes, fi_addr_t to) {
    if (mode_is("gone") && is_gone(memory)) return 0;
    return pass(&(struct operation){
        .kind = send_inject, .ep = ep, .memory = (void*)memory, .bytes = bytes, .to = to});
}
static ssize_t slow_send(struct fid_ep* ep, const struct fi_msg* message, uint64_t flags) {
    if (mode_is("held") && is_held()) return -FI_EAGAIN;
    return pass(
        &(struct operation){.kind = send_message, .ep = ep, .message = *message, .flags = flags});
}

static char* posted; /* the last buffer that something may come to */
static ssize_t note_receive(struct fid_ep* ep, void* memory, size_t bytes, void* descriptor,
                            fi_addr_t from, void* context) {
    posted = memory;
    return real_message->recv(ep, memory, bytes, descriptor, from, context);
}

static int close_endpoint(struct fid* fid) {
    if (posted) *(volatile char*)posted = 0;
    pthread_mutex_lock(&guard);
    is_open = 0;
    pthread_mutex_unlock(&guard);
    return real_endpoint->close(fid);
}

static int open_endpoint(struct fid_domain* domain, struct fi_info* info, struct fid_ep** made,
                         void* context) {
    const int result = real_open_endpoint(domain, info, made, context);
    if (result != 0) return result;
    real_rma = (*made)->rma;
    rma_table = *real_rma;
    rma_table.inject = slow_write_inject;
    rma_table.writemsg = slow_write;
    rma_table.read = slow_read;
    (*made)->rma = &rma_table;
    real_message = (*made)->msg;
    message_table = *real_message;
    message_table.inject = slow_send_inject;
    message_table.sendmsg = slow_send;
    message_table.recv = note_receive;
    (*made)->msg = &message_table;
    real_endpoint = (*made)->fid.ops;
    endpoint_table = *real_endpoint;
    endpoint_table.close = close_endpoint;
    (*made)->fid.ops = &endpoint_table;
    is_open = 1;
    return 0;
}

static int open_domain(struct fid_fabric* fabric, struct fi_info* info, struct fid_domain** made,
                       void* context) {
    const int result = real_open_domain(fabric, info, made, context);
    if (result != 0) return result;
    domain_table = *(*made)->ops;
    real_open_endpoint = domain_table.endpoint;
    domain_table.endpoint = open_endpoint;
    (*made)->ops = &domain_table;
    return 0;
}

int fi_getinfo(uint32_t version, const char* node, const char* service, uint64_t flags,
               const struct fi_info* hints, struct fi_info** info) {
    int (*get)(uint32_t, const char*, const char*, uint64_t, const struct fi_info*,
               struct fi_info**) = real("fi_getinfo");
    const int result = get(version, node, service, flags, hints, info);
    if (result != 0 || !is_library(__builtin_return_address(0))) return result;
    const size_t piece = (size_t)atol(setting("SLOW_NETWORK_PIECE", "0"));
    for (struct fi_info* each = *info; each; each = each->next) {
        if (piece != 0) each->ep_attr->max_msg_size = piece;
        if (mode_is("unordered")) each->tx_attr->msg_order = each->rx_attr->msg_order = 0;
    }
    return result;
}

int fi_fabric(struct fi_fabric_attr* attributes, struct fid_fabric** made, void* context) {
    int (*open)(struct fi_fabric_attr*, struct fid_fabric**, void*) = real("fi_fabric");
    const int result = open(attributes, made, context);
    if (result != 0 || !is_library(__builtin_return_address(0))) return result;
    fabric_table = *(*made)->ops;
    real_open_domain = fabric_table.domain;
    fabric_table.domain = open_domain;
    (*made)->ops = &fabric_table;
    return 0;
}
