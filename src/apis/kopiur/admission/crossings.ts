import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { Maintenance } from "../../../kinds/kopiur/generated/maintenance.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import type { ObjectName } from "../../../kube/object.ts";
import type { RepositoryRef } from "../references.ts";
import type { CrossedKind, Crossing } from "../rules/crossing.ts";
import { type ClaimedIdentity, foreignOwners } from "./foreign_owners.ts";
import { isPresent, type Lookup } from "./lookup.ts";

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
  crossing("BackupConfig", spec.configRef, metadata.namespace ?? "", "spec.configRef");

export const restoreCrossings: Crossings<Restore> = ({ metadata, spec }, lookup) => {
  const from = metadata.namespace ?? "";
  const { backupRef, fromConfig, identity } = spec.source;
  const sources = [
    ...crossing("Backup", backupRef, from, "spec.source.backupRef"),
    ...crossing("BackupConfig", fromConfig, from, "spec.source.fromConfig"),
  ];
  const claimed = identity && spec.repository && { holder: identity, repository: spec.repository, from };
  return [
    ...repositoryCrossing(spec.repository, from, "spec.repository"),
    ...sources,
    ...(spec.repository ? [] : sources.flatMap((source) => secretsBehind(source, from, lookup))),
    ...(claimed ? identityCrossings(claimed, lookup, "spec.source.identity") : []),
  ];
};

export const maintenanceCrossings: Crossings<Maintenance> = ({ metadata, spec }) =>
  repositoryCrossing(spec.repository, metadata.namespace ?? "", "spec.repository");

/** To name another namespace's identity is to refer to its Backups. */
function identityCrossings(claimed: ClaimedIdentity, lookup: Lookup, field: string): readonly Crossing[] {
  return foreignOwners(claimed, lookup).map((owner) => ({ kind: "Backup", ...owner, field }));
}

/** A ClusterRepository is in no namespace: who may use it, it says itself. */
function repositoryCrossing(
  ref: RepositoryRef | undefined,
  from: string,
  field: string,
): readonly Crossing[] {
  const found = ref?.kind === "Repository" ? crossing("Repository", ref, from, field) : [];
  return found.flatMap((one) => [one, secretsOf(one, [one])]);
}

/** A run on a Repository of another namespace is lent its Secrets, for whoever reads Secrets where the run is. */
function secretsOf({ namespace, field }: Crossing, through: readonly Crossing[]): Crossing {
  return { kind: "Secret", namespace, field, through };
}

/** The Secrets of the Repository behind a source, which is beside the source as long as nobody knows. */
function secretsBehind(source: Crossing, from: string, lookup: Lookup): readonly Crossing[] {
  const { namespace, name = "", field } = source;
  const ref = repositoryBehind(source.kind, { namespace, name }, lookup);
  if (!ref) return [secretsOf(source, [source])];
  if (ref.kind === "ClusterRepository") return [];
  return crossing("Repository", { namespace, ...ref }, from, field).map((repository) =>
    // Whoever consents to the source lends what is their own.
    secretsOf(repository, repository.namespace === namespace ? [source, repository] : [repository]),
  );
}

function repositoryBehind(kind: CrossedKind, name: ObjectName, lookup: Lookup): RepositoryRef | undefined {
  if (kind === "BackupConfig") {
    const config = lookup.config(name);
    return isPresent(config) ? config.spec.repository : undefined;
  }
  const backup = lookup.backup(name);
  return isPresent(backup) ? backup.status?.resolved?.repository : undefined;
}

function crossing(
  kind: CrossedKind,
  ref: { readonly name: string; readonly namespace?: string } | undefined,
  from: string,
  field: string,
): readonly Crossing[] {
  if (ref?.namespace === undefined || ref.namespace === from) return [];
  return [{ kind, namespace: ref.namespace, name: ref.name, field }];
}
