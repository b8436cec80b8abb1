import { API_VERSION } from "../../kinds/kopiur/group.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Ledger } from "./ledger.ts";
import type { Manifest } from "./migrated_source.ts";
import { defined, moverSettings } from "./mover_settings.ts";
import { type Mover, VOLSYNC_PATH } from "./volsync.ts";

export interface DestinationPlace {
  readonly mover: Mover;
  readonly repository: string;
  /** The recipe whose backups are in that repository, where one is known. */
  readonly config?: string | undefined;
}

/** The Restore that stands for a ReplicationDestination: of its name, so that claims that name it can go on. */
export function migratedDestination(
  { metadata }: KubeObject,
  ledger: Ledger,
  { mover, repository, config }: DestinationPlace,
): readonly Manifest[] {
  const base = `spec.${mover}`;
  const namespace = metadata.namespace ?? "default";
  const point = defined({
    asOf: ledger.take(`${base}.restoreAsOf`, "Restore source …asOf"),
    offset: ledger.take(`${base}.previous`, "Restore source …offset"),
  });
  const source = sourceOf(ledger, { mover, base, namespace, name: metadata.name, config, point });
  const settings = moverSettings(ledger, base);
  const target = targetOf(ledger, base, metadata.name);
  const deletes =
    ledger.take(`${base}.enableFileDeletion`, "Restore spec.options.enableFileDeletion") === true;
  ledger.lose(
    "spec.trigger",
    "a Restore runs once, and for each new claim that names it: make another to restore again",
  );
  ledger.lose("spec.paused", "apply the Restore when it is wanted");
  ledger.lose(`${base}.cleanupCachePVC`, "a cache goes with its pod");
  ledger.lose(`${base}.cleanupTempPVC`, "what is made on the way is always removed");
  ledger.lose(`${base}.shallow`, "everything is restored: name a path with spec.options.path");
  ledger.lose(
    `${base}.volumeSnapshotClassName`,
    "a new claim gets its data directly, without a snapshot in between",
  );
  const spec = {
    repository: { kind: "Repository", name: repository },
    source,
    ...(target ? { target } : {}),
    ...(deletes ? { options: { enableFileDeletion: true } } : {}),
    ...(settings ? { mover: settings } : {}),
  };
  return [{ apiVersion: API_VERSION, kind: "Restore", metadata: { namespace, name: metadata.name }, spec }];
}

interface SourceFacts {
  readonly mover: Mover;
  readonly base: string;
  readonly namespace: string;
  readonly name: string;
  readonly config: string | undefined;
  readonly point: object;
}

function sourceOf(ledger: Ledger, { mover, base, namespace, name, config, point }: SourceFacts): object {
  const username =
    ledger.text(`${base}.username`, "Restore source.identity.username") ??
    ledger.text(`${base}.sourceIdentity.sourceName`, "Restore source.identity.username");
  const hostname =
    ledger.text(`${base}.hostname`, "Restore source.identity.hostname") ??
    ledger.text(`${base}.sourceIdentity.sourceNamespace`, "Restore source.identity.hostname");
  const path = ledger.text(`${base}.sourceIdentity.sourcePathOverride`, "Restore source.identity.sourcePath");
  ledger.lose(`${base}.sourceIdentity.sourcePVCName`, "the identity does not depend on it here");
  if (mover === "restic" || (config !== undefined && username === undefined)) {
    return { fromConfig: { name: config ?? name, ...point } };
  }
  const identity = {
    username: username ?? name,
    hostname: hostname ?? namespace,
    sourcePath: path ?? VOLSYNC_PATH,
  };
  return { identity: { ...identity, ...point } };
}

/** With a claim of its own it is restored into that; else claims name it as their data source, as they did before. */
function targetOf(ledger: Ledger, base: string, name: string): object | undefined {
  const copyMethod = ledger.text(`${base}.copyMethod`, "Restore spec.target");
  const claim = ledger.text(`${base}.destinationPVC`, "Restore spec.target.pvcRef.name");
  const capacity = ledger.take(`${base}.capacity`, "Restore spec.target.pvc.capacity");
  const accessModes = ledger.take(`${base}.accessModes`, "Restore spec.target.pvc.accessModes");
  const storageClassName = ledger.take(
    `${base}.storageClassName`,
    "Restore spec.target.pvc.storageClassName",
  );
  if (claim !== undefined) return { pvcRef: { name: claim } };
  // With a snapshot as its outcome, it is there to be named by claims.
  if (copyMethod !== "Direct" || capacity === undefined) return undefined;
  return {
    pvc: { name, capacity, ...defined({ storageClassName }), accessModes: accessModes ?? ["ReadWriteOnce"] },
  };
}
