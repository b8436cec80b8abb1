import { API_VERSION } from "../../kinds/kopiur/group.ts";
import type { KubeObject } from "../../kube/object.ts";
import { VOLSYNC_HOST, VOLSYNC_PATH } from "../../wire/volsync.ts";
import type { Ledger } from "./ledger.ts";
import type { Identity, KnownRecipe, Migrated } from "./migrated_source.ts";
import { defined, moverSettings } from "./mover_settings.ts";
import type { Mover } from "./volsync.ts";

export interface DestinationPlace {
  readonly mover: Mover;
  readonly repository: string;
  /** The recipes whose backups are in that repository, as far as they are known. */
  readonly recipes: readonly KnownRecipe[];
}

/** The Restore that stands for a ReplicationDestination: of its name, so that claims that name it can go on. */
export function migratedDestination(
  { metadata }: KubeObject,
  ledger: Ledger,
  { mover, repository, recipes }: DestinationPlace,
): Migrated {
  const base = `spec.${mover}`;
  const { name, namespace = "default" } = metadata;
  const point = defined({
    asOf: ledger.take(`${base}.restoreAsOf`, "Restore source …asOf"),
    offset: ledger.take(`${base}.previous`, "Restore source …offset"),
  });
  const { source, guessed } = sourceOf(ledger, { mover, base, namespace, name, recipes, point });
  const settings = moverSettings(ledger, base);
  const target = targetOf(ledger, base, name);
  const deletes =
    ledger.take(`${base}.enableFileDeletion`, "Restore spec.options.enableFileDeletion") === true;
  ledger.lose(
    "spec.trigger",
    "a Restore runs once, and for each new claim that names it: make another to restore again",
  );
  ledger.lose("spec.paused", "apply the Restore when it is wanted");
  ledger.lose(`${base}.cleanupCachePVC`, "a cache goes with its pod");
  ledger.lose(`${base}.cleanupTempPVC`, "what is made on the way is always removed");
  ledger.lose(`${base}.policyConfig`, "write what it says as spec.policy of the BackupConfig");
  ledger.lose(`${base}.additionalArgs`, "a Restore has options of its own: see spec.options");
  ledger.lose("spec.external", "another program did this work");
  ledger.lose(`${base}.shallow`, "everything is restored: name a path with spec.options.path");
  ledger.lose(
    `${base}.volumeSnapshotClassName`,
    "a new claim gets its data directly, without a snapshot in between",
  );
  const spec = {
    repository: { kind: "Repository", name: repository },
    source,
    ...(target ? { target } : {}),
    ...optionsOf(target, deletes),
    // Snapshots from before the migration are of another user name there: a volume must not stay empty for that.
    ...(mover === "restic" ? { policy: { onMissingSnapshot: "Fail" } } : {}),
    ...(settings ? { mover: settings } : {}),
  };
  return {
    manifests: [{ apiVersion: API_VERSION, kind: "Restore", metadata: { namespace, name }, spec }],
    notes: [...(guessed ? [guessed] : []), ...targetNotes(target)],
  };
}

/** Nobody asked now for data that is there to be written over. */
function optionsOf(target: Target | undefined, deletes: boolean): object {
  const options = {
    ...(target && "pvcRef" in target ? { existingFiles: "Refuse" } : {}),
    ...(deletes ? { enableFileDeletion: true } : {}),
  };
  return Object.keys(options).length > 0 ? { options } : {};
}

function targetNotes(target: Target | undefined): readonly string[] {
  if (!target) return [];
  return [
    "its Restore writes as soon as it is applied: --apply leaves it out, apply it when it is wanted.",
    ...("pvcRef" in target
      ? [
          `it refuses a volume that is not empty: set spec.options.existingFiles where ${target.pvcRef.name} may be written over.`,
        ]
      : []),
  ];
}

interface SourceFacts {
  readonly mover: Mover;
  readonly base: string;
  readonly namespace: string;
  readonly name: string;
  readonly recipes: readonly KnownRecipe[];
  readonly point: object;
}

/** Where its data comes from; where that is not certain, with a note. */
function sourceOf(
  ledger: Ledger,
  { mover, base, namespace, name, recipes, point }: SourceFacts,
): { readonly source: object; readonly guessed?: string } {
  const part = (own: "username" | "hostname", ofSource: "sourceName" | "sourceNamespace") => {
    const became = `Restore source.identity.${own}`;
    const said = ledger.text(`${base}.${own}`, became);
    if (said === undefined) return ledger.text(`${base}.sourceIdentity.${ofSource}`, became);
    ledger.lose(`${base}.sourceIdentity.${ofSource}`, `the ${own} beside it counts`);
    return said;
  };
  const username = part("username", "sourceName");
  const hostname = part("hostname", "sourceNamespace");
  const path = ledger.text(`${base}.sourceIdentity.sourcePathOverride`, "Restore source.identity.sourcePath");
  ledger.lose(`${base}.sourceIdentity.sourcePVCName`, "the identity does not depend on it here");
  const identity: Identity = {
    username: username ?? name,
    hostname: hostname ?? (mover === "restic" ? VOLSYNC_HOST : namespace),
    sourcePath: path ?? VOLSYNC_PATH,
  };
  const source = { identity: { ...identity, ...point } };
  if (username !== undefined) return { source };
  // Of several recipes in one repository, none is known to be the one that is meant.
  const [only] = recipes;
  if (only && recipes.length === 1 && (mover === "restic" || isSame(only, identity)))
    return { source: { fromConfig: { name: only.config, ...point } } };
  const text = `${identity.username}@${identity.hostname}:${identity.sourcePath}`;
  const why =
    recipes.length > 1
      ? `${recipes.map(({ config }) => config).join(", ")} share its repository`
      : "no ReplicationSource that is known writes there under that identity";
  const guessed = `its Restore brings back ${text}, as ${why}: check that this is what it should bring back, or name a Backup in spec.source.backupRef.`;
  return { source, guessed };
}

function isSame(one: Identity, other: Identity): boolean {
  return (
    one.username === other.username && one.hostname === other.hostname && one.sourcePath === other.sourcePath
  );
}

type Target = { readonly pvcRef: { readonly name: string } } | { readonly pvc: object };

/** With a claim of its own it is restored into that; else claims name it as their data source, as they did before. */
function targetOf(ledger: Ledger, base: string, name: string): Target | undefined {
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
