import { type Backup, backupResource } from "../../../../kinds/kopiur/generated/backup.ts";
import { ignoreGone } from "../../../../kube/api_error.ts";
import type { Client } from "../../../../kube/client.ts";
import { keyOf } from "../../../../kube/object.ts";
import { judge } from "../../admission/judge.ts";
import type { KopiurPorts } from "../../ports.ts";
import { blocked, type Problem, waits } from "../../problem.ts";
import { isConsented } from "../../rules/consents.ts";
import { type Crossing, crossingForbidden } from "../../rules/crossing.ts";
import { problemOf } from "../../rules/violation.ts";
import type { Consent } from "./consent.ts";
import type { ObservedDelegation } from "./decide_delegation.ts";
import { delegateName, isAuthorised } from "./delegate_of.ts";

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
  const delegate = caches.backups.get(keyOf(delegateName(backup))) ?? (await unseen(ports, backup, signal));
  const consent = consentTo(ports, backup, delegate);
  return {
    backup,
    problem: problemOfRecipe(ports, backup, consent),
    consent,
    delegate,
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

/** What it asks for, where that was begun. */
function crossingOf(backup: Backup): Crossing & { readonly name: string } {
  const { namespace } = delegateName(backup);
  return {
    kind: "BackupConfig",
    namespace,
    name: backup.spec.configRef?.name ?? "",
    field: "spec.configRef",
  };
}

/**
 * Who lets the recipe be run from here. What is noted on one that goes counts for nothing, so then the other one's note
 * does: whoever could make that up has the snapshots anyway.
 */
function consentTo({ lookup, settings }: Looking, backup: Backup, delegate: Backup | undefined): Consent {
  const crossing = crossingOf(backup);
  const noted = backup.metadata.deletionTimestamp
    ? delegate !== undefined && isAuthorised(delegate)
    : isConsented(backup, crossing);
  if (settings.guarded && noted) return "author";
  const judgement = judge(crossing, backup.metadata.namespace ?? "", lookup);
  if (judgement === "unknown") return "unknown";
  return judgement === "granted" ? "recipe" : "nobody";
}

/** Why the recipe may not be run from here. As long as anything is unknown, it may not. */
function problemOfRecipe(ports: Looking, backup: Backup, consent: Consent): Problem | undefined {
  const { caches } = ports;
  const from = backup.metadata.namespace ?? "";
  const crossing = crossingOf(backup);
  const key = keyOf(crossing);
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
  if (consent === "nobody") return problemOf(crossingForbidden(crossing, from));
  if (consent !== "unknown") return undefined;
  return waits("NamespaceUnknown", `Whether namespace ${from} may use BackupConfig ${key} is not known yet.`);
}
