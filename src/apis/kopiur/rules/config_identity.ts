import { type Holder, resolveHolder } from "../../../core/policy/identity.ts";
import { ANNOTATIONS, DERIVED_ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { ClusterRepositorySpec } from "../../../kinds/kopiur/generated/cluster_repository.ts";
import type { ResolvedSource } from "../../../kinds/kopiur/parts.ts";
import { type ObjectKey, parseKey } from "../../../kube/object.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { someOf } from "../../../lib/some_of.ts";
import { identityText } from "../../../wire/identity.ts";
import type { Violation } from "./violation.ts";

export type IdentityDefaults = NonNullable<ClusterRepositorySpec["identityDefaults"]>;

export const holderText = ({ username, hostname }: Holder): string => `${username}@${hostname}`;

/**
 * The identity that a recipe asks for, by its own words and its repository's templates. One that repeats another has
 * that one's name in them.
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

/** The identity that a recipe is recorded under: pinned when it was first resolved, and only changed knowingly. */
export function pinnedHolder(config: BackupConfig, defaults?: IdentityDefaults): Result<Holder, Violation> {
  const wanted = wantedHolder(config, defaults);
  const pinned = config.status?.resolved?.identity;
  if (!wanted.ok || !pinned) return wanted;
  const [before, after] = [holderText(pinned), holderText(wanted.value)];
  if (before === after) return ok(wanted.value);
  if (config.metadata.annotations?.[ANNOTATIONS.acknowledgeIdentity] === after) return wanted;
  return err({
    reason: "IdentityChanged",
    field: "spec.identity",
    what: `the identity cannot become ${after}`,
    why: `the snapshots so far are recorded as ${before}, and none of them would be found`,
    fix: `Set the identity back, or accept the change with the annotation ${ANNOTATIONS.acknowledgeIdentity}=${after}`,
  });
}

/**
 * Claims whose path would be another than the one that is pinned: it is part of the identity. Another holder that was
 * accepted leaves all snapshots behind anyway.
 */
export function pathsChanged(
  { metadata, status }: BackupConfig,
  holder: Holder,
  sources: readonly ResolvedSource[],
): Violation | undefined {
  const pinned = status?.resolved?.identity;
  if (!pinned || holderText(pinned) !== holderText(holder)) return undefined;
  const paths = new Map((pinned.sources ?? []).map(({ pvc, sourcePath }) => [pvc, sourcePath] as const));
  const changes = sources.flatMap(({ pvc, sourcePath }) => {
    const path = paths.get(pvc);
    if (path === undefined || path === sourcePath) return [];
    return [
      { before: identityText({ ...holder, path }), after: identityText({ ...holder, path: sourcePath }) },
    ];
  });
  const accepted = `,${metadata.annotations?.[ANNOTATIONS.acknowledgeIdentity] ?? ""},`;
  if (changes.every(({ after }) => accepted.includes(`,${after},`))) return undefined;
  const wanted = changes.map(({ after }) => after);
  return {
    reason: "IdentityChanged",
    field: "spec.sources",
    what: `the identity cannot become ${someOf(wanted)}`,
    why: `the snapshots so far are recorded as ${someOf(changes.map(({ before }) => before))}, and none of them would be found`,
    fix: `Set the path back, or accept the change with the annotation ${ANNOTATIONS.acknowledgeIdentity}=${wanted.join(",")}`,
  };
}
