/** Tags of a snapshot: keys of letters, digits, dots and dashes; values without a newline or a comma. */
export type Tags = Readonly<Record<string, string>>;

/** The tag that ties a snapshot to the run that made it. IDs may change; this does not. */
export const RUN_TAG = "holdfast-run";

/** Every tag of ours begins with this; others may not be set by users. */
export const RESERVED_TAG_PREFIX = "holdfast-";
