import { crossed } from "../../../core/consent/crossing.ts";
import { moverPrivileges } from "../../../core/consent/mover_privileges.ts";
import { type Finding, presence, refuseAll } from "../../../core/reconcile/finding.ts";
import { isMadeFor } from "../../../core/volumes/claim_request.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import { isPresent } from "../../../kube/cache/found.ts";
import { keyOf } from "../../../kube/object.ts";
import { isWanted, readyConfigOf } from "../restore/safety_backup.ts";
import { repositoryTarget } from "../rules/repository_claims.ts";
import { pathLimits, restoreLimits } from "../rules/restore_limits.ts";
import { consentRules } from "./consent_rules.ts";
import { restoreCrossings } from "./crossings.ts";
import type { Check, Lookup } from "./lookup.ts";
import { repositoryAt, repositoryUse } from "./references.ts";
import { type UsedRepository, usedRepository } from "./used_repository.ts";

export const checkRestore: Check<Restore> = (change, around) => {
  const { object } = change;
  const { lookup } = around;
  const { metadata, spec } = object;
  const from = metadata.namespace ?? "";
  const used = usedRepository(object, lookup);
  const engine = used && repositoryAt(used.ref, used.from, lookup)?.spec.engine;
  return [
    ...source(change, around),
    ...(used && isGated(used) ? repositoryUse(used.ref, { from, field: used.field, lookup }) : []),
    ...crossed(object, restoreCrossings(object, lookup), consentRules(lookup)),
    ...refuseAll([
      repositoryTarget(object, lookup),
      ...pathLimits(spec),
      ...(engine ? restoreLimits(spec, engine) : []),
    ]),
    ...target(change, around),
    ...moverPrivileges(spec.mover, { object, at: "spec.mover", lookup }),
    ...contradiction(object),
  ];
};

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

const target: Check<Restore> = ({ object, old }, { lookup }) => {
  const { metadata, spec, status } = object;
  const { pvc, pvcRef } = spec.target ?? {};
  const name = { namespace: metadata.namespace, name: pvc?.name ?? pvcRef?.name ?? "" };
  const found = lookup.claim(name);
  if (pvcRef)
    return [
      ...presence(found, { field: "spec.target.pvcRef", kind: "PersistentVolumeClaim", name }),
      ...(isPresent(found) && old === undefined ? unprotected(object, lookup) : []),
    ];
  const taken = pvc && isPresent(found) && status?.phase === undefined && !isMadeFor(found, metadata.uid);
  const warn = `spec.target.pvc: PersistentVolumeClaim ${keyOf(name)} is there already; use pvcRef to write into it`;
  return taken ? [{ warn }] : [];
};

/** A BackupConfig may come later: manifests are applied in any order. */
function unprotected(restore: Restore, { configsIn }: Lookup): readonly Finding[] {
  const { namespace = "" } = restore.metadata;
  const claim = keyOf({ namespace, name: restore.spec.target?.pvcRef?.name ?? "" });
  if (!isWanted(restore) || readyConfigOf(configsIn(namespace), claim)) return [];
  const warn = `spec.target.pvcRef: no BackupConfig that is ready backs up PersistentVolumeClaim ${claim}, so that no backup of it is made first: what is overwritten cannot be brought back`;
  return [{ warn }];
}

function contradiction({ spec }: Restore): readonly Finding[] {
  const { ownership, ignorePermissionErrors } = spec.options;
  if (ignorePermissionErrors || ownership === undefined || ownership === "Exact") return [];
  const warn = `spec.options.ownership: ${ownership} wins over ignorePermissionErrors: false; set Exact to stop at the first difference`;
  return [{ warn }];
}
