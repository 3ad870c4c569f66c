// Threads, mutexes, condition variables, barriers and atomics.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { kThreads = 6, kRounds = 300 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static long counter, turn;
static atomic_long free_counter;
static _Thread_local int own;

static void* work(void* argument) {
    const long me = (long)argument;
    for (int i = 0; i < kRounds; ++i) {
        pthread_mutex_lock(&mutex);
        while (turn % kThreads != me)
            pthread_cond_wait(&changed, &mutex);
        counter += me;
        ++turn;
        ++own;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&mutex);
        atomic_fetch_add(&free_counter, me);
    }
    pthread_barrier_wait(&barrier);
    return (void*)(long)own;
}

int main(void) {
    pthread_t thread[kThreads];
    pthread_barrier_init(&barrier, NULL, kThreads);
    for (int wave = 0; wave < 3; ++wave) {
        for (long i = 0; i < kThreads; ++i)
            pthread_create(&thread[i], NULL, work, (void*)i);
        long total = 0;
        for (int i = 0; i < kThreads; ++i) {
            void* result;
            pthread_join(thread[i], &result);
            total += (long)result;
        }
        printf("wave %d: %ld %ld %ld %ld\n", wave, counter, turn, atomic_load(&free_counter),
               total);
    }
    return 0;
}
