import { isMadeFor } from "../../../core/volumes/claim_request.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import { keyOf } from "../../../kube/object.ts";
import type { RepositoryRef } from "../references.ts";
import { restoreLimits } from "../rules/restore_limits.ts";
import { type Check, type Finding, refuseAll } from "./check.ts";
import { restoreCrossings } from "./crossings.ts";
import { isPresent, type Lookup } from "./lookup.ts";
import { moverPrivileges } from "./mover_privileges.ts";
import { configAt, crossed, presence, repositoryAt, repositoryUse } from "./references.ts";

export const checkRestore: Check<Restore> = (change, around) => {
  const { object } = change;
  const { lookup } = around;
  const { metadata, spec } = object;
  const from = metadata.namespace ?? "";
  const used = repositoryOf(object, lookup);
  const engine = used && repositoryAt(used.ref, used.from, lookup)?.spec.engine;
  return [
    ...source(change, around),
    ...(used && isGated(used) ? repositoryUse(used.ref, { from, field: used.field, lookup }) : []),
    ...crossed(object, restoreCrossings(object, lookup), lookup),
    ...refuseAll(engine ? restoreLimits(spec, engine) : []),
    ...target(change, around),
    ...moverPrivileges(spec.mover, { namespace: from, lookup }),
    ...contradiction(object),
  ];
};

interface UsedRepository {
  readonly ref: RepositoryRef;
  /** The namespace that the reference is read from. */
  readonly from: string;
  readonly field: string;
}

/** The repository that it restores from: the one that it names, or the source's own. */
function repositoryOf({ metadata, spec }: Restore, lookup: Lookup): UsedRepository | undefined {
  const from = metadata.namespace ?? "";
  if (spec.repository) return { ref: spec.repository, from, field: "spec.repository" };
  const { backupRef, fromConfig } = spec.source;
  const found = backupRef ? lookup.backup({ namespace: from, ...backupRef }) : "absent";
  const backup = isPresent(found) ? found : undefined;
  const resolved = backup?.status?.resolved?.repository;
  if (resolved) return { ref: resolved, from: resolved.namespace ?? from, field: "spec.source.backupRef" };
  const config = configAt(
    backup ? backup.spec.configRef : fromConfig,
    backup?.metadata.namespace ?? from,
    lookup,
  );
  const field = backupRef ? "spec.source.backupRef" : "spec.source.fromConfig";
  return config && { ref: config.spec.repository, from: config.metadata.namespace ?? "", field };
}

/** A Repository behind a source is there for whoever may use the source; one of the whole cluster says for whom it is. */
function isGated({ ref, field }: UsedRepository): boolean {
  return field === "spec.repository" || ref.kind === "ClusterRepository";
}

const source: Check<Restore> = ({ object }, { lookup }) => {
  const { namespace } = object.metadata;
  const { backupRef, fromConfig } = object.spec.source;
  const isHere = (ref: { readonly namespace?: string }) => (ref.namespace ?? namespace) === namespace;
  if (backupRef) {
    const name = { namespace, ...backupRef };
    const found = lookup.backup(name);
    const phase = isPresent(found) ? found.status?.phase : undefined;
    const field = "spec.source.backupRef";
    const failed = { warn: `${field}: Backup ${keyOf(name)} failed: there is nothing to restore` };
    return [
      ...(isHere(backupRef) ? presence(found, { field, kind: "Backup", name }) : []),
      ...(phase === "Failed" ? [failed] : []),
    ];
  }
  if (!fromConfig || !isHere(fromConfig)) return [];
  const name = { namespace, name: fromConfig.name };
  return presence(lookup.config(name), { field: "spec.source.fromConfig", kind: "BackupConfig", name });
};

const target: Check<Restore> = ({ object }, { lookup }) => {
  const { metadata, spec, status } = object;
  const { pvc, pvcRef } = spec.target ?? {};
  const name = { namespace: metadata.namespace, name: pvc?.name ?? pvcRef?.name ?? "" };
  const found = lookup.claim(name);
  if (pvcRef) return presence(found, { field: "spec.target.pvcRef", kind: "PersistentVolumeClaim", name });
  const taken = pvc && isPresent(found) && status?.phase === undefined && !isMadeFor(found, metadata.uid);
  const warn = `spec.target.pvc: PersistentVolumeClaim ${keyOf(name)} is there already; use pvcRef to write into it`;
  return taken ? [{ warn }] : [];
};

function contradiction({ spec }: Restore): readonly Finding[] {
  const { ownership, ignorePermissionErrors } = spec.options;
  if (ignorePermissionErrors || ownership === undefined || ownership === "Exact") return [];
  const warn = `spec.options.ownership: ${ownership} wins over ignorePermissionErrors: false; set Exact to stop at the first difference`;
  return [{ warn }];
}
