/* By which conduit's name clients know this one. Their sources accept a list of names, so a build
 * may define one of these, as its makefiles do anyway (docs/gasnet.md); else it has its own. Part
 * of gasnetex.h. */
#ifndef ISTHMUS_GASNET_CONDUIT_H
#define ISTHMUS_GASNET_CONDUIT_H

#if defined(GASNET_CONDUIT_IBV)
#undef GASNET_CONDUIT_IBV
#define GASNET_CONDUIT_IBV      1
#define GASNET_CONDUIT_NAME     IBV
#define GASNET_CONDUIT_NAME_STR "IBV"
#elif defined(GASNET_CONDUIT_OFI)
#undef GASNET_CONDUIT_OFI
#define GASNET_CONDUIT_OFI      1
#define GASNET_CONDUIT_NAME     OFI
#define GASNET_CONDUIT_NAME_STR "OFI"
#elif defined(GASNET_CONDUIT_UCX)
#undef GASNET_CONDUIT_UCX
#define GASNET_CONDUIT_UCX      1
#define GASNET_CONDUIT_NAME     UCX
#define GASNET_CONDUIT_NAME_STR "UCX"
#elif defined(GASNET_CONDUIT_MPI)
#undef GASNET_CONDUIT_MPI
#define GASNET_CONDUIT_MPI      1
#define GASNET_CONDUIT_NAME     MPI
#define GASNET_CONDUIT_NAME_STR "MPI"
#elif defined(GASNET_CONDUIT_UDP)
#undef GASNET_CONDUIT_UDP
#define GASNET_CONDUIT_UDP      1
#define GASNET_CONDUIT_NAME     UDP
#define GASNET_CONDUIT_NAME_STR "UDP"
#else
#undef GASNET_CONDUIT_ISTHMUS
#define GASNET_CONDUIT_ISTHMUS  1
#define GASNET_CONDUIT_NAME     ISTHMUS
#define GASNET_CONDUIT_NAME_STR "ISTHMUS"
#endif

#define GASNET_CORE_NAME            ISTHMUS
#define GASNET_CORE_NAME_STR        "ISTHMUS"
#define GASNET_CORE_VERSION         1.0
#define GASNET_CORE_VERSION_STR     "1.0"
#define GASNET_EXTENDED_NAME        ISTHMUS
#define GASNET_EXTENDED_NAME_STR    "ISTHMUS"
#define GASNET_EXTENDED_VERSION     1.0
#define GASNET_EXTENDED_VERSION_STR "1.0"
#define GASNET_CONFIG_STRING                                      \
    "RELEASE=2025.8.0,SPEC=0.19,CONDUIT=" GASNET_CONDUIT_NAME_STR \
    "(ISTHMUS-1.0/"                                               \
    "ISTHMUS-1.0),THREADMODEL=" ISTHMUS_GASNET_MODE_STR           \
    ",SEGMENT=FAST,PTR=64bit,CACHE_LINE_BYTES=64,align,pshm,nodebug,notrace,nostats"

/* Clients' launchers look into the file of a program for the conduit, to know what starts it. */
static const char isthmus_gasnet_conduit_ident[] __attribute__((__used__)) =
    "$GASNetConduitName: " GASNET_CONDUIT_NAME_STR " $";

#endif
