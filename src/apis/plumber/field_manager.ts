/** Under which the API server remembers what this API wrote. */
export const FIELD_MANAGER = "pvc-plumber";
