#include "gasnet_calls.h"

#include <gasnet.h>

#define CALL __attribute__((visibility("default")))

CALL void call_short0(unsigned node) {
    gasnet_AMRequestShort0(node, kTakesNothing);
}
CALL void call_medium0(unsigned node, void* payload) {
    gasnet_AMRequestMedium0(node, kTakesPayload, payload, kPayload);
}
CALL void call_put_nbi(unsigned node, void* dest, void* source) {
    gasnet_put_nbi(node, dest, source, 8);
}
CALL void call_wait_puts(void) {
    gasnet_wait_syncnbi_puts();
}
CALL void call_poll(void) {
    gasnet_AMPoll();
}
CALL void call_upc_write(unsigned node, int* place, int value) {
    gasnet_put_bulk(node, place, &value, sizeof value);
}
CALL void call_upc_fence(void) {
    gasnet_wait_syncnbi_all();
}
