import { type Backup, backupResource } from "../../../../kinds/kopiur/generated/backup.ts";
import { ignoreGone } from "../../../../kube/api_error.ts";
import type { Client } from "../../../../kube/client.ts";
import { keyOf } from "../../../../kube/object.ts";
import { backupCrossings } from "../../admission/crossings.ts";
import { judge } from "../../admission/judge.ts";
import type { KopiurPorts } from "../../ports.ts";
import { blocked, type Problem, waits } from "../../problem.ts";
import { isConsented } from "../../rules/consents.ts";
import { crossingForbidden } from "../../rules/crossing.ts";
import { problemOf } from "../../rules/violation.ts";
import { configKey } from "../frozen.ts";
import type { ObservedDelegation } from "./decide_delegation.ts";
import { delegateName } from "./delegate_of.ts";

interface Looking extends Pick<KopiurPorts, "caches" | "lookup" | "settings" | "clock" | "namespace"> {
  readonly client: Pick<Client, "get">;
}

/** Looks at a Backup whose recipe is in another namespace, and at the one that does the work for it. */
export async function observeDelegation(
  ports: Looking,
  backup: Backup,
  signal: AbortSignal,
): Promise<ObservedDelegation> {
  const { caches, clock } = ports;
  const own = caches.namespaces.get(keyOf({ name: backup.metadata.namespace ?? "" }));
  return {
    backup,
    problem: problemOfRecipe(ports, backup),
    delegate: caches.backups.get(keyOf(delegateName(backup))) ?? (await unseen(ports, backup, signal)),
    namespaceGoing: own?.metadata.deletionTimestamp !== undefined,
    now: clock.now(),
  };
}

/** One that was just made may not be in the cache yet: before the Backup goes without it, the server is asked. */
async function unseen(ports: Looking, backup: Backup, signal: AbortSignal): Promise<Backup | undefined> {
  const { backupRef } = backup.status ?? {};
  const made = backupRef && backupRef.uid === undefined && ports.namespace === undefined;
  if (!made || !backup.metadata.deletionTimestamp) return undefined;
  return ports.client.get(backupResource, delegateName(backup), { signal }).catch(ignoreGone);
}

/** Why the recipe may not be run from here. As long as anything is unknown, it may not. */
function problemOfRecipe(ports: Looking, backup: Backup): Problem | undefined {
  const { caches, lookup, settings } = ports;
  const from = backup.metadata.namespace ?? "";
  const key = configKey(backup);
  if (ports.namespace !== undefined) {
    return blocked(
      "CrossNamespaceUnsupported",
      `BackupConfig ${key} cannot be run: this operator looks at namespace ${ports.namespace} alone. Create the Backup beside the recipe, or install the operator for the whole cluster.`,
    );
  }
  const config = caches.configs.get(key);
  if (!config || config.metadata.deletionTimestamp) {
    return waits("ConfigNotFound", `BackupConfig ${key} does not exist. Create it, or correct configRef.`);
  }
  const [crossing] = backupCrossings(backup, lookup);
  if (!crossing || (settings.guarded && isConsented(backup, crossing))) return undefined;
  const judgement = judge(crossing, from, lookup);
  if (judgement === "granted") return undefined;
  if (judgement === "denied") return problemOf(crossingForbidden(crossing, from));
  return waits("NamespaceUnknown", `Whether namespace ${from} may use BackupConfig ${key} is not known yet.`);
}
