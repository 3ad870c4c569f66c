/* One who is not of the job, but speaks libfabric and has found a PE's port: sends requests with a
 * wrong secret, of every length, and puts with keys that may be guessed. ADDRESS PORT [rma] */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct fid_ep* endpoint;
static struct fid_cq* queue;

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

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    struct sockaddr_in victim = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[2]))};
    inet_pton(AF_INET, argv[1], &victim.sin_addr);
    /* As the job's PEs have it: rxm itself refuses who has another one. */
    setenv("FI_OFI_RXM_BUFFER_SIZE", "4096", 1);
    struct fi_info* hints = fi_allocinfo();
    struct fi_info* info = NULL;
    hints->caps = FI_MSG | FI_RMA;
    hints->mode = FI_CONTEXT | FI_CONTEXT2;
    hints->ep_attr->type = FI_EP_RDM;
    hints->addr_format = FI_SOCKADDR_IN;
    hints->domain_attr->av_type = FI_AV_TABLE;
    hints->fabric_attr->prov_name = strdup("tcp;ofi_rxm");
    need("fi_getinfo", fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &info));
    struct fid_fabric* fabric;
    struct fid_domain* domain;
    struct fid_av* table;
    struct fi_av_attr addresses = {.type = FI_AV_TABLE, .count = 1};
    struct fi_cq_attr completions = {.format = FI_CQ_FORMAT_MSG, .size = 1024};
    fi_addr_t peer;
    need("fi_fabric", fi_fabric(info->fabric_attr, &fabric, NULL));
    need("fi_domain", fi_domain(fabric, info, &domain, NULL));
    need("fi_av_open", fi_av_open(domain, &addresses, &table, NULL));
    need("fi_cq_open", fi_cq_open(domain, &completions, &queue, NULL));
    need("fi_endpoint", fi_endpoint(domain, info, &endpoint, NULL));
    need("fi_ep_bind", fi_ep_bind(endpoint, &table->fid, 0));
    need("fi_ep_bind", fi_ep_bind(endpoint, &queue->fid, FI_TRANSMIT | FI_RECV));
    need("fi_enable", fi_enable(endpoint));
    need("fi_av_insert", fi_av_insert(table, &victim, 1, &peer, 0, NULL) == 1 ? 0 : -FI_EINVAL);
    static char bytes[4096];
    static struct fi_context2 contexts[512];
    int sent = 0, fitting = 0; /* into a receive buffer: longer ones may end the connection */
    srand(1);
    for (size_t length = 0; length <= sizeof bytes; length += length < 200 ? 1 : 97) {
        for (size_t i = 0; i < length; ++i)
            bytes[i] = (char)rand();
        ssize_t result;
        while ((result = fi_send(endpoint, bytes, length, NULL, peer, &contexts[sent % 512])) ==
               -FI_EAGAIN)
            look(0.001);
        need("fi_send", result);
        ++sent;
        if (length <= 2048) ++fitting;
    }
    look(0.5);
    if (argc > 3) {
        memset(bytes, 0x55, sizeof bytes);
        for (uint64_t key = 0; key < 4; ++key) {
            ssize_t result;
            for (int tries = 0; tries < 1000; ++tries) {
                result = fi_write(endpoint, bytes, 64, NULL, peer, 0, key, &contexts[key]);
                if (result != -FI_EAGAIN) break;
                look(0.001);
            }
            look(0.1);
        }
    }
    printf("sent=%d fitting=%d\n", sent, fitting);
    return 0;
}
