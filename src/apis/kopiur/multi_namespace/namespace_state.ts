import { cut, LONGEST_OF_MANY } from "../../../core/reconcile/task_words.ts";
import { problemOf } from "../../../core/reconcile/violation.ts";
import type { BackupConfig, BackupConfigStatus } from "../../../kinds/kopiur/generated/backup_config.ts";
import { type Found, isPresent } from "../../../kube/cache/found.ts";
import { type Draft, type KubeObject, keyOf } from "../../../kube/object.ts";
import { jsonEqual } from "../../../lib/json.ts";
import { crossingForbidden } from "../admission/consent_rules.ts";
import { type Consent, isGiven } from "../children/child.ts";
import { derivedName, isDerivedFrom, originKey } from "./derived_config.ts";

/** A namespace that a BackupConfig is about, as it was seen. */
export interface ObservedNamespace {
  readonly config: BackupConfig;
  readonly namespace: string;
  readonly place: Found<KubeObject>;
  readonly consent: Consent;
  /** What has the name of the BackupConfig that repeats it there. */
  readonly derived: BackupConfig | undefined;
  /** As that one should be. */
  readonly draft: Draft<BackupConfig>;
}

/**
 * How a BackupConfig stands in a namespace. `making`: the BackupConfig there is not as it should be yet. `empty`: no claim matches.
 */
export interface NamespaceState {
  readonly state: "ready" | "making" | "waiting" | "empty" | "failed";
  /** One CamelCase word. */
  readonly reason: string;
  readonly message: string;
}

/** Whether a BackupConfig can be run on the claims of a namespace. */
export function stateInNamespace(seen: ObservedNamespace): NamespaceState {
  const { config, namespace, place, consent, derived, draft } = seen;
  if (place === "absent") {
    return failed("NamespaceNotFound", `Namespace ${namespace} does not exist. Create it, or leave it out.`);
  }
  if (place === "unknown" || consent === "unknown") {
    return {
      state: "waiting",
      reason: "NamespaceUnknown",
      message: `Namespace ${namespace} is not known yet.`,
    };
  }
  if (isPresent(place) && place.metadata.deletionTimestamp) {
    return failed("NamespaceGoing", `Namespace ${namespace} is being deleted. Leave it out.`);
  }
  if (!isGiven(consent)) {
    const crossing = { kind: "PersistentVolumeClaim", namespace, field: "spec.sources" } as const;
    const { reason, message } = problemOf(crossingForbidden(crossing, config.metadata.namespace ?? ""));
    return failed(reason, message);
  }
  const key = keyOf(derivedName(config, namespace));
  if (derived && !isDerivedFrom(derived, config) && originKey(derived) === keyOf(config)) {
    const message = `BackupConfig ${key} repeats one that is gone, and goes first.`;
    return { state: "waiting", reason: "Deriving", message };
  }
  if (derived && !isDerivedFrom(derived, config)) {
    return failed(
      "NameTaken",
      `BackupConfig ${key} is there already, and does not repeat this one. Delete it.`,
    );
  }
  if (!derived || derived.metadata.deletionTimestamp || !jsonEqual(derived.spec, draft.spec)) {
    const making: NamespaceState = {
      state: "making",
      reason: "Deriving",
      message: `BackupConfig ${key} is made, to repeat this one.`,
    };
    return refusalIn(config, namespace) ?? making;
  }
  return stateThere(derived);
}

function stateThere(derived: BackupConfig): NamespaceState {
  const { metadata, status } = derived;
  const seen = status?.observedGeneration === metadata.generation;
  if (seen && status?.phase === "Ready") {
    return { state: "ready", reason: "Ready", message: "The BackupConfig can be run." };
  }
  const { reason = "Pending", message = "It has not been looked at yet." } =
    status?.conditions?.find(({ type }) => type === "Ready") ?? {};
  const said = { reason, message: `BackupConfig ${keyOf(derived)}: ${message}` };
  if (!seen || status?.phase !== "Failed") return { state: "waiting", ...said };
  return { state: reason === "NoSources" ? "empty" : "failed", ...said };
}

function failed(reason: string, message: string): NamespaceState {
  return { state: "failed", reason, message };
}

/** The reason of a BackupConfig that the API server does not let be repeated somewhere. */
export const CONFIG_REFUSED = "RecipeRefused";

/** What the status says of a namespace where the BackupConfig was refused. */
export function refusedEntry(entry: NamespaceEntry, why: string): NamespaceEntry {
  return { ...entry, reason: CONFIG_REFUSED, message: cut(`It is refused there: ${why}`, LONGEST_OF_MANY) };
}

/** That the BackupConfig was refused in a namespace as it is now, so that it is not waited for: nothing else would end that. */
export function refusalIn({ metadata, status }: BackupConfig, namespace: string): NamespaceState | undefined {
  if (status?.observedGeneration !== metadata.generation) return undefined;
  const { reason, message = "" } = status?.namespaces?.find((one) => one.namespace === namespace) ?? {};
  return reason === CONFIG_REFUSED ? { state: "failed", reason, message } : undefined;
}

/** What is to be done about a BackupConfig that repeats one of another namespace. */
export type DerivedConfigIntent =
  | { readonly type: "Make"; readonly draft: Draft<BackupConfig> }
  /** As it was seen: another one of its name is left alone. */
  | { readonly type: "Adapt"; readonly derived: BackupConfig; readonly draft: Draft<BackupConfig> };

/** How a BackupConfig stands in a namespace, as its status says. */
export type NamespaceEntry = NonNullable<BackupConfigStatus["namespaces"]>[number];

export interface DerivedConfigIntents {
  readonly intents: readonly DerivedConfigIntent[];
  /** What the status says meanwhile. */
  readonly namespaces: readonly NamespaceEntry[];
}
