import { recordOf, recordsOf } from "../reconcile/records.ts";
import type { RunRecord } from "../work/run_record.ts";
import type { RestoreState } from "./restore.ts";
import { RESTORE } from "./restore_tasks.ts";

/** In which edition a restore has failed that runs once: a later one must not write over what is there by now. */
export function endedAs(state: RestoreState): string {
  const [first] = Object.values(recordsOf(state)) as readonly RunRecord[];
  return recordOf(state, RESTORE)?.edition ?? state.waiting?.edition ?? first?.edition ?? "";
}
