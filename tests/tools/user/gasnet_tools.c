/* A program that takes gasnet_tools.h alone. */
#include <gasnet_tools.h>

int main(void) {
    printf("%d\n", gasnett_getenv_yesno_withdefault("ISTHMUS_NOT_SET", 1));
    return 0;
}
