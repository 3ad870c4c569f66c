/* Loaded before libfabric: makes its provider one that wants the memory on this side registered
 * (FI_MR_LOCAL), as real fabrics do, and ends the process at an operation without the right
 * descriptor. Injected data need none. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMost = 64 };
static struct region {
    const char* begin;
    size_t size;
    uint64_t access;
} regions[kMost];
static int region_count;

static struct fi_ops_fabric fabric_table;
static struct fi_ops_domain domain_table, *real_domain;
static struct fi_ops_mr region_table, *real_region;
static struct fi_ops_rma rma_table, *real_rma;
static struct fi_ops_msg message_table, *real_message;
static int (*real_open_domain)(struct fid_fabric*, struct fi_info*, struct fid_domain**, void*);

static void* real(const char* name) {
    void* const library = dlopen("libfabric.so.1", RTLD_NOW | RTLD_LOCAL);
    void* const found = library ? dlsym(library, name) : NULL;
    if (!found) {
        fprintf(stderr, "local_memory: %s\n", dlerror());
        abort();
    }
    return found;
}

/* libfabric's layers call these functions of each other, too. */
static int is_library(const void* caller) {
    Dl_info where;
    return dladdr(caller, &where) != 0 && strstr(where.dli_fname, "isthmus") != NULL;
}

static void check(const char* call, const void* memory, size_t bytes, void* descriptor,
                  uint64_t access) {
    const struct region* const region = descriptor;
    const char* const begin = memory;
    if (region && begin >= region->begin && bytes <= region->size &&
        begin + bytes <= region->begin + region->size && (region->access & access))
        return;
    fprintf(stderr, "local_memory: %s of %zu bytes at %p: %s\n", call, bytes, memory,
            region ? "not what was registered" : "no descriptor");
    abort();
}

static int register_memory(struct fid* fid, const void* memory, size_t bytes, uint64_t access,
                           uint64_t offset, uint64_t key, uint64_t flags, struct fid_mr** made,
                           void* context) {
    const int result =
        real_region->reg(fid, memory, bytes, access, offset, key, flags, made, context);
    if (result != 0) return result;
    if (region_count == kMost) abort();
    struct region* const region = &regions[region_count++];
    *region = (struct region){memory, bytes, access};
    (*made)->mem_desc = region;
    return 0;
}

static ssize_t read_memory(struct fid_ep* ep, void* memory, size_t bytes, void* descriptor,
                           fi_addr_t from, uint64_t address, uint64_t key, void* context) {
    check("fi_read", memory, bytes, descriptor, FI_READ);
    return real_rma->read(ep, memory, bytes, NULL, from, address, key, context);
}

static ssize_t write_message(struct fid_ep* ep, const struct fi_msg_rma* message, uint64_t flags) {
    struct fi_msg_rma plain = *message;
    for (size_t i = 0; i < message->iov_count; ++i)
        check("fi_writemsg", message->msg_iov[i].iov_base, message->msg_iov[i].iov_len,
              message->desc ? message->desc[i] : NULL, FI_WRITE);
    plain.desc = NULL;
    return real_rma->writemsg(ep, &plain, flags);
}

static ssize_t send_from(struct fid_ep* ep, const void* memory, size_t bytes, void* descriptor,
                         fi_addr_t to, void* context) {
    check("fi_send", memory, bytes, descriptor, FI_SEND);
    return real_message->send(ep, memory, bytes, NULL, to, context);
}

static ssize_t receive(struct fid_ep* ep, void* memory, size_t bytes, void* descriptor,
                       fi_addr_t from, void* context) {
    check("fi_recv", memory, bytes, descriptor, FI_RECV);
    return real_message->recv(ep, memory, bytes, NULL, from, context);
}

/* Calls that the transport does not make today would pass unseen. */
static ssize_t no_write(struct fid_ep* ep, const void* memory, size_t bytes, void* descriptor,
                        fi_addr_t to, uint64_t address, uint64_t key, void* context) {
    (void)ep, (void)memory, (void)bytes, (void)descriptor, (void)to, (void)address, (void)key;
    (void)context;
    abort();
}
static ssize_t no_read_message(struct fid_ep* ep, const struct fi_msg_rma* message,
                               uint64_t flags) {
    (void)ep, (void)message, (void)flags;
    abort();
}
static ssize_t no_send_message(struct fid_ep* ep, const struct fi_msg* message, uint64_t flags) {
    (void)ep, (void)message, (void)flags;
    abort();
}

static int open_endpoint(struct fid_domain* domain, struct fi_info* info, struct fid_ep** made,
                         void* context) {
    const int result = real_domain->endpoint(domain, info, made, context);
    if (result != 0) return result;
    real_rma = (*made)->rma;
    rma_table = *real_rma;
    rma_table.read = read_memory;
    rma_table.readmsg = no_read_message;
    rma_table.write = no_write;
    rma_table.writemsg = write_message;
    (*made)->rma = &rma_table;
    real_message = (*made)->msg;
    message_table = *real_message;
    message_table.send = send_from;
    message_table.sendmsg = no_send_message;
    message_table.recv = receive;
    (*made)->msg = &message_table;
    return 0;
}

static int open_domain(struct fid_fabric* fabric, struct fi_info* info, struct fid_domain** made,
                       void* context) {
    info->domain_attr->mr_mode &= ~FI_MR_LOCAL;
    const int result = real_open_domain(fabric, info, made, context);
    info->domain_attr->mr_mode |= FI_MR_LOCAL;
    if (result != 0) return result;
    real_domain = (*made)->ops;
    domain_table = *real_domain;
    domain_table.endpoint = open_endpoint;
    (*made)->ops = &domain_table;
    real_region = (*made)->mr;
    region_table = *real_region;
    region_table.reg = register_memory;
    (*made)->mr = &region_table;
    return 0;
}

int fi_getinfo(uint32_t version, const char* node, const char* service, uint64_t flags,
               const struct fi_info* hints, struct fi_info** info) {
    int (*call)(uint32_t, const char*, const char*, uint64_t, const struct fi_info*,
                struct fi_info**) = real("fi_getinfo");
    const int result = call(version, node, service, flags, hints, info);
    if (!is_library(__builtin_return_address(0))) return result;
    /* A program that does not offer it would not be given such a provider. */
    if (result == 0 && !(hints->domain_attr->mr_mode & FI_MR_LOCAL)) return -FI_ENODATA;
    for (struct fi_info* each = result == 0 ? *info : NULL; each; each = each->next)
        each->domain_attr->mr_mode |= FI_MR_LOCAL;
    return result;
}

int fi_fabric(struct fi_fabric_attr* attributes, struct fid_fabric** made, void* context) {
    int (*call)(struct fi_fabric_attr*, struct fid_fabric**, void*) = real("fi_fabric");
    const int result = call(attributes, made, context);
    if (result != 0 || !is_library(__builtin_return_address(0))) return result;
    fabric_table = *(*made)->ops;
    real_open_domain = fabric_table.domain;
    fabric_table.domain = open_domain;
    (*made)->ops = &fabric_table;
    return 0;
}
