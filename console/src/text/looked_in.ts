/** What tells where a page looks. */
export interface Looking {
  /** Of a snapshot that is open. */
  readonly namespace?: string | undefined;
  /** As namespace/name. */
  readonly volume?: string | undefined;
}

/**
 * The namespace that snapshots are asked for in; undefined for all. `home`: where somebody begins who may not look at all
 * of them, and so is asked about one by name: the server would take their home instead.
 */
export function lookedIn(home: string | undefined, { namespace, volume }: Looking): string | undefined {
  return home === undefined ? undefined : (namespace ?? volume?.split("/")[0]);
}
