import { EngineError } from "../../wire/engine_error.ts";
import type { Loss, LossKind } from "../../wire/snapshot.ts";
import { withoutItem } from "./output_line.ts";
import type { AttributeCount } from "./snapshot_record.ts";

const EXAMPLES = 5;

/** The error of a restore that would not bring back attributes. */
export function attributesRefused(what: string, refused: readonly AttributeCount[]): EngineError {
  const kinds = refused.map(({ kind, count }) => `${kind} attributes of ${count} files`).join(", ");
  return new EngineError("PrivilegesNeeded", `${what}: the mover may not set ${kinds}`);
}

const LOSS_KINDS = {
  user: "ExtendedAttribute",
  trusted: "ExtendedAttribute",
  acl: "Acl",
  capability: "FileCapability",
} as const;

/** The same as a loss. */
export function attributeLoss({ kind, count }: AttributeCount): Loss {
  return { kind: LOSS_KINDS[kind], count, examples: [], reason: "the mover may not set it" };
}

/** The first that speaks of a kind counts: others would count the same files again. */
export function mergedLosses(...lists: readonly (readonly Loss[])[]): readonly Loss[] {
  const byKind = new Map<LossKind, Loss>();
  for (const loss of lists.flat()) if (!byKind.has(loss.kind)) byKind.set(loss.kind, loss);
  return [...byKind.values()];
}

/** Losses with those of one more item, which no other counts, but for kinds that were counted before anything was restored. */
export function withLossesOf(
  item: readonly Loss[],
  losses: readonly Loss[],
  before: readonly Loss[],
): readonly Loss[] {
  const more = item.filter(({ kind }) => !before.some((loss) => loss.kind === kind));
  const grown = losses.map((loss) => {
    const count = more.find(({ kind }) => kind === loss.kind)?.count ?? 0;
    return { ...loss, count: loss.count + count };
  });
  return mergedLosses(grown, more);
}

/** What restic says of an item that it could not restore as it was. */
export interface Failure {
  readonly item: string;
  readonly why: string;
}

/** What a failure of this reason costs when the content is there; undefined when it is not. */
export function lossKind(reason: string): LossKind | undefined {
  if (/lchown/.test(reason)) return "Owner";
  if (/security\.capability/.test(reason)) return "FileCapability";
  if (/posix_acl/.test(reason)) return "Acl";
  if (/xattr/i.test(reason)) return "ExtendedAttribute";
  if (/mknod/.test(reason)) return "Device";
  return undefined;
}

/** How many failures are told with their reasons. */
const TOLD = 20;

/** What restic could not restore as it was. Counted as it comes: one reason may be that of a million files. */
export class Failures {
  readonly #byKind = new Map<LossKind, { count: number; readonly examples: string[] }>();
  readonly #serious = new Reasons();
  readonly #others = new Reasons();

  add(failure: Failure): void {
    const reason = withoutItem(failure.why, failure.item);
    const kind = lossKind(reason);
    (kind === undefined ? this.#serious : this.#others).add(failure, reason);
    const counted = this.#byKind.get(kind ?? "Content") ?? { count: 0, examples: [] };
    counted.count += 1;
    if (counted.examples.length < EXAMPLES) counted.examples.push(failure.item);
    this.#byKind.set(kind ?? "Content", counted);
  }

  get count(): number {
    return [...this.#byKind.values()].reduce((sum, { count }) => sum + count, 0);
  }

  /** Those by which content is missing, or else all: at least one with every reason, as long as these are few. */
  get told(): readonly Failure[] {
    return this.isSerious ? this.#serious.failures : this.#others.failures;
  }

  /** Content is missing. */
  get isSerious(): boolean {
    return this.#serious.failures.length > 0;
  }

  /** What they cost. */
  get losses(): readonly Loss[] {
    const reason = "the target's file system or the mover's rights do not allow it";
    return [...this.#byKind].map(([kind, { count, examples }]) => ({ kind, count, examples, reason }));
  }
}

/** The first failures, and the first with any other reason. */
class Reasons {
  readonly failures: Failure[] = [];
  readonly #known = new Set<string>();

  add(failure: Failure, reason: string): void {
    if (this.#known.size >= TOLD) return;
    if (this.#known.has(reason) && this.failures.length >= EXAMPLES) return;
    this.#known.add(reason);
    this.failures.push(failure);
  }
}
