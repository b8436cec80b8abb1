import type { MissingData } from "../../wire/missing.ts";
import type { Answer, CheckAnswer, Result } from "../../wire/report.ts";
import type { Loss, MadeSnapshot } from "../../wire/snapshot.ts";

/** What the kubelet keeps of a termination message, in bytes. */
export const TERMINATION_LIMIT = 4096;

type Shorten = (result: Result) => Result;

/** From what is least missed to what is most. */
const STEPS: readonly Shorten[] = [
  inAnswer({ sizes: false }),
  inAnswer({ losses: (losses) => losses.map((loss) => ({ ...loss, examples: [] })), texts: () => [] }),
  inFailure(({ detail, ...rest }) => ({ ...rest, ...(detail ? { detail: detail.slice(-256) } : {}) })),
  inFailure(({ detail: _, ...rest }) => rest),
  inAnswer({ problems: (problems) => problems.slice(0, 3).map((problem) => clip(problem, 200)) }),
  inAnswer({ snapshot: (one) => without(without(one, "owners"), "folders") }),
  inAnswer({ snapshot: (one) => ({ ...one, tags: {} }) }),
  ({ warnings: _, ...rest }) => rest,
  // That something is lost stays to the end.
  ...[60, 16].map((length) =>
    inAnswer({ losses: (losses) => losses.map((loss) => ({ ...loss, reason: clip(loss.reason, length) })) }),
  ),
  // Whoever reads it asks the repository for what a list of snapshots lacks.
  ...[10, 5, 2, 1].map((listed) => inAnswer({ listed })),
  inFailure((failure) => ({
    ...failure,
    message: clip(failure.message, 1000),
    remedy: clip(failure.remedy, 300),
  })),
  inAnswer({ problems: () => [], listed: 0 }),
  ({ answer: _, ...rest }) => rest,
  inFailure((failure) => ({
    ...failure,
    message: clip(failure.message, 200),
    remedy: clip(failure.remedy, 100),
  })),
  (result) => ({ ...result, run: clip(result.run, 256) }),
];

/** The result as a termination message: whole when it fits, otherwise with less and less of the details. */
export function terminationMessage(result: Result, limit = TERMINATION_LIMIT): string {
  let text = JSON.stringify(result);
  let short: Result = { ...result, shortened: true };
  for (const step of STEPS) {
    if (Buffer.byteLength(text) <= limit) return text;
    short = step(short);
    text = JSON.stringify(short);
  }
  return text;
}

interface AnswerChanges {
  readonly losses?: (losses: readonly Loss[]) => readonly Loss[];
  /** The names of files that could not be read, or are hit. */
  readonly texts?: (texts: readonly string[]) => readonly string[];
  readonly problems?: (problems: readonly string[]) => readonly string[];
  readonly snapshot?: <One extends MadeSnapshot>(snapshot: One) => One;
  /** Whether a list keeps the sizes of what it does not hold. Default true. */
  readonly sizes?: boolean;
  /** How many snapshots a list keeps. */
  readonly listed?: number;
}

function inAnswer(changes: AnswerChanges): Shorten {
  return ({ answer, ...rest }) =>
    answer === undefined ? rest : { ...rest, answer: changed(answer, changes) };
}

function changed(answer: Answer, changes: AnswerChanges): Answer {
  const same = <T>(value: T) => value;
  const {
    losses = same,
    texts = same,
    problems = same,
    snapshot = same,
    sizes = true,
    listed = Number.POSITIVE_INFINITY,
  } = changes;
  if ("snapshot" in answer) {
    const snapshots = answer.snapshot.snapshots.slice(0, listed).map((one) => ({
      ...one,
      snapshot: snapshot(one.snapshot),
      losses: losses(one.losses),
      unreadable: texts(one.unreadable),
    }));
    return { snapshot: { snapshots } };
  }
  if ("restore" in answer) {
    const { restore } = answer;
    return { restore: { ...restore, snapshot: snapshot(restore.snapshot), losses: losses(restore.losses) } };
  }
  if ("catalog" in answer) {
    const { catalog } = answer;
    const { older, ...rest } = catalog;
    const snapshots = catalog.snapshots.slice(0, listed).map(snapshot);
    return { catalog: { ...rest, ...(older && sizes ? { older } : {}), snapshots } };
  }
  const less = (check: CheckAnswer): CheckAnswer => ({
    ...check,
    problems: problems(check.problems),
    ...(check.missing ? { missing: lessMissing(check.missing, { texts, listed }) } : {}),
  });
  if ("check" in answer) return { check: less(answer.check) };
  if ("maintain" in answer && answer.maintain.check)
    return { maintain: { ...answer.maintain, check: less(answer.maintain.check) } };
  if ("verify" in answer) return { verify: { ...answer.verify, problems: problems(answer.verify.problems) } };
  return answer;
}

/** How many are hit stays to the end. */
function lessMissing(
  missing: MissingData,
  { texts, listed }: Required<Pick<AnswerChanges, "texts" | "listed">>,
): MissingData {
  const hit = missing.hit.slice(0, listed).map((one) => ({ ...one, examples: texts(one.examples) }));
  return { ...missing, hit };
}

function without<One extends object>(one: One, key: keyof MadeSnapshot): One {
  return Object.fromEntries(Object.entries(one).filter(([name]) => name !== key)) as One;
}

function inFailure(change: (failure: NonNullable<Result["failure"]>) => Result["failure"]): Shorten {
  return ({ failure, ...rest }) => {
    const less = failure && change(failure);
    return less === undefined ? rest : { ...rest, failure: less };
  };
}

function clip(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
}
