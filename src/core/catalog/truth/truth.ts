/** Whether a repository holds a backup of an identity, as far as is known. `stale`: what says so is old. */
export type Truth =
  | { readonly answer: "yes"; readonly newestAt: string; readonly stale: boolean }
  | { readonly answer: "no"; readonly stale: boolean }
  /** Never read, unreachable, or in doubt. */
  | { readonly answer: "unknown"; readonly reason: string; readonly message: string };
