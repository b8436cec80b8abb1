/** What can be done with a kind that is stored, in the order of discovery. */
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
