import type { ResourceRequirements } from "kubernetes-types/core/v1.d.ts";
import type { ConfigMap } from "../../kube/builtin.ts";
import { type LabelRequirement, type LabelSelector, selects } from "../../kube/label_selector.ts";
import { isRecord } from "../../lib/json.ts";

/** How many volumes of a node are worked on at once, where nobody says. */
export const DEFAULT_CONCURRENCY = 4;

/**
 * What of a node agent's settings counts here. `loadAffinity`, `backupPVC`, `restorePVC` and `cachePVC` do not: in
 * Velero, too, the first three are for volume snapshots alone, as a pod's volume can be read on its pod's node only.
 */
export interface NodeAgentConfig {
  readonly concurrency: number;
  /** For nodes that the selector selects, the smallest number that fits counts. */
  readonly perNode: readonly { readonly nodes: LabelSelector; readonly number: number }[];
  /** How many mover pods may be in preparation at once, on all nodes together. Default: no limit of its own. */
  readonly prepareQueueLength?: number;
  readonly resources?: ResourceRequirements;
  readonly priorityClassName?: string;
  readonly privileged?: true;
  readonly podLabels?: Readonly<Record<string, string>>;
  readonly podAnnotations?: Readonly<Record<string, string>>;
}

/** Reads the settings, in the form that Velero has for its node agent. What cannot be read is left out. */
export function nodeAgentConfig(configMap: ConfigMap | undefined): NodeAgentConfig {
  const json = parsed(Object.values(configMap?.data ?? {})[0]);
  const load = recordAt(json, "loadConcurrency");
  const pod = recordAt(json, "podResources");
  const perNode = Array.isArray(load.perNodeConfig) ? load.perNodeConfig.filter(isRecord) : [];
  const resources = resourcesOf(pod);
  const { priorityClassName, privilegedFsBackup } = json;
  const prepareQueueLength = countOf(load.prepareQueueLength) ?? countOf(json.prepareQueueLength);
  const podLabels = textsAt(json, "podLabels");
  const podAnnotations = textsAt(json, "podAnnotations");
  return {
    concurrency: countOf(load.globalConfig) ?? DEFAULT_CONCURRENCY,
    perNode: perNode.flatMap((rule) => {
      const number = countOf(rule.number);
      return number === undefined ? [] : [{ nodes: selectorAt(rule, "nodeSelector"), number }];
    }),
    ...(prepareQueueLength === undefined ? {} : { prepareQueueLength }),
    ...(resources ? { resources } : {}),
    ...(typeof priorityClassName === "string" && priorityClassName ? { priorityClassName } : {}),
    ...(privilegedFsBackup === true ? { privileged: true } : {}),
    ...(Object.keys(podLabels).length > 0 ? { podLabels } : {}),
    ...(Object.keys(podAnnotations).length > 0 ? { podAnnotations } : {}),
  };
}

/** How many volumes of a node with these labels are worked on at once. */
export function concurrencyAt(
  { concurrency, perNode }: NodeAgentConfig,
  nodeLabels: Readonly<Record<string, string>>,
): number {
  const fitting = perNode.filter(({ nodes }) => selects(nodes, nodeLabels));
  return fitting.length === 0 ? concurrency : Math.min(...fitting.map(({ number }) => number));
}

function resourcesOf(pod: Record<string, unknown>): ResourceRequirements | undefined {
  const part = (kind: "Request" | "Limit") => {
    const found = (["cpu", "memory"] as const).flatMap((name) => {
      const value = pod[`${name}${kind}`];
      return typeof value === "string" && value !== "" && value !== "0" ? [[name, value] as const] : [];
    });
    return found.length === 0 ? undefined : Object.fromEntries(found);
  };
  const [requests, limits] = [part("Request"), part("Limit")];
  if (!requests && !limits) return undefined;
  return { ...(requests ? { requests } : {}), ...(limits ? { limits } : {}) };
}

function parsed(text: string | undefined): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(text ?? "{}");
    return isRecord(json) ? json : {};
  } catch {
    return {};
  }
}

function recordAt(json: Record<string, unknown>, name: string): Record<string, unknown> {
  const value = json[name];
  return isRecord(value) ? value : {};
}

function selectorAt(json: Record<string, unknown>, name: string): LabelSelector {
  const selector = recordAt(json, name);
  const { matchExpressions } = selector;
  const expressions = Array.isArray(matchExpressions) ? matchExpressions.filter(isRequirement) : [];
  return { matchLabels: textsAt(selector, "matchLabels"), matchExpressions: expressions };
}

function isRequirement(value: unknown): value is LabelRequirement {
  return isRecord(value) && typeof value.key === "string" && typeof value.operator === "string";
}

function textsAt(json: Record<string, unknown>, name: string): Readonly<Record<string, string>> {
  const found = Object.entries(recordAt(json, name));
  return Object.fromEntries(
    found.flatMap(([key, value]) => (typeof value === "string" ? [[key, value]] : [])),
  );
}

function countOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value > 0 ? value : undefined;
}
