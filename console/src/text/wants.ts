import type { ConsoleView, FailedRun } from "../../../src/cli/console/contract.ts";
import type { ObjectRef } from "../../../src/core/view/shown_object.ts";
import type { LostView, VolumeView } from "../../../src/core/view/view.ts";

/** Something that wants a person, with the reason. The smaller its rank, the worse. */
export interface Want {
  readonly kind: "lost" | "volume" | "problem";
  readonly rank: number;
  readonly title: string;
  readonly why: string;
  readonly fix?: string | undefined;
  readonly volume?: VolumeView;
  readonly lost?: LostView;
  readonly object?: ObjectRef;
}

const RANKS: Readonly<Partial<Record<VolumeView["protection"], number>>> = {
  no: 1,
  "not yet": 2,
};
const REASONS: Readonly<Partial<Record<VolumeView["protection"], string>>> = {
  no: "Nothing backs it up. Its data would be gone with it.",
  "not yet": "Backups are asked for, and none has succeeded.",
};

/** Whether a volume wants a person. */
export function isWanting({ protection, wrong }: Pick<VolumeView, "protection" | "wrong">): boolean {
  return wrong.length > 0 || protection in RANKS;
}

/** All that wants a person, worst first. */
export function wants(view: Pick<ConsoleView, "volumes" | "problems" | "lost">): readonly Want[] {
  const lost = view.lost.map(
    (lost): Want => ({
      kind: "lost",
      rank: 0,
      title: lost.claim,
      why: "The PersistentVolumeClaim is gone. Its last good backup is still there.",
      fix: lost.restore,
      lost,
    }),
  );
  const problems = view.problems.map(
    ({ object, why, remedy }): Want => ({
      kind: "problem",
      rank: 3,
      title: `${object.kind} ${object.namespace ? `${object.namespace}/` : ""}${object.name}`,
      why,
      fix: remedy,
      object,
    }),
  );
  const volumes = view.volumes.filter(isWanting).map(
    (volume): Want => ({
      kind: "volume",
      rank: RANKS[volume.protection] ?? 4,
      title: `${volume.namespace}/${volume.name}`,
      why: volume.wrong.join(" ") || (REASONS[volume.protection] ?? ""),
      volume,
    }),
  );
  return [...lost, ...volumes, ...problems].sort((a, b) => a.rank - b.rank || a.title.localeCompare(b.title));
}

/** Failures that the list of what wants a person does not name already. */
export function otherFailures(
  failures: readonly FailedRun[],
  problems: ConsoleView["problems"],
): readonly FailedRun[] {
  const key = ({ kind, namespace, name }: ObjectRef) => `${kind}/${namespace}/${name}`;
  const named = new Set(problems.map(({ object }) => key(object)));
  return failures.filter(({ object }) => !named.has(key(object)));
}
