import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import { keyOf } from "../../../kube/object.ts";
import { holderText, type IdentityDefaults, wantedHolder } from "./config_identity.ts";
import { isReaching } from "./reach.ts";
import { hasSelector, knownPaths, namedPaths } from "./recorded_paths.ts";
import type { Violation } from "./violation.ts";

export interface Recipes {
  readonly config: BackupConfig;
  /** All recipes of the same repository, itself included or not. */
  readonly others: readonly BackupConfig[];
  /** Of their repository. */
  readonly defaults?: IdentityDefaults | undefined;
}

/**
 * Two recipes that record the same path of the same identity in one repository: each would take the other's snapshots
 * for its own, and prune them.
 */
export function identityCollision(recipes: Recipes): Violation | undefined {
  const { config } = recipes;
  const paths = knownPaths(config);
  for (const { other, holder } of sharers(recipes)) {
    const shared = [...knownPaths(other)].find((path) => paths.has(path));
    if (shared === undefined) continue;
    return {
      reason: "IdentityCollision",
      field: namedPaths(config).find(({ path }) => path === shared)?.field ?? "spec.sources",
      what: `${holder}:${shared} is taken`,
      why: `${theOther(config, other)} records the same path under the same identity in this repository, and each would prune the other's snapshots`,
      fix: "Set another spec.identity, or another sourcePathOverride",
    };
  }
  return undefined;
}

/** A recipe of the same identity, one of the two with a selector: whether they meet shows when it is resolved. */
export function possibleCollision(recipes: Recipes): string | undefined {
  const { config } = recipes;
  const found = sharers(recipes).find(({ other }) => hasSelector(other) || hasSelector(config));
  return found && `${theOther(config, found.other)} has the same identity: their claims must not overlap`;
}

/** Whether the other one was first, so that this one has to give way. */
export function givesWayTo(config: BackupConfig, other: BackupConfig): boolean {
  const age = ({ metadata }: BackupConfig) => `${metadata.creationTimestamp} ${keyOf(metadata)}`;
  return age(other) < age(config);
}

/** The other recipes that have an identity in common with this one, and which. */
function sharers({ config, others, defaults }: Recipes) {
  // What is about several namespaces is recorded by the recipes that repeat it there.
  if (isReaching(config)) return [];
  const mine = holdersOf(config, defaults);
  return others.flatMap((other) => {
    if (isReaching(other)) return [];
    const holder = [...holdersOf(other, defaults)].find((one) => mine.has(one));
    if (holder === undefined || keyOf(other) === keyOf(config) || other.metadata.deletionTimestamp) return [];
    return [{ other, holder }];
  });
}

/** By recipe, as caches hold it: thousands may share a repository, and every write asks about all of them. */
const known = new WeakMap<
  BackupConfig,
  { readonly defaults: unknown; readonly holders: ReadonlySet<string> }
>();

/** The identity that it asks for, and the one that its snapshots have so far. */
export function holdersOf(config: BackupConfig, defaults: IdentityDefaults | undefined): ReadonlySet<string> {
  const before = known.get(config);
  if (before && before.defaults === defaults) return before.holders;
  const wanted = wantedHolder(config, defaults);
  const pinned = config.status?.resolved?.identity;
  const both = [...(wanted.ok ? [wanted.value] : []), ...(pinned ? [pinned] : [])];
  const holders = new Set(both.map(holderText));
  known.set(config, { defaults, holders });
  return holders;
}

/** What other namespaces call their things is theirs. */
function theOther(config: BackupConfig, other: BackupConfig): string {
  return other.metadata.namespace === config.metadata.namespace
    ? `BackupConfig ${other.metadata.name}`
    : "a BackupConfig of another namespace";
}
