import { messageOf } from "../../lib/result.ts";
import type { Call } from "../frame/command.ts";
import { EXIT } from "../frame/exit_codes.ts";
import { explainedError } from "../frame/explained_error.ts";
import { CommandProblem } from "../frame/problem.ts";
import { shownText } from "../frame/shown_text.ts";
import type { ShownLines } from "../screen.ts";
import type { AllowedLine } from "./allowed_line.ts";
import type { RunEvent } from "./contract.ts";
import { EventQueue } from "./event_queue.ts";
import type { Person } from "./person.ts";

export interface StreamedRun {
  readonly person: Person;
  readonly line: AllowedLine;
  /** Ends the command as Ctrl-C would. */
  readonly signal: AbortSignal;
  /** Told how it ended. */
  readonly onEnd: (event: RunEvent) => void;
}

/** As many events wait for a reader; a command that says more than anybody reads is ended. */
const MOST_UNREAD = 20_000;
/** As wide as progress is told. */
const COLUMNS = 100;

/** Runs a command, and tells what it says. It goes on when nobody reads, until its signal ends it. */
export function runStream({ person, line, signal, onEnd }: StreamedRun): AsyncIterable<RunEvent> {
  const events = new EventQueue<RunEvent>(MOST_UNREAD);
  const full = new AbortController();
  const told = (type: "out" | "note", text: string) => {
    if (!events.push({ type, line: shownText(text) })) full.abort(new Error("nobody reads what it says"));
  };
  const progress: ShownLines = {
    columns: COLUMNS,
    line: (text) => told("note", text),
    show: (text) =>
      events.replace({ type: "progress", line: shownText(text) }, ({ type }) => type === "progress"),
    clear: () => {},
  };
  const both = AbortSignal.any([signal, full.signal]);
  const ended = outcome(person, line, {
    signal: both,
    out: (text) => told("out", text),
    onPlan: (wants) => void events.push({ type: "plan", ...wants }),
    progress,
  });
  person.during(ended);
  void ended.then((event) => {
    onEnd(event);
    events.end(event);
  });
  return events;
}

async function outcome(
  person: Person,
  { command, given }: AllowedLine,
  shown: Required<Pick<Call, "signal" | "out" | "onPlan" | "progress">>,
): Promise<RunEvent> {
  try {
    const run = await command.load();
    const code = await run(person.call({ signal: shown.signal }, { given, ...shown }));
    if (code === EXIT.done) return { type: "done" };
    return { type: "failed", code, message: `it ended with ${code}: what it said tells why` };
  } catch (error) {
    if (shown.signal.aborted && !(error instanceof CommandProblem))
      return { type: "failed", code: EXIT.interrupted, message: messageOf(shown.signal.reason) };
    const { message, why, fix, code } = explainedError(error);
    return { type: "failed", code, message, ...(why ? { why } : {}), ...(fix ? { fix } : {}) };
  }
}

/** Each on a line of its own. */
export async function* asLines(events: AsyncIterable<RunEvent>): AsyncIterable<string> {
  for await (const event of events) yield `${JSON.stringify(event)}\n`;
}
