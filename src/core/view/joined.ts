import { type KubeObject, keyOf } from "../../kube/object.ts";
import { PRIME_FOR } from "../volumes/populator/population_marks.ts";
import { CAPTURED_FOR, STAGED_FOR } from "../volumes/staging/staged_marks.ts";
import {
  COVERAGES,
  type Coverage,
  type ProtectionLevel,
  type ProtectionView,
  type SnapshotView,
  type View,
  type ViewPart,
  type VolumeView,
} from "./view.ts";

/** Annotation of a PersistentVolumeClaim, or of its namespace: why it needs no backup. */
export const EXEMPT = "holdfast.dev/exempt";

/** Claims that come and go with runs, and hold copies. */
export function isMachinery({ metadata: { labels = {}, annotations = {} } }: KubeObject): boolean {
  return (
    [STAGED_FOR, PRIME_FOR].some((mark) => mark in labels || mark in annotations) && !(CAPTURED_FOR in labels)
  );
}

/** The newest snapshot that holds all of a volume, is not in doubt, and was not made of what a restore overwrote. */
export function lastGoodOf(snapshots: readonly SnapshotView[]): SnapshotView | undefined {
  return newestOf(
    snapshots.filter(
      ({ incomplete, doubt, beforeRestore }) =>
        incomplete === undefined && doubt === undefined && !beforeRestore,
    ),
  );
}

/** In one pass: there may be many thousands, at every scrape. */
export function newestOf<T extends { readonly at: string }>(all: readonly T[]): T | undefined {
  let [newest, time]: [T | undefined, number] = [undefined, Number.NEGATIVE_INFINITY];
  for (const one of all) {
    const at = Date.parse(one.at);
    if (at > time) [newest, time] = [one, at];
  }
  return newest;
}

export interface ViewOptions {
  readonly claims: readonly KubeObject[];
  /** As far as they may be looked at. */
  readonly namespaces: readonly KubeObject[];
  readonly parts: readonly { readonly api: string; readonly part: ViewPart }[];
}

/** What all APIs say together. */
export function viewOf(options: ViewOptions): View {
  const parts = options.parts.map(({ part }) => part);
  return {
    volumes: volumeViews(options),
    snapshots: () => parts.flatMap((part) => part.snapshots()),
    repositories: parts.flatMap((part) => part.repositories()),
    schedules: parts.flatMap((part) => part.schedules()),
    activity: parts.flatMap((part) => part.activity()),
    problems: parts.flatMap((part) => part.problems()),
    lost: parts.flatMap((part) => part.lost?.() ?? []),
  };
}

/** From the worst to the best. */
const LEVELS: readonly ProtectionLevel[] = ["no", "not yet", "by hand", "elsewhere", "yes"];
const ORDER: readonly VolumeView["protection"][] = [...LEVELS, "exempt", "store"];

const COVERAGE_OF: Readonly<Record<ProtectionLevel, Coverage>> = {
  yes: "protected",
  // Nobody who looks can tell whether anything is due.
  elsewhere: "by_hand",
  "by hand": "by_hand",
  "not yet": "unprotected",
  no: "unprotected",
};

/** Every volume that people care for, with what all APIs say of it, those in danger first. */
export function volumeViews({ claims, namespaces, parts }: ViewOptions): readonly VolumeView[] {
  const stores = new Set(parts.flatMap(({ part }) => [...part.stores]));
  const found = Map.groupBy(
    parts.flatMap(({ api, part }) => part.protections().map((one) => ({ ...one, api }))),
    ({ claim }) => claim,
  );
  const unnamed = parts.flatMap(({ part }) => part.unnamed ?? []).join("; ") || "nothing backs it up";
  const hidden = parts.some(({ part }) => part.hidden);
  const exempted = new Map(namespaces.map(({ metadata }) => [metadata.name, exemptionOf(metadata)]));
  return claims
    .filter((claim) => !isMachinery(claim))
    .map(({ metadata }): VolumeView => {
      const { namespace = "", name } = metadata;
      const key = keyOf({ namespace, name });
      if (stores.has(key)) return { namespace, name, protection: "store", by: [], wrong: [] };
      const exempt = exemptionOf(metadata) ?? exempted.get(namespace);
      return { namespace, name, ...joined(found.get(key) ?? [], { unnamed, exempt, hidden }) };
    })
    .toSorted(
      (a, b) => ORDER.indexOf(a.protection) - ORDER.indexOf(b.protection) || keyOf(a).localeCompare(keyOf(b)),
    );
}

function exemptionOf({ annotations }: KubeObject["metadata"]): string | undefined {
  return annotations?.[EXEMPT];
}

/** The best protection counts, and what is wrong with any is told. An exemption matters where there is none. */
function joined(
  all: readonly (ProtectionView & { readonly api: string })[],
  {
    unnamed,
    exempt,
    hidden,
  }: { readonly unnamed: string; readonly exempt: string | undefined; readonly hidden: boolean },
): Omit<VolumeView, "namespace" | "name"> {
  const rank = ({ level }: ProtectionView) => LEVELS.indexOf(level);
  const best = all.toSorted((a, b) => rank(b) - rank(a))[0];
  const level = best?.level ?? "no";
  const lastGood = newestOf(all.flatMap((one) => one.lastGood ?? []));
  const nextRun = all
    .flatMap((one) => one.nextRun ?? [])
    .toSorted((a, b) => Date.parse(a) - Date.parse(b))[0];
  const isExempt = exempt !== undefined && COVERAGE_OF[level] === "unprotected";
  return {
    protection: isExempt ? "exempt" : level,
    coverage: isExempt ? "exempt" : COVERAGE_OF[level],
    ...(isExempt ? { exempt } : {}),
    ...(hidden && level === "no" && !isExempt ? { unseen: true } : {}),
    by: all.flatMap(({ api, by }) => by.map((object) => ({ api, ...object }))),
    ...(lastGood ? { lastGood } : {}),
    ...(nextRun ? { nextRun } : {}),
    ...(best?.scheduledBy ? { scheduledBy: best.scheduledBy } : {}),
    wrong: [...all.flatMap(({ wrong }) => wrong), ...(level === "no" && !isExempt ? [unnamed] : [])],
  };
}

/** How many volumes count as what: every one of the words is there. */
export function coverageCounts(volumes: readonly VolumeView[]): Readonly<Record<Coverage, number>> {
  const counts = COVERAGES.map(
    (coverage) => [coverage, volumes.filter((volume) => volume.coverage === coverage).length] as const,
  );
  return Object.fromEntries(counts) as Record<Coverage, number>;
}
