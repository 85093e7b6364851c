/* walkconv.h - what the parts of walkconv share */
#ifndef WALKCONV_H
#define WALKCONV_H

/*
 * If the table at path has no column "episode", but one that counts steps and
 * does not count on, say so: whoever forgets --episode makes one long episode
 * of many.  The table has been read before, so faults are not looked for; what
 * is no regular file cannot be read again.  x and a are the columns of these
 * names if they are not called as usual, else NULL.
 */
void walkconv_steps(const char *path, char sep, const char *x, const char *a);

#endif
