import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import { isPresent } from "../../../kube/cache/found.ts";
import type { RepositoryRef } from "../references.ts";
import type { Lookup } from "./lookup.ts";
import { configAt } from "./references.ts";

export interface UsedRepository {
  readonly ref: RepositoryRef;
  /** The namespace that the reference is read from. */
  readonly from: string;
  readonly field: string;
}

/** The repository that it restores from: the one that it names, or the source's own. */
export function usedRepository({ metadata, spec }: Restore, lookup: Lookup): UsedRepository | undefined {
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
