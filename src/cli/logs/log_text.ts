import { parseLine } from "../../core/work/mover_report.ts";
import { progressBar } from "../progress_bar.ts";

/** What a person is shown of one line of a mover: a line, or how far it is. */
export type LogText =
  | { readonly line: string; readonly progress?: never }
  | { readonly progress: string; readonly line?: never };

/** Puts a line of a mover's report into words; how far it is, in so many characters. */
export function logText(line: string, room = Number.POSITIVE_INFINITY): LogText {
  const said = parseLine(line);
  if ("progress" in said) {
    const { step } = said.progress;
    return { progress: `${step} ${progressBar(said.progress, { room: room - step.length - 1 })}` };
  }
  if ("log" in said) {
    const { level, message } = said.log;
    return { line: level === "info" ? message : `${level}: ${message}` };
  }
  if ("text" in said) return { line: said.text };
  const { failure, startedAt, endedAt } = said.result;
  if (!failure) return { line: `done: from ${startedAt} to ${endedAt}` };
  return {
    line: `failed (${failure.class}): ${failure.message}${failure.detail ? `\n${failure.detail}` : ""}`,
  };
}
