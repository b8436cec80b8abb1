/** The highest limit that a repository's guard against deletions of many Backups may have. */
export const MOST_DELETIONS = 200;

/** As many deletions a repository remembers at most: with one more than its limit, a guard can tell that it is passed. */
export const MOST_REMEMBERED = MOST_DELETIONS + 1;

/** How long the word is that stands for a deletion: a time in seconds, a dash and a fingerprint, in base 36. */
export const LONGEST_REMEMBERED = 14;
