/** What a list lacks, of what was known before. */
export interface Shrinkage {
  /** Of what our own runs made. */
  readonly made: Lacking;
  /** Of what was found: others may delete that as they please, and make more. */
  readonly found: Lacking;
  /** Snapshots in the list. */
  readonly total: number;
  /** Snapshots in the list before. Absent where that is not known. */
  readonly before?: number | undefined;
}

export interface Lacking {
  /** Snapshots that objects stood for. */
  readonly known: number;
  /** Those of them that the list does not hold. */
  readonly missing: number;
}

/** So few may go at any time. */
const FEW = 4;

/**
 * Whether so much is missing that something is wrong, rather than a few old snapshots gone: everything; more than a few
 * and most of ours; or most of the others', while the list as a whole is not half as long as it was. A lost volume, an
 * old copy of the storage or an erased bucket looks like that.
 */
export function hasShrunk({ made, found, total, before }: Shrinkage): boolean {
  if (made.missing + found.missing === 0) return false;
  if (total === 0 || lacksMost(made)) return true;
  return lacksMost(found) && (before === undefined || total * 2 < before);
}

function lacksMost({ known, missing }: Lacking): boolean {
  return missing > FEW && missing * 2 > known;
}

/** How long a snapshot must be missing before it is believed: an engine may list what it knew a moment ago. */
export const BELIEVED_AFTER = 60_000;
