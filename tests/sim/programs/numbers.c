// Numerical work: the math library, matrices, rounding modes, integer division, bit tricks.
#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

int main(void) {
    double sum = 0;
    for (int i = 1; i < 2000; ++i) {
        const double x = i * 0.37;
        sum += sin(x) * cos(x) + log(x) - exp(-x) + pow(x, 0.3) + atan2(x, 2) + cbrt(x) +
               erf(x / 100) + tgamma(x / 40);
    }
    printf("%.17g\n", sum);
    static double a[48][48], b[48][48], c[48][48];
    for (int i = 0; i < 48; ++i)
        for (int j = 0; j < 48; ++j)
            a[i][j] = i * 0.5 - j, b[i][j] = i + j * 0.25;
    for (int i = 0; i < 48; ++i)
        for (int j = 0; j < 48; ++j)
            for (int k = 0; k < 48; ++k)
                c[i][j] += a[i][k] * b[k][j];
    printf("%.17g %.17g\n", c[7][9], c[47][47]);
    const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    for (int m = 0; m < 4; ++m) {
        fesetround(modes[m]);
        feclearexcept(FE_ALL_EXCEPT);
        volatile double third = 1.0, three = 3.0, huge = 1e308;
        volatile float single = 0.1f;
        printf("%a %a %ld %a %d\n", third / three, huge * huge, lrint(-2.5),
               (double)(single * single), fetestexcept(FE_ALL_EXCEPT));
    }
    fesetround(FE_TONEAREST);
    uint64_t h = 1469598103934665603u;
    for (int64_t i = -3000; i < 3000; ++i) {
        int64_t d = (i * 7919) % 37 ? (i * 7919) % 37 : 5;
        h = (h ^ (uint64_t)(i * 1000003 / d + i * 1000003 % d)) * 1099511628211u;
        h ^= (uint32_t)((int32_t)i / (int32_t)d) + ((unsigned __int128)h * h >> 64);
    }
    printf("%lx\n", (unsigned long)h);
    return 0;
}
