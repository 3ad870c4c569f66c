/* What libfabric's table of addresses costs: COUNT of them, as a job of so many PEs inserts them.
 *     op=addresses count=N us=EACH bytes=EACH */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>

#include "times.h"

static void need(const char* what, long result) {
    if (result >= 0) return;
    fprintf(stderr, "addresses: %s: %s\n", what, fi_strerror((int)-result));
    exit(1);
}

static long resident_kilobytes(void) {
    FILE* file = fopen("/proc/self/statm", "r");
    long pages = 0;
    if (file && fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
    if (file) fclose(file);
    return pages * 4;
}

int main(int argc, char** argv) {
    const long count = argc > 1 ? atol(argv[1]) : 100000;
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
    struct fi_av_attr attributes = {.type = FI_AV_TABLE, .count = (size_t)count};
    const long before = resident_kilobytes();
    need("fi_fabric", fi_fabric(info->fabric_attr, &fabric, NULL));
    need("fi_domain", fi_domain(fabric, info, &domain, NULL));
    need("fi_av_open", fi_av_open(domain, &attributes, &table, NULL));
    const double begin = now_ns();
    for (long i = 0; i < count; ++i) {
        struct sockaddr_in address = {.sin_family = AF_INET,
                                      .sin_port = htons((uint16_t)(20000 + i % 64)),
                                      .sin_addr.s_addr = htonl((uint32_t)(0x0a000000 + i / 64))};
        fi_addr_t index = 0;
        need("fi_av_insert",
             fi_av_insert(table, &address, 1, &index, 0, NULL) == 1 ? 0 : -FI_EINVAL);
    }
    printf("op=addresses count=%ld us=%.4f bytes=%.1f\n", count,
           (now_ns() - begin) / 1e3 / (double)count,
           (double)(resident_kilobytes() - before) * 1024 / (double)count);
    return 0;
}
