/** What can be done with a built-in kind that is stored, in the order of discovery. */
export const VERBS: readonly string[] = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
];

/** The same for custom kinds, in the order that the real server has for them. */
export const CUSTOM_VERBS: readonly string[] = [
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "create",
  "update",
  "watch",
];
