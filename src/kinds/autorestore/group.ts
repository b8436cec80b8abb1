/** The API group of AutoRestore's kinds. */
export const GROUP = "backup.datarestor-operator.com";

/** The other prefix that its document uses for labels and annotations. */
export const OTHER_PREFIX = "backup.autorestore.com";

export const VERSION = "v1alpha1";

export const API_VERSION = `${GROUP}/${VERSION}`;
