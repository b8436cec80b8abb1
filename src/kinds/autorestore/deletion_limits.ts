/** The highest limit that a repository's guard against deletions of many ResticBackups may have. */
export const MOST_DELETIONS = 200;

/** As many deletions a repository remembers at most: with one more than its limit, a guard can tell that it is passed. */
export const MOST_REMEMBERED = MOST_DELETIONS + 1;

/** The guard of a repository that says nothing about it. */
export const GUARD_DEFAULTS = { maxDeletions: 20, window: "10m", lastBackups: "Hold" } as const;
