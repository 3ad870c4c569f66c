struct particle {
    double position[3];
    char kind;
    int id;
};
extern struct particle particles[100];
struct settings {
    int verbose;
    char name[40];
};
extern struct settings settings;
extern int initialised;
void bump(int pe);
long bumps(void);
