import { type Crossing, crossingTo, secretsBehind } from "../../../core/consent/crossing.ts";
import { foreignOwners } from "../../../core/consent/foreign_owners.ts";
import type { Holder } from "../../../core/policy/identity.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { Maintenance } from "../../../kinds/kopiur/generated/maintenance.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import { isPresent } from "../../../kube/cache/found.ts";
import type { ObjectName } from "../../../kube/object.ts";
import { type RepositoryRef, repositoryKey } from "../references.ts";
import { identityUser } from "../rules/config_identity.ts";
import type { Lookup } from "./lookup.ts";

/** The references of an object into other namespaces. */
export type Crossings<T> = (object: T, lookup: Lookup) => readonly Crossing[];

export const configCrossings: Crossings<BackupConfig> = ({ metadata, spec }, lookup) => {
  const from = metadata.namespace ?? "";
  const selected = spec.sources.flatMap(({ pvcSelector }, index) =>
    (pvcSelector?.namespaceSelector?.matchNames ?? []).map((namespace) => ({
      kind: "PersistentVolumeClaim" as const,
      namespace,
      field: `spec.sources[${index}].pvcSelector.namespaceSelector.matchNames`,
    })),
  );
  const { username = metadata.name, hostname } = spec.identity ?? {};
  const claimed =
    hostname === undefined
      ? []
      : identityCrossings(
          { holder: { username, hostname }, repository: spec.repository, from },
          lookup,
          "spec.identity",
        );
  const repository = repositoryCrossing(spec.repository, from, "spec.repository");
  return [...repository, ...selected.filter(({ namespace }) => namespace !== from), ...claimed];
};

export const backupCrossings: Crossings<Backup> = ({ metadata, spec }) =>
  crossingTo("BackupConfig", spec.configRef, { from: metadata.namespace ?? "", field: "spec.configRef" });

export const restoreCrossings: Crossings<Restore> = ({ metadata, spec }, lookup) => {
  const from = metadata.namespace ?? "";
  const { backupRef, fromConfig, identity } = spec.source;
  const sources = [
    ...crossingTo("Backup", backupRef, { from, field: "spec.source.backupRef" }),
    ...crossingTo("BackupConfig", fromConfig, { from, field: "spec.source.fromConfig" }),
  ];
  const claimed = identity && spec.repository && { holder: identity, repository: spec.repository, from };
  return [
    ...repositoryCrossing(spec.repository, from, "spec.repository"),
    ...sources,
    ...(spec.repository ? [] : sources.flatMap((source) => secretsOf(source, from, lookup))),
    ...(claimed ? identityCrossings(claimed, lookup, "spec.source.identity") : []),
  ];
};

export const maintenanceCrossings: Crossings<Maintenance> = ({ metadata, spec }) =>
  repositoryCrossing(spec.repository, metadata.namespace ?? "", "spec.repository");

/** An identity that is named in a repository. */
interface NamedIdentity {
  readonly holder: Holder;
  readonly repository: RepositoryRef;
  readonly from: string;
}

/** To name another namespace's identity is to refer to its Backups. */
function identityCrossings(
  { holder, repository, from }: NamedIdentity,
  lookup: Lookup,
  field: string,
): readonly Crossing[] {
  const shared = repository.kind === "ClusterRepository";
  const found = shared ? lookup.clusterRepository(repository.name) : "absent";
  const defaults = isPresent(found) ? found.spec.identityDefaults : undefined;
  const users = lookup.configsOf(repositoryKey(repository, from)).map((config) => ({
    namespace: config.metadata.namespace ?? "",
    holders: identityUser(config, defaults).holders,
    pinned: config.status?.resolved?.identity,
    allowed: config.spec.allowedNamespaces,
  }));
  const claimed = { holder, from, shared, hostnameTemplate: defaults?.hostnameTemplate };
  const owners = foreignOwners(claimed, users, (name) => isPresent(lookup.namespace(name)));
  return owners.map((owner) => ({ kind: "Backup", ...owner, field }));
}

/** A ClusterRepository is in no namespace: who may use it, it says itself. */
function repositoryCrossing(
  ref: RepositoryRef | undefined,
  from: string,
  field: string,
): readonly Crossing[] {
  const found = ref?.kind === "Repository" ? crossingTo("Repository", ref, { from, field }) : [];
  return found.flatMap((one) => [one, secretsBehind(one, [one])]);
}

/** The Secrets of the Repository behind a source, which is beside the source as long as nobody knows. */
function secretsOf(source: Crossing, from: string, lookup: Lookup): readonly Crossing[] {
  const { namespace, name = "", field } = source;
  const ref = repositoryBehind(source.kind, { namespace, name }, lookup);
  if (!ref) return [secretsBehind(source, [source])];
  if (ref.kind === "ClusterRepository") return [];
  return crossingTo("Repository", { namespace, ...ref }, { from, field }).map((repository) =>
    // Whoever consents to the source lends what is their own.
    secretsBehind(repository, repository.namespace === namespace ? [source, repository] : [repository]),
  );
}

function repositoryBehind(kind: string, name: ObjectName, lookup: Lookup): RepositoryRef | undefined {
  if (kind === "BackupConfig") {
    const config = lookup.config(name);
    return isPresent(config) ? config.spec.repository : undefined;
  }
  const backup = lookup.backup(name);
  return isPresent(backup) ? backup.status?.resolved?.repository : undefined;
}
