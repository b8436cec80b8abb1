import { type Problem, waits } from "../../../core/reconcile/problem.ts";
import {
  type ReplicationDestination,
  ReplicationDestinations,
  type ReplicationSource,
  ReplicationSources,
} from "../../../kinds/plumber/volsync.ts";
import type { Informers } from "../../../kube/cache/informers.ts";
import type { KubeObject } from "../../../kube/object.ts";
import { differingFields } from "../../../kube/write/differing_fields.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import type { PlumberSettings } from "../settings.ts";
import { generatedNames, isGenerated } from "./generated_marks.ts";
import type { Output } from "./output.ts";
import { volsyncObjects } from "./volsync_objects.ts";

/** VolSync's ReplicationSource and ReplicationDestination, for a cluster that runs a VolSync with kopia. */
export function volsyncOutput(informers: Pick<Informers, "cache">, settings: PlumberSettings): Output {
  // VolSync may come later, or never: nothing else waits for it.
  const sources = informers.cache({ resource: ReplicationSources, optional: true });
  const destinations = informers.cache({ resource: ReplicationDestinations, optional: true });
  return {
    caches: { config: undefined, restore: destinations, schedule: sources },
    get served() {
      return sources.synced && destinations.synced;
    },
    names: (pvc) => generatedNames(pvc, settings.namingStrategy),
    wanted: (request) => volsyncObjects(request, settings),
    ready({ restore }, restores) {
      if (!this.served) return err(NOT_SERVED);
      if (restore) return readyDestination(restore, settings.repoSecretName);
      return restores ? err(NOT_CREATED) : ok(undefined);
    },
    lastBackup({ schedule }, { username, hostname }) {
      const { spec, status } = (schedule ?? {}) as Partial<ReplicationSource>;
      const same = spec?.kopia?.username === username && spec.kopia.hostname === hostname;
      return same ? status?.lastSyncTime : undefined;
    },
    misleads(restore, wanted) {
      const [there, asked] = [restore, wanted.object] as readonly Partial<ReplicationDestination>[];
      const { repository, username, hostname } = asked?.spec?.kopia ?? {};
      const { sourceName, sourceNamespace } = there?.spec?.kopia?.sourceIdentity ?? {};
      const named = { username: sourceName, hostname: sourceNamespace, ...there?.spec?.kopia };
      // With one of these it would give an earlier state.
      const kopia = { repository, username, hostname, restoreAsOf: null, previous: null };
      return [
        ...differingFields({ spec: { kopia } }, { spec: { kopia: named } }),
        ...(there?.status?.latestImage ? ["status.latestImage"] : []),
      ];
    },
    outdated(restore, wanted) {
      if (!isGenerated(restore)) return undefined;
      const text = `${restore.kind} ${restore.metadata.name}`;
      const { spec, status } = restore as ReplicationDestination;
      const [own, asked] = [spec?.kopia, (wanted.object as ReplicationDestination).spec?.kopia];
      if (own?.username !== asked?.username || own?.hostname !== asked?.hostname)
        return `${text} is of another backup identity`;
      if (status?.latestImage === undefined) return undefined;
      return `${text} still holds what it restored at ${status.lastSyncTime ?? "an earlier time"}`;
    },
  };
}

const NOT_SERVED = waits(
  "DependencyNotReady",
  "VolSync is not installed: the API server knows no ReplicationSource or no ReplicationDestination. Install a VolSync with kopia, or set plumber.output to native.",
);

const NOT_CREATED = waits(
  "DependencyNotReady",
  "Backups begin once VolSync has looked at the ReplicationDestination, which the operator creates first.",
);

/** What VolSync says of the Secret, which the operator does not read. */
export function readyDestination(restore: KubeObject, secret: string): Result<unknown, Problem> {
  const { name, namespace } = restore.metadata;
  const { conditions } = (restore as ReplicationDestination).status ?? {};
  if (!conditions || conditions.length === 0) {
    const message = `VolSync has not looked at ReplicationDestination ${name} yet: check that VolSync runs.`;
    return err(waits("DependencyNotReady", message));
  }
  const failed = conditions.find(({ reason, message = "" }) => reason === "Error" && /secret/i.test(message));
  if (!failed) return ok(undefined);
  const message = `Secret ${secret} of namespace ${namespace} is missing or incomplete. VolSync says: ${failed.message}`;
  return err(waits("WaitingForRepoSecret", message));
}
