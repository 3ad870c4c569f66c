/* Rows are handed out by a counter on PE 0; results are put to PE 0 as they come. */
#include <shmem.h>
#include <stdio.h>

enum { WIDTH = 64, HEIGHT = 48 };
static int picture[HEIGHT][WIDTH];
static int counter;

static int escape(double cr, double ci) {
    double r = 0, i = 0;
    int n = 0;
    while (r * r + i * i < 4 && n < 200) {
        double t = r * r - i * i + cr;
        i = 2 * r * i + ci;
        r = t;
        n++;
    }
    return n;
}

int main(void) {
    shmem_init();
    int row, rows = 0;
    while ((row = shmem_int_finc(&counter, 0)) < HEIGHT) {
        int line[WIDTH];
        for (int x = 0; x < WIDTH; x++)
            line[x] = escape(-2.0 + 3.0 * x / WIDTH, -1.0 + 2.0 * row / HEIGHT);
        shmem_int_put(picture[row], line, WIDTH, 0);
        rows++;
    }
    shmem_barrier_all();
    if (shmem_my_pe() == 0) {
        int bad = 0;
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++)
                bad += picture[y][x] != escape(-2.0 + 3.0 * x / WIDTH, -1.0 + 2.0 * y / HEIGHT);
        printf("%d wrong: %s\n", bad, bad ? "WRONG" : "ok");
    }
    shmem_finalize();
    return 0;
}
