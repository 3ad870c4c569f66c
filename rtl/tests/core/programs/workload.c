/* What CoreMark does, by the same three kinds of work: lists that are searched and sorted, small
 * matrices, and a state machine over text, each result in a checksum. Written for this test; its
 * numbers are not CoreMark's. */
typedef unsigned short u16;
typedef unsigned int u32;

enum { kItems = 40, kSize = 9, kRounds = 6 };

struct item {
    struct item* next;
    short value, key;
};

static struct item items[kItems];
static short a[kSize][kSize], b[kSize][kSize];
static int c[kSize][kSize];
static const char text[] =
    "5012,1234,-874,+122,35.54400,.1234500,-110.700,+0.64400,5.500e+3,-.123e-2,-87e+832,T0.3e-1F,x";

static u16 crc(u16 sum, u32 value, int bytes) {
    for (int i = 0; i < bytes; ++i) {
        sum ^= (u16)(value & 0xff);
        value >>= 8;
        for (int bit = 0; bit < 8; ++bit)
            sum = (sum & 1) ? (u16)((sum >> 1) ^ 0xa001) : (u16)(sum >> 1);
    }
    return sum;
}

static struct item* merge_sort(struct item* list) {
    for (int width = 1;; width *= 2) {
        struct item *rest = list, *tail = 0;
        int merges = 0;
        list = 0;
        while (rest) {
            struct item* other = rest;
            int left = 0, right = width;
            ++merges;
            while (left < width && other) {
                ++left;
                other = other->next;
            }
            while (left > 0 || (right > 0 && other)) {
                struct item* pick;
                if (left > 0 && (right == 0 || !other || rest->value <= other->value)) {
                    pick = rest;
                    rest = rest->next;
                    --left;
                } else {
                    pick = other;
                    other = other->next;
                    --right;
                }
                if (tail)
                    tail->next = pick;
                else
                    list = pick;
                tail = pick;
            }
            rest = other;
        }
        tail->next = 0;
        if (merges <= 1) return list;
    }
}

static u16 lists(u16 sum, int round) {
    for (int i = 0; i < kItems; ++i) {
        items[i].value = (short)((i * 37 + round * 11) % 101 - 50);
        items[i].key = (short)i;
        items[i].next = i + 1 < kItems ? &items[i + 1] : 0;
    }
    struct item* list = merge_sort(items);
    for (int wanted = 0; wanted < kItems; wanted += 5) {
        struct item* found = list;
        while (found && found->key != wanted)
            found = found->next;
        sum = crc(sum, found ? (u32)found->value : 0xffff, 2);
    }
    struct item *back = 0, *next;
    for (; list; list = next) {
        next = list->next;
        list->next = back;
        back = list;
    }
    return crc(sum, (u32)back->key, 2);
}

static u16 matrices(u16 sum, int round) {
    for (int i = 0; i < kSize; ++i) {
        for (int j = 0; j < kSize; ++j) {
            a[i][j] = (short)(i * j + round);
            b[i][j] = (short)(i + 3 * j - round);
        }
    }
    for (int i = 0; i < kSize; ++i) {
        for (int j = 0; j < kSize; ++j) {
            int total = 0;
            for (int k = 0; k < kSize; ++k)
                total += a[i][k] * b[k][j];
            c[i][j] = total;
        }
    }
    int total = 0, previous = 0;
    for (int i = 0; i < kSize; ++i) {
        for (int j = 0; j < kSize; ++j) {
            total += c[i][j] > previous ? 10 : 0;
            previous = c[i][j];
        }
    }
    return crc(sum, (u32)(total + c[kSize - 1][kSize - 1]), 4);
}

enum state { kStart, kInteger, kFloat, kExponent, kScientific, kInvalid, kStates };

static u16 states(u16 sum) {
    int seen[kStates] = {0};
    const char* at = text;
    while (*at) {
        enum state now = kStart;
        for (; *at && *at != ','; ++at) {
            const char ch = *at;
            const int digit = ch >= '0' && ch <= '9';
            switch (now) {
                case kStart:
                    now = digit || ch == '+' || ch == '-' ? kInteger
                          : ch == '.'                     ? kFloat
                                                          : kInvalid;
                    break;
                case kInteger: now = digit ? kInteger : ch == '.' ? kFloat : kInvalid; break;
                case kFloat:
                    now = digit ? kFloat : ch == 'e' || ch == 'E' ? kExponent : kInvalid;
                    break;
                case kExponent: now = ch == '+' || ch == '-' ? kScientific : kInvalid; break;
                case kScientific: now = digit ? kScientific : kInvalid; break;
                default: break;
            }
        }
        if (*at) ++at;
        ++seen[now];
    }
    for (int i = 0; i < kStates; ++i)
        sum = crc(sum, (u32)seen[i], 1);
    return sum;
}

int main(void) {
    u16 sum = 0;
    for (int round = 0; round < kRounds; ++round) {
        sum = lists(sum, round);
        sum = matrices(sum, round);
        sum = states(sum);
    }
    /* What a compiler for another machine makes of it, too. */
    return sum != 0x140a;
}
