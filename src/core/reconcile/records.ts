import type { RunRecord } from "../work/run_record.ts";

/** The part of a status that remembers runs, by purpose, between two looks at the object. */
export interface Remembering {
  readonly work?: Readonly<Record<string, unknown>>;
}

/** What is remembered of a run. It was written here, so its shape is not checked again. */
export function recordOf(status: object | undefined, purpose: string): RunRecord | undefined {
  return recordsOf(status)[purpose] as RunRecord | undefined;
}

/** Everything that is remembered, by purpose. */
export function recordsOf(status: object | undefined): Readonly<Record<string, unknown>> {
  return (status as Remembering | undefined)?.work ?? {};
}

/** Whether something of this purpose was begun and has no outcome yet. */
export function isUnfinished(record: RunRecord | undefined): record is RunRecord {
  return record !== undefined && record.outcome === undefined;
}
