import { API_VERSION } from "../../kinds/kopiur/group.ts";
import { type KubeObject, keyOf } from "../../kube/object.ts";
import { type Account, Ledger } from "./ledger.ts";
import { migratedDestination } from "./migrated_destination.ts";
import { type DeletionPolicy, type KnownRecipe, type Manifest, migratedSource } from "./migrated_source.ts";
import { type AddressSettings, backendOf } from "./repository_address.ts";
import { isOf, type Mover, moverOf, ReplicationDestinations, ReplicationSources } from "./volsync.ts";

/** What is migrated: objects of VolSync's, and where their repositories are. */
export interface MigrationInput {
  readonly objects: readonly KubeObject[];
  /** By namespace/name of the Secret. */
  readonly addresses: ReadonlyMap<string, AddressSettings>;
  /** Of the BackupConfigs. Default `Retain`: deleting an object of VolSync's never deleted a snapshot either. */
  readonly deletionPolicy?: DeletionPolicy;
}

export interface Migration {
  readonly manifests: readonly Manifest[];
  /** What became of every field, by object. */
  readonly accounts: readonly { readonly object: string; readonly fields: readonly Account[] }[];
  /** What somebody must see to, a sentence each. */
  readonly notes: readonly string[];
}

const PASSWORD: Readonly<Record<Mover, string>> = { restic: "RESTIC_PASSWORD", kopia: "KOPIA_PASSWORD" };

/** Translates ReplicationSources and ReplicationDestinations. Repositories are adopted where they are. Pure. */
export function migrate({ objects, addresses, deletionPolicy = "Retain" }: MigrationInput): Migration {
  const manifests = new Map<string, Manifest>();
  const accounts: { object: string; fields: readonly Account[] }[] = [];
  const notes: string[] = [];
  const add = (manifest: Manifest) => manifests.set(`${manifest.kind}/${keyOf(manifest.metadata)}`, manifest);
  const recipes = new Map<string, KnownRecipe[]>();
  // Sources first: a destination may be about the backups of one.
  const ordered = [
    ...objects.filter((object) => isOf(ReplicationSources, object)),
    ...objects.filter((object) => isOf(ReplicationDestinations, object)),
  ];
  for (const object of ordered) {
    const name = `${object.kind} ${keyOf(object.metadata)}`;
    const mover = moverOf(object);
    if (!mover) {
      notes.push(
        `${name} is not migrated: it keeps no backups (only restic and kopia do), it copies to another place.`,
      );
      continue;
    }
    const ledger = new Ledger(object);
    const namespace = object.metadata.namespace ?? "default";
    const secret =
      ledger.text(`spec.${mover}.repository`, "Repository spec.encryption and spec.backend") ?? "";
    const key = keyOf({ namespace, name: secret });
    const repository = repositoryOf(ledger, { mover, namespace, secret, address: addresses.get(key) });
    if ("note" in repository) notes.push(`${name}: ${repository.note}`);
    if ("manifest" in repository) add(repository.manifest);
    const known = recipes.get(key) ?? [];
    const made = isOf(ReplicationSources, object)
      ? migratedSource(object, ledger, { mover, repository: secret, deletionPolicy })
      : migratedDestination(object, ledger, { mover, repository: secret, recipes: known });
    for (const manifest of made.manifests) add(manifest);
    notes.push(...made.notes.map((note) => `${name}: ${note}`));
    if (made.recipe)
      recipes.set(key, [...known.filter(({ config }) => config !== object.metadata.name), made.recipe]);
    accounts.push({ object: name, fields: ledger.accounts() });
  }
  const first = recipes.size > 0 ? [ON_DELETION[deletionPolicy]] : [];
  return { manifests: [...manifests.values()], accounts, notes: [...first, ...notes, ...closing(ordered)] };
}

/** VolSync's objects never deleted a snapshot when they went: whoever comes from there has to know it first. */
const ON_DELETION: Readonly<Record<DeletionPolicy, string>> = {
  Retain:
    "Deleting a Backup keeps its snapshots, as with VolSync: the BackupConfigs say defaultDeletionPolicy: Retain. Retention then deletes Backups, keeps their snapshots and frees no space; set Delete when it is to free it.",
  Orphan:
    "Deleting a Backup keeps its snapshots, as with VolSync: the BackupConfigs say defaultDeletionPolicy: Orphan. Retention then deletes Backups, keeps their snapshots and frees no space; set Delete when it is to free it.",
  Delete:
    "Deleting a Backup deletes its snapshots in the repository, which VolSync never did: the BackupConfigs say defaultDeletionPolicy: Delete.",
};

interface RepositoryFacts {
  readonly mover: Mover;
  readonly namespace: string;
  readonly secret: string;
  readonly address: AddressSettings | undefined;
}

function repositoryOf(
  ledger: Ledger,
  { mover, namespace, secret, address }: RepositoryFacts,
): { readonly manifest: Manifest; readonly note?: string } | { readonly note: string } {
  const map = ledger.text(
    `spec.${mover}.customCA.configMapName`,
    "Repository spec.backend.….tls.caBundleRef",
  );
  const caKey = ledger.text(`spec.${mover}.customCA.key`, "Repository spec.backend.….tls.caBundleRef.key");
  ledger.lose(`spec.${mover}.customCA.secretName`, "put the certificate into a ConfigMap: it is no secret");
  const claim = ledger.text(`spec.${mover}.repositoryPVC`, "Repository spec.backend.filesystem.pvc.name");
  const base = { apiVersion: API_VERSION, kind: "Repository", metadata: { namespace, name: secret } };
  const common = {
    engine: mover,
    encryption: { passwordSecretRef: { name: secret, key: PASSWORD[mover] } },
    // It is there: nothing may be created beside it by mistake.
    create: { enabled: false },
  };
  if (claim)
    return { manifest: { ...base, spec: { ...common, backend: { filesystem: { pvc: { name: claim } } } } } };
  if (!address)
    return {
      note: `its Secret ${namespace}/${secret} is not at hand, so the Repository ${secret} must be written by hand.`,
    };
  const backend = backendOf(address, secret);
  if (!backend.ok) return { note: `${backend.error}, so the Repository ${secret} must be written by hand.` };
  const tls = map ? { caBundleRef: { configMapName: map, ...(caKey ? { key: caKey } : {}) } } : undefined;
  return {
    manifest: { ...base, spec: { ...common, backend: tls ? withTls(backend.value, tls) : backend.value } },
  };
}

function withTls(backend: object, tls: object): object {
  return Object.fromEntries(Object.entries(backend).map(([kind, place]) => [kind, { ...place, tls }]));
}

function closing(objects: readonly KubeObject[]): readonly string[] {
  const restic = objects.some((object) => moverOf(object) === "restic");
  return [
    ...(objects.length > 0
      ? [
          "Pause each ReplicationSource (spec.paused: true) before you apply the schedules, so that not both run.",
          "Snapshots that VolSync made stay, appear as Backups of origin discovered, and are never pruned by retention.",
        ]
      : []),
    ...(restic
      ? [
          "On restic, earlier snapshots carry the mover's own user name: restore them from their discovered Backups.",
        ]
      : []),
  ];
}
