// Formatted output and string conversion: most of what a C library does with integers and floating
// point.
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i)
        printf("argument %d: '%s'\n", i, argv[i]);
    for (double x = 1e-310; x < 1e300; x *= 1234567.891)
        printf("%g %.17g %a\n", x, x, x);
    printf("%f %e %g %Lf\n", 1.0 / 3, DBL_MAX, DBL_MIN, (long double)1 / 7);
    printf("%d %u %ld %lx %c %p %5.3s|\n", -1, 4000000000u, -1234567890123L, 0xdeadbeefcafeUL, 'x',
           (void*)0, "abcdef");
    printf("%.3f %.0f %.0f %.0f\n", strtod("2.5e3", NULL), 0.5, 1.5, 2.5);
    printf("%ld %lu %d\n", strtol("-7fffffff", NULL, 16), strtoul("18446744073709551615", NULL, 10),
           atoi("123abc"));
    char text[64];
    snprintf(text, sizeof text, "%s-%03d", "padded", 7);
    printf("%s %zu\n", text, strlen(text));
    float f = 16777217;
    printf("%f %f\n", f, (double)(float)0.1);
    return 3;
}
