import { isRecord } from "../../../lib/json.ts";

/** What is said of the list as a whole. */
export interface TruthHead {
  /** The repository that it is of, with its kind, and its ID. */
  readonly repository: string;
  readonly uniqueID: string;
  /** When the list was asked for, by the clock of the leader. Absent: it was never read. */
  readonly readAt?: string;
  /** How long it took from then until it was published, in milliseconds: so old it is when it arrives. */
  readonly took?: number;
  /** A mark of each shard. */
  readonly shards: readonly string[];
  /** Why it could not be read since. */
  readonly problem?: { readonly reason: string; readonly message: string };
}

export function headText(head: TruthHead): string {
  return JSON.stringify(head);
}

/** Undefined where the text is none of ours. */
export function parseHead(text: string | undefined): TruthHead | undefined {
  try {
    const head: unknown = JSON.parse(text ?? "");
    const isHead = isRecord(head) && typeof head.repository === "string" && Array.isArray(head.shards);
    return isHead ? (head as unknown as TruthHead) : undefined;
  } catch {
    return undefined;
  }
}
