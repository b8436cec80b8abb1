import type { Violation } from "../../../core/reconcile/violation.ts";
import { liesOn } from "../../../core/repository/lies_on.ts";
import {
  BACKUP_OF_STORE,
  RESTORE_INTO_STORE,
  storeViolation,
} from "../../../core/repository/store_violation.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import { keyOf, type ObjectName } from "../../../kube/object.ts";
import type { Lookup } from "../admission/lookup.ts";
import { repositoryAt } from "../admission/references.ts";
import { usedRepository } from "../admission/used_repository.ts";
import { type AnyRepository, repositoryText } from "../references.ts";

/** A restore writes over what is there: over a repository, that is every backup in it. */
export function repositoryTarget(restore: Restore, lookup: Lookup): Violation | undefined {
  const { metadata, spec } = restore;
  const { pvcRef } = spec.target ?? {};
  if (!pvcRef) return undefined;
  const claim = { namespace: metadata.namespace, name: pvcRef.name };
  const used = usedRepository(restore, lookup);
  const repository = used && repositoryAt(used.ref, used.from, lookup);
  return held(claim, { repository, lookup }, { field: "spec.target.pvcRef", ...RESTORE_INTO_STORE });
}

/** A repository that is backed up into itself grows with every backup, and is nobody's data. */
export function repositorySources({ metadata, spec }: BackupConfig, lookup: Lookup): readonly Violation[] {
  const repository = repositoryAt(spec.repository, metadata.namespace ?? "", lookup);
  return spec.sources.flatMap(({ pvc }, index) => {
    if (!pvc) return [];
    const claim = { namespace: metadata.namespace, name: pvc.name };
    const violation = held(
      claim,
      { repository, lookup },
      { field: `spec.sources[${index}].pvc`, ...BACKUP_OF_STORE },
    );
    return violation ? [violation] : [];
  });
}

function held(
  claim: ObjectName,
  /** The one that it works with lies on a claim of its own namespace, wherever that repository's object is. */
  { repository: own, lookup }: { readonly repository: AnyRepository | undefined; readonly lookup: Lookup },
  told: Pick<Violation, "field" | "what" | "fix">,
): Violation | undefined {
  const repository = own && liesOn(own, claim.name) ? repositoryText(keyOf(own)) : lookup.repositoryOn(claim);
  return storeViolation(claim, repository, told);
}
