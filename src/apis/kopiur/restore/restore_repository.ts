import type { Problem } from "../../../core/reconcile/problem.ts";
import type { RepositoryRef } from "../../../core/restore/restore.ts";
import type { FoundRepository } from "../../../core/restore/restore_ports.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import { keyOf } from "../../../kube/object.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { judge } from "../admission/consent_rules.ts";
import { restoreCrossings } from "../admission/crossings.ts";
import type { KopiurPorts } from "../ports.ts";
import type { AnyRepository } from "../references.ts";
import { useRepository } from "../repository_use.ts";
import { runContextOf } from "../run_context.ts";
import type { SourceObjects } from "./restore_source.ts";

/** The repository that a Restore reads from, and whether it may use it. */
export async function restoreRepository(
  ports: KopiurPorts,
  sources: SourceObjects,
  { kind, ...ref }: RepositoryRef,
  signal: AbortSignal,
): Promise<Result<FoundRepository, Problem>> {
  const { restore } = sources;
  const { namespace = "" } = restore.metadata;
  const known = kind === "ClusterRepository" ? kind : "Repository";
  const { repository, ready } = useRepository(
    ports,
    { ...ref, kind: known },
    {
      namespace: userNamespace(sources, known),
      witnesses: [restore, sourceConfig(ports, sources)],
      runsIn: namespace,
      vouched: ({ metadata }: AnyRepository) => sourceIsFor(ports, restore, metadata.namespace),
    },
  );
  if (!repository) return err((ready as Extract<typeof ready, { readonly ok: false }>).error);
  return ok({ ready, context: await runContextOf(ports, repository, namespace, signal) });
}

/**
 * A Repository behind a source is there for whoever may use the source; one that the Restore names, and one of the whole
 * cluster, for its namespace.
 */
function userNamespace({ restore, forbidden }: SourceObjects, kind: string): string {
  const { namespace = "" } = restore.metadata;
  const { backupRef, fromConfig } = restore.spec.source;
  if (forbidden || restore.spec.repository || kind === "ClusterRepository") return namespace;
  return (backupRef ?? fromConfig)?.namespace ?? namespace;
}

/** Whether the source, beside its repository in that namespace, lists the Restore's namespace. */
function sourceIsFor({ lookup }: KopiurPorts, restore: Restore, owner: string | undefined): boolean {
  if (restore.spec.repository) return false;
  const { namespace = "" } = restore.metadata;
  return restoreCrossings(restore, lookup).some(
    (one) =>
      (one.kind === "Backup" || one.kind === "BackupConfig") &&
      one.namespace === owner &&
      judge(one, namespace, lookup) === "granted",
  );
}

/** The BackupConfig behind the source: a repository that it may use is there for whoever may use the source. */
function sourceConfig({ caches }: KopiurPorts, { backup, config }: SourceObjects): BackupConfig | undefined {
  const { configRef } = backup?.spec ?? {};
  if (config || !configRef) return config;
  return caches.configs.get(keyOf({ namespace: backup?.metadata.namespace, name: configRef.name }));
}
