/* Results of the native interface, told apart by what the caller can do about them. */
#ifndef ISTHMUS_STATUS_H
#define ISTHMUS_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum isthmus_status {
    ISTHMUS_OK = 0,
    ISTHMUS_AGAIN,     /* not now (full, empty, not yet true): try again later */
    ISTHMUS_TIMEOUT,   /* not within the time given */
    ISTHMUS_CLOSED,    /* the queue is closed (and, for dequeue, drained): stop */
    ISTHMUS_BOUNDS,    /* the range is not inside the segment: mend the program */
    ISTHMUS_RIGHTS,    /* the segment does not allow that access */
    ISTHMUS_PROTOCOL,  /* the segment does not accept that kind of operation */
    ISTHMUS_STALE,     /* the segment was destroyed by its owner, or ended with its session: clone
                          it again, or stop */
    ISTHMUS_EXISTS,    /* the id is taken: choose another */
    ISTHMUS_NO_MEMORY, /* raise the setting, or stay within the limit, that the text names */
    ISTHMUS_ARGUMENT,  /* an argument is wrong: mend the program */
    ISTHMUS_TOO_LARGE  /* above a stated limit */
} isthmus_status;

/* Why the last call of this thread that did not return 0 failed; one sentence, valid until this
 * thread's next failure. Empty if none has. */
const char* isthmus_error_text(void);

/* "ISTHMUS_BOUNDS" */
const char* isthmus_status_name(int status);

#ifdef __cplusplus
}
#endif
#endif
