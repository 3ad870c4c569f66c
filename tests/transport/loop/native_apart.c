/* As apart.c, for the native interface: quiet of a channel waits for no other, and events of fences
 * and of channels are asked for without waiting. PE 1 serves nobody until PE 0 sends it a signal.
 */
#include <signal.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "../../api/isthmus/check.h"

enum { kShut = 1, kOpen = 2 };

static int64_t word_of(const isthmus_segment* segment, uint64_t offset) {
    int64_t word = 0;
    OK(isthmus_get(&word, segment, offset, sizeof word, NULL));
    return word;
}

/* Long: what would be copied aside, and what is not. */
static int64_t block[8192];

static void channels_wait_for_themselves(const isthmus_segment* shut, const isthmus_segment* open,
                                         isthmus_channel* stuck) {
    OK(isthmus_channel_postadd(stuck, shut, 8, 3));
    OK(isthmus_channel_put(stuck, block, shut, 16, 64));
    isthmus_event never;
    OK(isthmus_channel_event(stuck, &never));
    isthmus_channel channel = ISTHMUS_CHANNEL_INIT;
    for (int64_t turn = 1; turn <= 20; ++turn) {
        OK(isthmus_channel_put(&channel, &turn, open, 0, sizeof turn));
        OK(isthmus_channel_fence(&channel));
        OK(isthmus_channel_postadd(&channel, open, 8, 1));
        OK(isthmus_channel_quiet(&channel));
        CHECK(channel.completed == 2 * turn && channel.issued == 2 * turn);
        CHECK(word_of(open, 0) == turn && word_of(open, 8) == turn);
        CHECK(!isthmus_event_test(&never));
    }
    /* An event compares the channel's own count: it is true while another channel's is not. */
    for (int64_t turn = 21; turn <= 30; ++turn) {
        isthmus_event event;
        OK(isthmus_channel_put(&channel, &turn, open, 0, sizeof turn));
        OK(isthmus_channel_postadd(&channel, open, 8, 1));
        OK(isthmus_channel_event(&channel, &event));
        const int64_t issued = channel.issued;
        OK(isthmus_channel_put(&channel, &turn, open, 24, sizeof turn));
        OK(isthmus_event_wait(&event));
        CHECK(channel.completed >= issued && channel.completed <= channel.issued);
        CHECK(word_of(open, 0) == turn && word_of(open, 8) == turn);
        CHECK(!isthmus_event_test(&never) && stuck->completed == 0 && stuck->issued == 2);
    }
    /* Those that nobody asked for do not outlive it. */
    for (int64_t turn = 1; turn <= 20; ++turn) {
        isthmus_channel brief = ISTHMUS_CHANNEL_INIT;
        isthmus_event event;
        OK(isthmus_channel_put(&brief, &turn, open, 0, sizeof turn));
        OK(isthmus_channel_event(&brief, &event));
        OK(isthmus_channel_put(&brief, &turn, open, 0, sizeof turn));
        OK(isthmus_channel_quiet(&brief));
        CHECK(isthmus_event_test(&event) && brief.completed == 2 && brief.issued == 2);
        memset(&brief, 0x55, sizeof brief);
        isthmus_event other;
        OK(isthmus_channel_put(&channel, &turn, open, 0, sizeof turn));
        OK(isthmus_channel_event(&channel, &other));
        OK(isthmus_event_wait(&other));
        CHECK(brief.completed == 0x5555555555555555);
    }
    OK(isthmus_channel_quiet(&channel));
    /* Not copied aside, and so begun before anything of it is there. */
    for (int64_t turn = 1; turn <= 5; ++turn) {
        block[8191] = turn;
        OK(isthmus_channel_put(&channel, block, open, 64, sizeof block));
        OK(isthmus_channel_quiet(&channel));
        CHECK(word_of(open, 64 + sizeof block - 8) == turn);
        int64_t back = 0;
        OK(isthmus_channel_get(&channel, &back, open, 64 + sizeof block - 8, 8));
        OK(isthmus_channel_quiet(&channel));
        CHECK(back == turn);
    }
    kill((pid_t)word_of(open, 32), SIGUSR1);
    OK(isthmus_event_wait(&never));
    CHECK(word_of(shut, 8) == 3 && word_of(shut, 16) == block[0]);
    OK(isthmus_channel_quiet(stuck));
    CHECK(stuck->completed == 2);
}

/* By now everybody serves. */
static void fences_have_events(const isthmus_segment* shut, const isthmus_segment* open) {
    for (int64_t turn = 1; turn <= 300; ++turn) {
        isthmus_event event;
        OK(isthmus_put(&turn, shut, 24, sizeof turn, NULL));
        OK(isthmus_postadd(open, 40, 1));
        OK(isthmus_fence(open, &event));
        OK(isthmus_event_wait(&event));
        if (turn % 50 != 0) continue; /* 300 are more than there are numbers of flights */
        CHECK(word_of(shut, 24) == turn && word_of(open, 40) == turn);
    }
    isthmus_event events[40];
    for (int64_t turn = 0; turn < 40; ++turn) {
        OK(isthmus_put(&turn, shut, 128 + 8 * (uint64_t)turn, sizeof turn, NULL));
        OK(isthmus_fence(shut, &events[turn]));
    }
    OK(isthmus_event_wait_all(events, 40, -1));
    for (int64_t turn = 0; turn < 40; ++turn)
        CHECK(word_of(shut, 128 + 8 * (uint64_t)turn) == turn);
}

int main(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, NULL);
    isthmus_init();
    const int me = isthmus_pe();
    isthmus_segment mine, shut, open;
    OK(isthmus_segment_create(&mine, 70 + (uint64_t)me, NULL, 1 << 17, 0));
    OK(isthmus_segment_clone(&shut, 70 + kShut, -1));
    OK(isthmus_segment_clone(&open, 70 + kOpen, -1));
    block[0] = 77;
    if (me != kOpen) OK(isthmus_poke(&open, me == kShut ? 32 : 48, getpid()));
    isthmus_barrier();
    const int64_t pid_of_0 = word_of(&open, 48);
    isthmus_barrier();
    if (me == kShut) {
        /* From here on it does not serve; until then PE 0 may have to, for the barrier. */
        int number = 0;
        kill((pid_t)pid_of_0, SIGUSR2);
        sigwait(&set, &number);
    }
    if (me == 0) {
        for (sigset_t came; sigpending(&came) == 0 && !sigismember(&came, SIGUSR2);)
            word_of(&open, 0);
        isthmus_channel stuck = ISTHMUS_CHANNEL_INIT;
        channels_wait_for_themselves(&shut, &open, &stuck);
        fences_have_events(&shut, &open);
    }
    isthmus_barrier();
    isthmus_finalize();
    return 0;
}
