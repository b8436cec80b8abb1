import type { Hook } from "./hook.ts";
import { type HookProgress, LONGEST_FAILURE } from "./hook_progress.ts";
import { failed, type HookResult, type HookSight } from "./hook_sight.ts";

export interface HooksView {
  readonly hooks: readonly Hook[];
  readonly progress: HookProgress;
  /** Of the hook that was begun last; absent where none is under way. */
  readonly sight?: HookSight | undefined;
  /** After one that must not fail has failed, the others are run all the same: they put things back in order. */
  readonly always: boolean;
  /** No other hook is begun. */
  readonly stop?: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface HooksDecision {
  /** To be kept in the owner's status before the intents are carried out. */
  readonly progress: HookProgress;
  /** No hook is under way, and none follows. */
  readonly over: boolean;
  readonly intents: readonly HookIntent[];
  /** What failed just now, also where that does not count. */
  readonly failures: readonly string[];
  /** When to look again, in milliseconds since 1970. */
  readonly wakeAt?: number;
}

/** Something to be done about the hook of this place in its series. Each may be done again. */
export type HookIntent =
  | { readonly type: "Start"; readonly index: number }
  /** Its end is recorded. With `remove` its Job goes too; otherwise it stays for a while, for people to look at. */
  | { readonly type: "Forget"; readonly index: number; readonly remove: boolean };

/** What a series of hooks needs next. Pure: each is begun once, however often this is asked. */
export function decideHooks(view: HooksView): HooksDecision {
  const { hooks, progress, always, stop = false, now } = view;
  const { finished: index, since } = progress;
  const hook = hooks[index];
  if (since === undefined) {
    const over = !hook || stop || (progress.failure !== undefined && !always);
    return over ? { progress, over, intents: [], failures: [] } : begin(hook, progress, now);
  }
  if (!hook) return { progress: { finished: index }, over: true, intents: [], failures: [] };
  const deadline = Date.parse(since) + hook.timeout + graceOf(hook);
  const sight = view.sight ?? { phase: "Unknown" };
  const end = endOf(hook, progress, sight, now >= deadline);
  if (end === "Begin") return begin(hook, progress, now);
  if (end === "Ensure") {
    const intents = [{ type: "Start", index } as const];
    return { progress, over: false, intents, failures: [], wakeAt: deadline };
  }
  if (end === "Wait") {
    const job = sight.phase === "Running" ? sight.job : undefined;
    const known = { ...progress, ...(job === undefined ? {} : { job }) };
    return { progress: known, over: false, intents: [], failures: [], wakeAt: deadline };
  }
  const next = decideHooks({ ...view, progress: after(hook, progress, end), sight: undefined });
  return {
    ...next,
    // A Job that is not over at the end of its time must not go on.
    intents: [{ type: "Forget", index, remove: end.ok || sight.phase === "Running" }, ...next.intents],
    failures: [...(end.ok ? [] : [end.message]), ...next.failures],
  };
}

function begin(hook: Hook, progress: HookProgress, now: number): HooksDecision {
  const { job: _, ...kept } = progress;
  return {
    progress: { ...kept, since: new Date(now).toISOString() },
    over: false,
    intents: [{ type: "Start", index: progress.finished }],
    failures: [],
    wakeAt: now + hook.timeout + graceOf(hook),
  };
}

/** A command ends itself with its time, and knows more about it. */
function graceOf({ action }: Hook): number {
  return "exec" in action ? 10_000 : 0;
}

function after({ continueOnFailure }: Hook, progress: HookProgress, result: HookResult): HookProgress {
  const { finished, failure, tolerated } = progress;
  const message = result.ok ? undefined : result.message;
  const counts = failure ?? (continueOnFailure ? undefined : message);
  const passed = (continueOnFailure ? message : undefined) ?? tolerated;
  return {
    finished: finished + 1,
    ...(counts === undefined ? {} : { failure: counts }),
    ...(passed === undefined ? {} : { tolerated: passed }),
  };
}

function endOf(
  hook: Hook,
  { job }: HookProgress,
  sight: HookSight,
  late: boolean,
): HookResult | "Wait" | "Begin" | "Ensure" {
  const { name, action, timeout } = hook;
  if (sight.phase === "Ended") {
    return sight.result.ok ? sight.result : failed(cut(`Hook ${name} failed: ${sight.result.message}`));
  }
  // Its name is its own: made twice, it is the same one. One that was seen is not made again.
  if (sight.phase === "Unknown" && !("exec" in action) && job !== undefined)
    return failed(`Hook ${name} failed: its Job was deleted before its end was seen.`);
  if (late) {
    const note = sight.phase === "Running" && sight.note ? ` ${sight.note}` : "";
    return failed(cut(`Hook ${name} did not end within ${timeout / 1000} s.${note}`));
  }
  if (sight.phase === "Running") return "Wait";
  if ("exec" in action) {
    return action.exec.repeatable
      ? "Begin"
      : failed(
          `Hook ${name} was under way when the operator was stopped, and whether it did its work is not known. Look into the pod; a hook that says repeatable is run again.`,
        );
  }
  return "Ensure";
}

function cut(text: string): string {
  return text.length <= LONGEST_FAILURE ? text : `${text.slice(0, LONGEST_FAILURE - 1)}…`;
}
