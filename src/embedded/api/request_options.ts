import { forbidden, notSupported, type Problem, required, tooLong } from "../../kube/schema/problem.ts";
import type { FieldValidation } from "./decode.ts";
import { badRequest, invalidOptions, Refusal } from "./refusal.ts";

/** The options of a write, out of its query. */
export interface WriteQuery {
  readonly dryRun: boolean;
  readonly manager: string;
  readonly fieldValidation: FieldValidation;
  readonly force: boolean;
}

const LONGEST_MANAGER = 128;
const VALIDATIONS: readonly string[] = ["Ignore", "Strict", "Warn"] satisfies FieldValidation[];

/** `kind` is the name of the options; only PatchOptions know of `force`. `apply` says whether the request is one. */
export function writeQuery(
  query: URLSearchParams,
  userAgent: string | undefined,
  kind: "CreateOptions" | "UpdateOptions" | "PatchOptions",
  apply: boolean,
): WriteQuery {
  const problems: Problem[] = [];
  const dryRun = query.getAll("dryRun").filter((value) => value !== "");
  if (dryRun.some((value) => value !== "All")) problems.push(notSupported("dryRun", dryRun, ["All"]));
  const fieldValidation = query.get("fieldValidation") || "Warn";
  if (!VALIDATIONS.includes(fieldValidation)) {
    problems.push(notSupported("fieldValidation", fieldValidation, ["", ...VALIDATIONS]));
  }
  const fieldManager = query.get("fieldManager") ?? "";
  if (fieldManager.length > LONGEST_MANAGER) problems.push(tooLong("fieldManager", LONGEST_MANAGER));
  if (apply && !fieldManager) problems.push(required("fieldManager", "is required for apply patch"));
  const force = kind === "PatchOptions" && (boolean(query, "force") ?? false);
  if (force && !apply) problems.push(forbidden("force", "may not be specified for non-apply patch"));
  if (problems.length > 0) throw invalidOptions(kind, ...problems);
  return {
    dryRun: dryRun.length > 0,
    manager: fieldManager || managerOf(userAgent),
    fieldValidation: fieldValidation as FieldValidation,
    force,
  };
}

/** A client that does not name itself is known by its program. */
function managerOf(userAgent: string | undefined): string {
  return userAgent?.split("/", 1)[0]?.slice(0, LONGEST_MANAGER) || "unknown";
}

/** A number of the query; undefined when it is not there. */
export function integer(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (!text) return undefined;
  if (/^[+-]?\d+$/.test(text)) return Number(text);
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}

/** A switch of the query, as Go reads one; undefined when it is not there. */
export function boolean(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  return !["false", "0", "f", "F", "FALSE", "False"].includes(text);
}

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
