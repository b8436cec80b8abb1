/** What decides who comes first among those that wait for the same repository. */
export interface Claimant {
  /** Lower ones come first. */
  readonly rank: number;
  /** Whose work it is, as `namespace/recipe`: seats are shared out fairly among namespaces, then among recipes. */
  readonly tenant: string;
  /** Nothing else may work on the repository beside it. */
  readonly exclusive?: boolean;
  /** It begins although the storage fails: it may be the cure. */
  readonly steady?: boolean;
}

/** The order of kinds of work: somebody waits for a restore, and nobody for housekeeping. */
export const RANKS = { restore: 0, backup: 1, delete: 2, maintenance: 3 } as const;

/**
 * Where a run stands at its repository. It is kept in the run's record, from when it asks for a seat until its attempt
 * has ended: so who waits and who works can be told from objects alone, whichever process looks.
 */
export interface Place extends Claimant {
  /** The repository, by the UID of its object. */
  readonly pool: string;
  /** Which of its owner's seats it is, where that has several. Default: the only one. */
  readonly slot?: string;
  /** ISO 8601. When it began to wait. */
  readonly since: string;
  /** It has a seat, and may begin. */
  readonly seated?: boolean;
  /** It looks whether the storage is back. Its failure is not held against it. */
  readonly probe?: boolean;
}

/** Whose seat it is, among all of a repository: an owner, or one of several runs of it. */
export function slotId(owner: string, slot: string | undefined): string {
  return slot === undefined ? owner : `${owner}/${slot}`;
}
