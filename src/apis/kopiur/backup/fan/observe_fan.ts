import { type Backup, backupResource } from "../../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../../../kinds/kopiur/generated/backup_config.ts";
import { ignoreGone } from "../../../../kube/api_error.ts";
import type { Client } from "../../../../kube/client.ts";
import { keyOf } from "../../../../kube/object.ts";
import type { KopiurPorts } from "../../ports.ts";
import { type Problem, waits } from "../../problem.ts";
import { consentToReach, observeReach } from "../../reach/observe_reach.ts";
import { type ReachedNamespace, standOfPart } from "../../reach/reached_part.ts";
import { isReaching } from "../../rules/reach.ts";
import { delegateIn } from "../delegate/delegate_of.ts";
import { configKey } from "../frozen.ts";
import type { FanPart, ObservedFan } from "./decide_fan.ts";

interface Looking extends Pick<KopiurPorts, "caches" | "lookup" | "settings" | "clock" | "namespace"> {
  readonly client: Pick<Client, "get">;
}

/** Looks at a Backup of claims of several namespaces, and at those that do the work for it. */
export async function observeFan(ports: Looking, backup: Backup, signal: AbortSignal): Promise<ObservedFan> {
  const { caches, clock } = ports;
  const config = caches.configs.get(configKey(backup));
  const reached = config && isReaching(config) ? observeReach(ports, config) : undefined;
  const seen = new Map(reached?.ok ? reached.value.map((one) => [one.namespace, one]) : []);
  const begun = backup.status?.backupRefs?.map(({ namespace }) => namespace);
  const parts: FanPart[] = [];
  for (const namespace of begun ?? seen.keys()) {
    parts.push(await observePart(ports, { backup, namespace, reached: seen.get(namespace) }, signal));
  }
  const own = caches.namespaces.get(keyOf({ name: backup.metadata.namespace ?? "" }));
  return {
    backup,
    parts,
    problem: reached?.ok === false ? reached.error : problemOfRecipe(backup, config),
    namespaceGoing: own?.metadata.deletionTimestamp !== undefined,
    now: clock.now(),
  };
}

interface PartRequest {
  readonly backup: Backup;
  readonly namespace: string;
  readonly reached: ReachedNamespace | undefined;
}

async function observePart(ports: Looking, request: PartRequest, signal: AbortSignal): Promise<FanPart> {
  const { backup, namespace, reached } = request;
  const known = backup.status?.backupRefs?.find((one) => one.namespace === namespace);
  const place = delegateIn(backup, namespace);
  // One that was just made may not be in the cache yet: before the Backup goes without it, the server is asked.
  const unseen = ports.namespace !== undefined && ports.namespace !== namespace;
  const isNew = known?.name !== undefined && known.uid === undefined && !unseen;
  const ask = isNew && backup.metadata.deletionTimestamp !== undefined;
  const delegate =
    ports.caches.backups.get(keyOf(place)) ??
    (ask ? await ports.client.get(backupResource, place, { signal }).catch(ignoreGone) : undefined);
  return {
    namespace,
    place,
    known,
    delegate,
    consent: consentToReach(ports, { from: backup.metadata.namespace ?? "", namespace }),
    config: reached?.draft.metadata.name ?? "",
    stand: reached && standOfPart(reached),
    unseen,
  };
}

function problemOfRecipe(backup: Backup, config: BackupConfig | undefined): Problem | undefined {
  const key = configKey(backup);
  if (!config || config.metadata.deletionTimestamp) {
    return waits("ConfigNotFound", `BackupConfig ${key} does not exist. Create it, or correct configRef.`);
  }
  const { metadata, status } = config;
  if (status?.observedGeneration === metadata.generation) return undefined;
  return waits("ConfigNotReady", `BackupConfig ${key} has not been looked at since it was written.`);
}
