import { MOST_UNSEEN, type RunRecord } from "./run_record.ts";
import type { TaskLook } from "./task_view.ts";

/** The same look, with the current step's run among the unseen where it is over and nobody saw its mover end. */
export function noteUnseen(look: TaskLook): TaskLook {
  const { record, request, state } = look;
  return "unseen" in state && state.unseen ? { ...look, record: withUnseen(record, request.id) } : look;
}

/** The record, with a run that nobody saw or will see end: it may be at work, and has its locks for a reason. */
export function withUnseen(record: RunRecord, run: string): RunRecord {
  const others = (record.unseen ?? []).filter((id) => id !== run);
  return { ...record, unseen: [...others, run].slice(-MOST_UNSEEN) };
}
