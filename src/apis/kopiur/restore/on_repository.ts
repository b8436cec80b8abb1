import type { RunPolicy } from "../../../core/work/run_policy.ts";
import type { RunTask } from "../../../core/work/run_request.ts";
import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import { keyOf } from "../../../kube/object.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { restoreCrossings } from "../admission/crossings.ts";
import { judge } from "../admission/judge.ts";
import { edition } from "../editions.ts";
import { gateOf, groundOf, outlookOf } from "../ground.ts";
import type { KopiurPorts } from "../ports.ts";
import type { Problem } from "../problem.ts";
import type { Remembering } from "../records.ts";
import type { AnyRepository, RepositoryRef } from "../references.ts";
import { useRepository } from "../repository_use.ts";
import type { SeatQuestion } from "../seat.ts";
import type { NoRun, RestoreOutlook } from "./restore_outlook.ts";
import type { SourceObjects } from "./restore_sources.ts";
import type { RestoreGround } from "./restore_tasks.ts";

export interface RestoreRun {
  readonly repository: RepositoryRef;
  /** What remembers the run. */
  readonly memory: Remembering | undefined;
  readonly make: (ground: RestoreGround) => Result<RunTask, Problem>;
  /** Default: as the Restore says. */
  readonly policy?: RunPolicy;
  /** Which of several runs of the Restore that work beside each other, and what was said of it. Default: its only one. */
  readonly seat?: Pick<SeatQuestion, "seat" | "said">;
  /** Why it may not begin yet. It asks for no seat meanwhile. */
  readonly hold?: { readonly reason: string; readonly message: string } | undefined;
  /** It is to end. Default: when the Restore says so. */
  readonly cancel?: boolean;
}

/** Looks at a run for a Restore on its repository, and decides what follows for it. */
export async function onRepository(
  ports: KopiurPorts,
  sources: SourceObjects,
  run: RestoreRun,
  signal: AbortSignal,
): Promise<Result<RestoreOutlook, NoRun>> {
  const { restore } = sources;
  const { namespace = "" } = restore.metadata;
  const witnesses = [restore, sourceConfig(ports, sources)];
  const user = {
    namespace: userNamespace(sources, run.repository),
    witnesses,
    runsIn: namespace,
    vouched: ({ metadata }: AnyRepository) => sourceIsFor(ports, restore, metadata.namespace),
  };
  const { repository, ready } = useRepository(ports, run.repository, user);
  if (!repository) {
    const { error } = ready as Extract<typeof ready, { readonly ok: false }>;
    return err({ ...error, away: true });
  }
  const ground = await groundOf(ports, repository, namespace, signal);
  const seat = {
    owner: restore,
    kind: "restore",
    recipe: restore.metadata.name,
    repository,
    ...run.seat,
  } as const;
  const request = {
    task: run.make({ ...ground, restore }),
    status: run.memory,
    edition: edition(restore),
    policy: run.policy ?? restore.spec.failurePolicy,
    gate: ready.ok && run.hold ? { open: false as const, ...run.hold } : gateOf(ready),
    seat,
    cancel: run.cancel || restore.metadata.annotations?.[ANNOTATIONS.cancel] === "true",
  };
  const outlook = await outlookOf(ports, request, signal);
  return outlook.ok && !ready.ok ? ok({ ...outlook.value, away: ready.error }) : outlook;
}

/**
 * A Repository behind a source is there for whoever may use the source; one that the Restore names, and one of the whole
 * cluster, for its namespace.
 */
function userNamespace({ restore, forbidden }: SourceObjects, { kind }: RepositoryRef): string {
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

/** The recipe behind the source: a repository that it may use is there for whoever may use the source. */
function sourceConfig({ caches }: KopiurPorts, { backup, config }: SourceObjects): BackupConfig | undefined {
  const { configRef } = backup?.spec ?? {};
  if (config || !configRef) return config;
  return caches.configs.get(keyOf({ namespace: backup?.metadata.namespace, name: configRef.name }));
}
