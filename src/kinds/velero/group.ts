/** The API group of Velero's kinds. */
export const GROUP = "velero.io";

export const VERSION = "v1";

export const API_VERSION = `${GROUP}/${VERSION}`;
