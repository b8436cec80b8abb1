import type { Problem } from "../../../../src/cli/console/contract.ts";
import type { LostView } from "../../../../src/core/view/view.ts";

/** A lost PVC on its way back. */
export interface Rescue {
  readonly lost: LostView;
  readonly phase: "waiting" | "running" | "done" | "failed" | "left";
  /** Of this one, where it runs. */
  readonly percent?: number | undefined;
  /** What it does now, or came to. */
  readonly says?: string | undefined;
  readonly problem?: Problem | undefined;
}

export const ORDERS = [
  ["name", "By name"],
  ["small", "Smallest first"],
  ["large", "Largest first"],
  ["new", "Newest backup first"],
] as const;
export type Order = (typeof ORDERS)[number][0];

/** In the order in which they are to be back. Those of unknown size come last. */
export function ordered(lost: readonly LostView[], order: Order): readonly LostView[] {
  const size = ({ lastGood }: LostView, unknown: number) => lastGood.bytes ?? unknown;
  const by: Readonly<Record<Order, (a: LostView, b: LostView) => number>> = {
    name: () => 0,
    small: (a, b) => size(a, Number.MAX_SAFE_INTEGER) - size(b, Number.MAX_SAFE_INTEGER),
    large: (a, b) => size(b, -1) - size(a, -1),
    new: (a, b) => Date.parse(b.lastGood.at) - Date.parse(a.lastGood.at),
  };
  return lost.toSorted((a, b) => by[order](a, b) || a.claim.localeCompare(b.claim));
}

/** By namespace, in the order of their names. */
export function byNamespace(lost: readonly LostView[]): ReadonlyMap<string, readonly LostView[]> {
  const found = Map.groupBy(lost, ({ claim }) => claim.split("/")[0] ?? "");
  return new Map([...found].toSorted(([a], [b]) => a.localeCompare(b)));
}

/** The command that was given, in words, and where it runs. */
export function lineOf({ restore, claim }: LostView): {
  readonly namespace: string;
  readonly words: readonly string[];
} {
  const words = restore.split(/\s+/).filter(Boolean).slice(1);
  const at = words.findIndex((word) => word === "-n" || word === "--namespace");
  if (at < 0) return { namespace: claim.split("/")[0] ?? "", words };
  return { namespace: words[at + 1] ?? "", words: words.toSpliced(at, 2) };
}

export interface Overall {
  /** 0 to 100. */
  readonly percent: number;
  readonly done: number;
  readonly failed: number;
  readonly all: number;
  /** Milliseconds, as far as they can be told. */
  readonly left?: number | undefined;
}

/** Too little was seen before this to tell a time, as a share of all. */
const SOONEST = 0.02;

/** How far all of them are together, by bytes. One of unknown size counts as much as the others on average. */
export function overallOf(rescues: readonly Rescue[], elapsed: number): Overall {
  const known = rescues.flatMap(({ lost }) => lost.lastGood.bytes ?? []);
  const average = known.length === 0 ? 1 : known.reduce((sum, one) => sum + one, 0) / known.length;
  // Each takes some time besides its bytes.
  const weight = ({ lost }: Rescue) => (lost.lastGood.bytes ?? average) + 2 ** 20;
  const total = rescues.reduce((sum, one) => sum + weight(one), 0);
  const share = (test: (one: Rescue) => number) =>
    total === 0 ? 0 : rescues.reduce((sum, one) => sum + weight(one) * test(one), 0) / total;
  const over = share(({ phase, percent = 0 }) => OVER[phase] ?? percent / 100);
  const worked = share(({ phase, percent = 0 }) =>
    phase === "done" ? 1 : phase === "running" ? percent / 100 : 0,
  );
  const open = rescues.some(({ phase }) => phase === "running" || phase === "waiting");
  return {
    percent: open ? Math.min(99, Math.floor(over * 100)) : 100,
    done: count(rescues, "done"),
    failed: count(rescues, "failed"),
    all: rescues.length,
    ...(open && worked >= SOONEST ? { left: (elapsed / worked) * (1 - over) } : {}),
  };
}

/** Nothing more is done for these. */
const OVER: Readonly<Partial<Record<Rescue["phase"], number>>> = { done: 1, failed: 1, left: 1, waiting: 0 };

function count(rescues: readonly Rescue[], phase: Rescue["phase"]): number {
  return rescues.filter((one) => one.phase === phase).length;
}
