/* For every number of arguments: value(0), value(1), ... behind a comma, and ALL(X) for X(0) to
 * X(16). */
#ifndef VALUES_H
#define VALUES_H

#define VALUES_0
#define VALUES_1  , value(0)
#define VALUES_2  VALUES_1, value(1)
#define VALUES_3  VALUES_2, value(2)
#define VALUES_4  VALUES_3, value(3)
#define VALUES_5  VALUES_4, value(4)
#define VALUES_6  VALUES_5, value(5)
#define VALUES_7  VALUES_6, value(6)
#define VALUES_8  VALUES_7, value(7)
#define VALUES_9  VALUES_8, value(8)
#define VALUES_10 VALUES_9, value(9)
#define VALUES_11 VALUES_10, value(10)
#define VALUES_12 VALUES_11, value(11)
#define VALUES_13 VALUES_12, value(12)
#define VALUES_14 VALUES_13, value(13)
#define VALUES_15 VALUES_14, value(14)
#define VALUES_16 VALUES_15, value(15)
#define ALL(X) \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16)

#endif
