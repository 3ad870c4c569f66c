/* A client of GASNet: a message around the nodes. */
#include <gasnet.h>

static int token;
static void pass(gasnet_token_t from, gasnet_handlerarg_t value) {
    (void)from;
    token = value;
}

int main(int argc, char** argv) {
    gasnet_handlerentry_t table[] = {{200, (void (*)())pass}};
    gasnet_init(&argc, &argv);
    gasnet_attach(table, 1, GASNET_PAGESIZE, 0);
    const int me = (int)gasnet_mynode(), nodes = (int)gasnet_nodes();
    if (me != 0) GASNET_BLOCKUNTIL(token == me);
    gasnet_AMRequestShort1((gasnet_node_t)((me + 1) % nodes), 200, me + 1);
    if (me == 0) {
        GASNET_BLOCKUNTIL(token == nodes);
        printf("round\n");
    }
    gasnet_barrier(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_exit(0);
}
