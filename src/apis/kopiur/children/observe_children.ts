import { isConsented } from "../../../core/consent/consents.ts";
import type { Crossing } from "../../../core/consent/crossing.ts";
import { blocked, type Problem, waits } from "../../../core/reconcile/problem.ts";
import { problemOf } from "../../../core/reconcile/violation.ts";
import { type Backup, backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import { ignoreGone } from "../../../kube/api_error.ts";
import type { Client } from "../../../kube/client.ts";
import { keyOf } from "../../../kube/object.ts";
import { crossingForbidden, judge } from "../admission/consent_rules.ts";
import { configKey } from "../backup/plan.ts";
import { type ObservedNamespace, stateInNamespace } from "../multi_namespace/namespace_state.ts";
import { isMultiNamespace } from "../multi_namespace/namespaces_of.ts";
import { consentToRun, observeNamespaces } from "../multi_namespace/observe_namespaces.ts";
import type { KopiurPorts } from "../ports.ts";
import {
  type ChildPlace,
  type Consent,
  childIn,
  isAuthorised,
  isCrossNamespace,
  onlyChildPlace,
} from "./child.ts";
import type { ObservedChild, ObservedChildren } from "./tell_child.ts";

interface Looking extends Pick<KopiurPorts, "caches" | "lookup" | "settings" | "clock" | "namespace"> {
  readonly client: Pick<Client, "get">;
}

/** Looks at a Backup and its children. */
export async function observeChildren(
  ports: Looking,
  backup: Backup,
  signal: AbortSignal,
): Promise<ObservedChildren> {
  const { caches, clock } = ports;
  const own = caches.namespaces.get(keyOf({ name: backup.metadata.namespace ?? "" }));
  const seen = isCrossNamespace(backup)
    ? await observeOnly(ports, backup, signal)
    : await observeEach(ports, backup, signal);
  const namespaceGoing = own?.metadata.deletionTimestamp !== undefined;
  return { backup, ...seen, namespaceGoing, now: clock.now() };
}

type Seen = Pick<ObservedChildren, "children" | "problem">;

async function observeOnly(ports: Looking, backup: Backup, signal: AbortSignal): Promise<Seen> {
  const place = onlyChildPlace(backup);
  const { backupRef: known } = backup.status ?? {};
  const isNew = known !== undefined && known.uid === undefined && ports.namespace === undefined;
  const child = await findChild(ports, backup, { place, isNew }, signal);
  const consent = consentTo(ports, backup, child);
  const problem = problemOfOnly(ports, backup, consent);
  const only: ObservedChild = {
    namespace: place.namespace,
    place,
    known: known && { ...known, phase: "Pending" },
    child,
    consent,
    doubt: problem,
    config: backup.spec.configRef?.name ?? "",
    readyState: undefined,
    unseen: false,
  };
  return { children: { only }, problem };
}

async function observeEach(ports: Looking, backup: Backup, signal: AbortSignal): Promise<Seen> {
  const config = ports.caches.configs.get(configKey(backup));
  const target = config && isMultiNamespace(config) ? observeNamespaces(ports, config) : undefined;
  const seen = new Map(target?.ok ? target.value.map((one) => [one.namespace, one]) : []);
  const begun = backup.status?.backupRefs?.map(({ namespace }) => namespace);
  const each: ObservedChild[] = [];
  for (const namespace of begun ?? seen.keys()) {
    each.push(await observeOne(ports, { backup, namespace, target: seen.get(namespace) }, signal));
  }
  const problem = target?.ok === false ? target.error : problemOfConfig(backup, config);
  return { children: { each }, problem };
}

interface OneRequest {
  readonly backup: Backup;
  readonly namespace: string;
  readonly target: ObservedNamespace | undefined;
}

async function observeOne(ports: Looking, request: OneRequest, signal: AbortSignal): Promise<ObservedChild> {
  const { backup, namespace, target } = request;
  const known = backup.status?.backupRefs?.find((one) => one.namespace === namespace);
  const place = childIn(backup, namespace);
  const unseen = ports.namespace !== undefined && ports.namespace !== namespace;
  const isNew = known?.name !== undefined && known.uid === undefined && !unseen;
  return {
    namespace,
    place,
    known,
    child: await findChild(ports, backup, { place, isNew }, signal),
    consent: consentToRun(ports, { from: backup.metadata.namespace ?? "", namespace }),
    doubt: waits("NamespaceUnknown", `Whether namespace ${namespace} consents is not known yet.`),
    config: target?.draft.metadata.name ?? "",
    readyState: target && stateInNamespace(target),
    unseen,
  };
}

/** One that was just made may not be in the cache yet: before its parent goes without it, the server is asked. */
async function findChild(
  { caches, client }: Looking,
  { metadata }: Backup,
  { place, isNew }: { readonly place: ChildPlace; readonly isNew: boolean },
  signal: AbortSignal,
): Promise<Backup | undefined> {
  const found = caches.backups.get(keyOf(place));
  if (found || !isNew || metadata.deletionTimestamp === undefined) return found;
  return client.get(backupResource, place, { signal }).catch(ignoreGone);
}

/** What a Backup asks for in another namespace. */
function crossingOf(backup: Backup): Crossing & { readonly name: string } {
  const { namespace } = onlyChildPlace(backup);
  const name = backup.spec.configRef?.name ?? "";
  return { kind: "BackupConfig", namespace, name, field: "spec.configRef" };
}

/**
 * Who lets the BackupConfig be run from here. What is noted on one that goes counts for nothing, so then its child's note
 * does: whoever could make that up has the snapshots anyway.
 */
function consentTo({ lookup, settings }: Looking, backup: Backup, child: Backup | undefined): Consent {
  const crossing = crossingOf(backup);
  const noted = backup.metadata.deletionTimestamp
    ? child !== undefined && isAuthorised(child)
    : isConsented(backup, crossing);
  if (settings.guarded && noted) return "author";
  const judgement = judge(crossing, backup.metadata.namespace ?? "", lookup);
  if (judgement === "unknown") return "unknown";
  return judgement === "granted" ? "recipe" : "nobody";
}

/** Why the BackupConfig may not be run from here. As long as anything is unknown, it may not. */
function problemOfOnly(ports: Looking, backup: Backup, consent: Consent): Problem | undefined {
  const from = backup.metadata.namespace ?? "";
  const crossing = crossingOf(backup);
  const key = keyOf(crossing);
  if (ports.namespace !== undefined) {
    return blocked(
      "CrossNamespaceUnsupported",
      `BackupConfig ${key} cannot be run: this operator looks at namespace ${ports.namespace} alone. Create the Backup beside the BackupConfig, or install the operator for the whole cluster.`,
    );
  }
  const config = ports.caches.configs.get(key);
  if (!config || config.metadata.deletionTimestamp) return configNotFound(key);
  if (consent === "nobody") return problemOf(crossingForbidden(crossing, from));
  if (consent !== "unknown") return undefined;
  return waits("NamespaceUnknown", `Whether namespace ${from} may use BackupConfig ${key} is not known yet.`);
}

function problemOfConfig(backup: Backup, config: BackupConfig | undefined): Problem | undefined {
  const key = configKey(backup);
  if (!config || config.metadata.deletionTimestamp) return configNotFound(key);
  const { metadata, status } = config;
  if (status?.observedGeneration === metadata.generation) return undefined;
  return waits("ConfigNotReady", `BackupConfig ${key} has not been looked at since it was written.`);
}

function configNotFound(key: string): Problem {
  return waits("ConfigNotFound", `BackupConfig ${key} does not exist. Create it, or correct configRef.`);
}
