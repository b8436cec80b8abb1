import { forbidden, notSupported, type Problem } from "../../kube/schema/problem.ts";
import { invalidOptions, Refusal } from "./refusal.ts";

/** The options of a list or a watch, as they came. */
export interface ListOptions {
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: string | undefined;
  readonly continue?: string | undefined;
  readonly sendInitialEvents?: boolean | undefined;
}

const MATCH = "resourceVersionMatch";

/** Throws a Refusal when the options of a list contradict each other. */
export function checkListOptions(options: ListOptions): void {
  const { resourceVersion, resourceVersionMatch: match, sendInitialEvents } = options;
  const problems: Problem[] = [];
  if (match) {
    if (!resourceVersion) {
      problems.push(forbidden(MATCH, `${MATCH} is forbidden unless resourceVersion is provided`));
    }
    if (options.continue) problems.push(forbidden(MATCH, `${MATCH} is forbidden when continue is provided`));
    if (match !== "Exact" && match !== "NotOlderThan") {
      problems.push(notSupported(MATCH, match, ["Exact", "NotOlderThan", ""]));
    }
    if (match === "Exact" && resourceVersion === "0") {
      problems.push(forbidden(MATCH, `${MATCH} "exact" is forbidden for resourceVersion "0"`));
    }
  }
  if (sendInitialEvents !== undefined) {
    problems.push(forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  refuse(problems);
}

/** Throws a Refusal when the options of a watch contradict each other. */
export function checkWatchOptions(options: ListOptions): void {
  const { resourceVersionMatch: match, sendInitialEvents } = options;
  const problems: Problem[] = [];
  if (sendInitialEvents !== undefined && match !== "NotOlderThan") {
    problems.push(forbidden(MATCH, `sendInitialEvents requires setting ${MATCH} to NotOlderThan`));
  }
  if (match && sendInitialEvents === undefined) {
    problems.push(forbidden(MATCH, `${MATCH} is forbidden for watch unless sendInitialEvents is provided`));
  }
  if (match && match !== "NotOlderThan") problems.push(notSupported(MATCH, match, ["NotOlderThan"]));
  if (options.continue) problems.push(forbidden(MATCH, `${MATCH} is forbidden when continue is provided`));
  refuse(problems);
}

function refuse(problems: readonly Problem[]): void {
  if (problems.length > 0) throw invalidOptions("ListOptions", ...problems);
}

/** What is wrong with a resourceVersion; undefined when it is one. */
export function versionProblem(text: string): string | undefined {
  if (/^\d+$/.test(text)) return undefined;
  const shown = JSON.stringify(text);
  return `resourceVersion: Invalid value: ${shown}: strconv.ParseUint: parsing ${shown}: invalid syntax`;
}

/** The client knows a version that this server does not have yet. */
export function tooLargeVersion(version: string, current: number): Refusal {
  const cause = { reason: "ResourceVersionTooLarge", message: "Too large resource version" };
  return new Refusal(504, "Timeout", `Timeout: ${cause.message}: ${version}, current: ${current}`, {
    causes: [cause],
    retryAfterSeconds: 1,
  });
}
