import { type Holder, resolveHolder } from "../../../core/policy/identity.ts";
import type { Violation } from "../../../core/reconcile/violation.ts";
import {
  holdersAmong,
  type IdentityUser,
  type IdentityUsers,
  identityCollision,
  possibleCollision,
} from "../../../core/rules/identity_collision.ts";
import type { IdentityDefaults } from "../../../core/rules/identity_templates.ts";
import { pathsChanged, pinnedHolder } from "../../../core/rules/pinned_identity.ts";
import { DERIVED_ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { ResolvedSource } from "../../../kinds/kopiur/parts.ts";
import { type ObjectKey, parseKey } from "../../../kube/object.ts";
import { err, type Result } from "../../../lib/result.ts";
import { isMultiNamespace } from "../multi_namespace/namespaces_of.ts";
import type { AnyRepository } from "../references.ts";
import { hasSelector, knownPaths } from "./recorded_paths.ts";

export function identityDefaultsOf(repository: AnyRepository | undefined): IdentityDefaults | undefined {
  return repository && "identityDefaults" in repository.spec ? repository.spec.identityDefaults : undefined;
}

/**
 * The identity that a BackupConfig asks for, by its own words and its repository's templates. One that repeats another
 * has that one's name in them.
 */
export function wantedHolder(config: BackupConfig, defaults?: IdentityDefaults): Result<Holder, Violation> {
  const { metadata, spec } = config;
  const origin = metadata.annotations?.[DERIVED_ANNOTATIONS.from];
  const holder = resolveHolder({
    namespace: metadata.namespace ?? "",
    configName: origin === undefined ? metadata.name : parseKey(origin as ObjectKey).name,
    explicit: spec.identity,
    templates: { username: defaults?.usernameTemplate, hostname: defaults?.hostnameTemplate },
  });
  if (holder.ok) return holder;
  return err({
    reason: "InvalidIdentity",
    field: "spec.identity",
    what: "the snapshots cannot be recorded under this identity",
    why: holder.error,
    fix: "Set username and hostname in spec.identity",
  });
}

/** The identity that a BackupConfig records under: pinned when it was first resolved, and only changed knowingly. */
export function configHolder(config: BackupConfig, defaults?: IdentityDefaults): Result<Holder, Violation> {
  const wanted = wantedHolder(config, defaults);
  const pinned = config.status?.resolved?.identity;
  return wanted.ok ? pinnedHolder(config, { wanted: wanted.value, pinned }, "spec.identity") : wanted;
}

/** Claims whose path would be another than the one that is pinned. */
export function configPathsChanged(
  config: BackupConfig,
  holder: Holder,
  sources: readonly ResolvedSource[],
): Violation | undefined {
  const pinned = config.status?.resolved?.identity;
  return pathsChanged(config, pinned, { holder, sources }, "spec.sources");
}

/** By BackupConfig, as caches hold it: thousands may share a repository, and every write asks about all of them. */
const known = new WeakMap<BackupConfig, { readonly defaults: unknown; readonly user: IdentityUser }>();

/** What a BackupConfig records. What is about several namespaces is recorded by those that repeat it there. */
export function identityUser(config: BackupConfig, defaults: IdentityDefaults | undefined): IdentityUser {
  const before = known.get(config);
  if (before && before.defaults === defaults) return before.user;
  const wanted = wantedHolder(config, defaults);
  const user = {
    object: config,
    holders: holdersAmong(wanted.ok ? wanted.value : undefined, config.status?.resolved?.identity),
    paths: () => knownPaths(config),
    selects: hasSelector(config),
  };
  known.set(config, { defaults, user });
  return user;
}

export interface ConfigsOfRepository {
  readonly config: BackupConfig;
  /** All BackupConfigs of the same repository, itself included or not. */
  readonly others: readonly BackupConfig[];
  /** Of their repository. */
  readonly defaults?: IdentityDefaults | undefined;
}

/** Two BackupConfigs that record the same path of the same identity in one repository. */
export function configCollision(configs: ConfigsOfRepository): Violation | undefined {
  const fix = "Set another spec.identity, or another sourcePathOverride";
  const users = usersOf(configs);
  return users && identityCollision(users, { field: "spec.sources", fix });
}

/** A BackupConfig of the same identity, one of the two with a selector. */
export function possibleConfigCollision(configs: ConfigsOfRepository): string | undefined {
  const users = usersOf(configs);
  return users && possibleCollision(users);
}

function usersOf({ config, others, defaults }: ConfigsOfRepository): IdentityUsers | undefined {
  if (isMultiNamespace(config)) return undefined;
  const recording = others.filter((other) => !isMultiNamespace(other));
  return {
    user: identityUser(config, defaults),
    others: recording.map((other) => identityUser(other, defaults)),
  };
}
