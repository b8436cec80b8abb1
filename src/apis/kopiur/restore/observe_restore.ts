import { isMadeFor } from "../../../core/volumes/claim_request.ts";
import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import { keyOf } from "../../../kube/object.ts";
import type { Result } from "../../../lib/result.ts";
import { edition } from "../editions.ts";
import { gateOf, groundOf, outlookOf } from "../ground.ts";
import type { Outlook } from "../outlook.ts";
import type { KopiurPorts } from "../ports.ts";
import type { Problem } from "../problem.ts";
import { recordOf } from "../records.ts";
import { type RepositoryRef, readyRepository, repositoryKey } from "../references.ts";
import type { ObservedRestore } from "./decide_restore.ts";
import { type Resolution, resolveSource, targetName } from "./resolution.ts";
import { askPurpose, askTask, type RestoreGround, restoreTask } from "./restore_tasks.ts";

/** Looks at a Restore, its source, its target and its runs. */
export async function observeRestore(
  ports: KopiurPorts,
  restore: Restore,
  signal: AbortSignal,
): Promise<ObservedRestore> {
  const { caches, clock } = ports;
  const { namespace } = restore.metadata;
  const { backupRef, fromConfig } = restore.spec.source;
  const sources = {
    restore,
    backup: backupRef && caches.backups.get(keyOf({ namespace, name: backupRef.name })),
    config: fromConfig && caches.configs.get(keyOf({ namespace, name: fromConfig.name })),
    now: clock.now(),
  };
  const name = targetName(restore);
  const claim = name === undefined ? undefined : caches.claims.get(keyOf({ namespace, name }));
  const resolution = resolveSource(sources);
  const base = { ...sources, claim, resolution };
  if (!resolution.ok || !restore.spec.target?.pvc) return base;
  if (resolution.value.type === "Ask") {
    return { ...base, asking: await askOutlook(ports, restore, resolution.value, signal) };
  }
  const { pinned } = resolution.value;
  // Nothing is written into a volume that was not made for this.
  if (pinned.noSnapshot || !pinned.repository || !claim || !isMadeFor(claim, restore.metadata.uid))
    return base;
  const run = await onRepository(ports, restore, pinned.repository, signal, (ground) =>
    restoreTask(ground, pinned),
  );
  return { ...base, run };
}

/** The run that asked the repository, once its answer is pinned: it is only to be tidied up. */
export async function earlierTasks(
  ports: KopiurPorts,
  { restore, resolution }: ObservedRestore,
  signal: AbortSignal,
): Promise<readonly Outlook[]> {
  const asked = recordOf(restore.status, askPurpose(restore));
  if (!asked || !resolution.ok || resolution.value.type !== "Pinned") return [];
  const { repository, identity } = resolution.value.pinned;
  if (!repository || !identity) return [];
  const { username, hostname, sourcePath: path } = identity;
  const make = (ground: RestoreGround) => askTask(ground, { username, hostname, path });
  const outlook = await onRepository(ports, restore, repository, signal, make);
  return outlook.ok ? [outlook.value] : [];
}

function askOutlook(
  ports: KopiurPorts,
  restore: Restore,
  { repository, identity }: Extract<Resolution, { readonly type: "Ask" }>,
  signal: AbortSignal,
): Promise<Result<Outlook, Problem>> {
  return onRepository(ports, restore, repository, signal, (ground) => askTask(ground, identity));
}

async function onRepository(
  ports: KopiurPorts,
  restore: Restore,
  ref: RepositoryRef,
  signal: AbortSignal,
  make: (ground: RestoreGround) => ReturnType<typeof askTask>,
): Promise<Result<Outlook, Problem>> {
  const key = repositoryKey(ref, restore.metadata.namespace ?? "");
  if (!key.ok) return key;
  const repository = ports.caches.repositories.get(key.value);
  const ready = readyRepository(repository, key.value);
  if (!repository) return ready as Result<never, Problem>;
  const ground = await groundOf(ports, repository, signal);
  const request = {
    task: make({ ...ground, restore }),
    status: restore.status,
    edition: edition(restore),
    policy: restore.spec.failurePolicy,
    gate: gateOf(ready),
    cancel: restore.metadata.annotations?.[ANNOTATIONS.cancel] === "true",
  };
  return outlookOf(ports, request, signal);
}
