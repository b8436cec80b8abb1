import { isSelectable } from "../../../core/volumes/selectable_claims.ts";
import type { Stores, StoresIn } from "../../../core/volumes/stores.ts";
import { ANNOTATIONS } from "../../../kinds/autorestore/annotations.ts";
import type { BackupConfig } from "../../../kinds/autorestore/generated/backup_config.ts";
import { LABELS } from "../../../kinds/autorestore/labels.ts";
import { selects } from "../../../kube/label_selector.ts";
import { type KubeObject, keyOf, type ObjectKey } from "../../../kube/object.ts";
import { labelValue, objectName } from "../../../lib/names.ts";

export type Selector = BackupConfig["spec"]["selectors"][number];
export type Target = BackupConfig["spec"]["backupTargets"][number];

/** A BackupConfig as labels name it: a value cannot hold a slash. */
export function configLabel({
  namespace = "",
  name,
}: {
  readonly namespace?: string;
  readonly name: string;
}): string {
  return labelValue(`${namespace}.${name}`);
}

/** The BackupConfig that has claimed a PVC, as namespace/name. A label alone, such as one that was copied, is no claim. */
export function claimedBy({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[LABELS.managedBy] === undefined
    ? undefined
    : metadata.annotations?.[ANNOTATIONS.managedBy];
}

/** Targets in the order in which restores try them. */
export function byPriority({ spec }: BackupConfig): readonly Target[] {
  return spec.backupTargets.toSorted((a, b) => a.priority - b.priority);
}

/** The ResticRepository of a target: the one that it names, or the one that is made for it. */
export function repositoryName({ metadata }: BackupConfig, { name, repository }: Target): string {
  return repository.name ?? objectName(metadata.name, name);
}

/** The names of ResticRepositories to be made for targets, under which there are some that were made for something else. */
export function takenNames(
  config: BackupConfig,
  repository: (name: string) => KubeObject | undefined,
): readonly string[] {
  return config.spec.backupTargets
    .filter((target) => target.repository.name === undefined)
    .map((target) => repositoryName(config, target))
    .filter((name) => {
      const found = repository(name);
      return found && found.metadata.labels?.[LABELS.config] !== configLabel(config.metadata);
    });
}

export function usesRepository(config: BackupConfig, key: ObjectKey): boolean {
  const { namespace } = config.metadata;
  return config.spec.backupTargets.some(
    (one) => keyOf({ namespace, name: repositoryName(config, one) }) === key,
  );
}

/** The first selector that selects a PVC. A selector without namespaces selects in the BackupConfig's. */
export function selectorOf(
  { metadata: own, spec }: BackupConfig,
  { metadata }: KubeObject,
): Selector | undefined {
  const { labels = {}, annotations = {}, name, namespace = "" } = metadata;
  return spec.selectors.find(({ labelSelector, annotationSelector = {}, namespaces, names }) => {
    if (!(namespaces ?? [own.namespace ?? ""]).includes(namespace)) return false;
    if (names && !names.includes(name)) return false;
    if (labelSelector && !selects(labelSelector, labels)) return false;
    return Object.entries(annotationSelector).every(([key, value]) => annotations[key] === value);
  });
}

/** Whether a namespace lets BackupConfigs of another one select its PVCs. */
export function allowsConfigs(namespace: KubeObject | undefined, from: string): boolean {
  const list = namespace?.metadata.annotations?.[ANNOTATIONS.allowedConfigs] ?? "";
  const names = list.split(",").map((one) => one.trim());
  return names.includes("*") || names.includes(from);
}

export interface ClaimView<C extends KubeObject> {
  readonly config: BackupConfig;
  readonly claims: Iterable<C>;
  /** The PVCs that repositories lie on. */
  readonly stores: StoresIn;
  namespace(name: string): KubeObject | undefined;
  /** Whether there is a BackupConfig of this key. */
  exists(config: string): boolean;
}

export interface ClaimsDecision<C> {
  /** Claimed before, and still selected. */
  readonly managed: readonly C[];
  /** To be claimed now. */
  readonly free: readonly C[];
  /** Claimed before, and not selected any more. */
  readonly released: readonly C[];
  /** Namespaces that do not let this BackupConfig in. */
  readonly forbidden: readonly string[];
}

/** Which PVCs belong to a BackupConfig: one owner each, the first that comes. */
export function decideClaims<C extends KubeObject>(view: ClaimView<C>): ClaimsDecision<C> {
  const { config, exists } = view;
  const stores = new Map<string, Stores>();
  const storesIn = (namespace: string) => {
    const known = stores.get(namespace) ?? view.stores(namespace);
    stores.set(namespace, known);
    return known;
  };
  const own = keyOf(config);
  const { namespace: home = "", deletionTimestamp: going } = config.metadata;
  const decision = { managed: [] as C[], free: [] as C[], released: [] as C[], forbidden: new Set<string>() };
  for (const claim of view.claims) {
    const owner = claimedBy(claim);
    const { namespace = "" } = claim.metadata;
    const wanted =
      !going &&
      !storesIn(namespace).has(claim.metadata.name) &&
      isSelectable(claim, undefined) &&
      selectorOf(config, claim) !== undefined;
    const allowed = namespace === home || allowsConfigs(view.namespace(namespace), home);
    if (wanted && !allowed) decision.forbidden.add(namespace);
    if (owner === own) (wanted && allowed ? decision.managed : decision.released).push(claim);
    // What a BackupConfig has left behind that is gone is free again.
    else if (wanted && allowed && (owner === undefined || !exists(owner))) decision.free.push(claim);
  }
  return { ...decision, forbidden: [...decision.forbidden].sort() };
}
