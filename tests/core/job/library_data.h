/* What the libraries of library_data.c hand out: addresses of variables of theirs. */
#pragma once

long* calling_hidden(void);
long* calling_shown(void);
long* calling_lock(void);
char* calling_wide(void);
void calling_put(long value, int pe);
long* plain_values(void);
