import { DERIVED_ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import { LABELS } from "../../../kinds/kopiur/labels.ts";
import { type Draft, keyOf, type ObjectKey } from "../../../kube/object.ts";
import { fingerprint } from "../../../lib/hash.ts";
import { objectName } from "../../../lib/names.ts";
import { ok, type Result } from "../../../lib/result.ts";
import { type IdentityDefaults, wantedHolder } from "../rules/config_identity.ts";
import { reachOf } from "../rules/reach.ts";
import type { Violation } from "../rules/violation.ts";

/**
 * Where the recipe is that repeats another one beside claims of a namespace: under the same name also for one that is
 * created again, so that the Backups there stay those of one recipe.
 */
export function derivedName(
  config: BackupConfig,
  namespace: string,
): { readonly namespace: string; readonly name: string } {
  return { namespace, name: objectName(config.metadata.name, fingerprint(keyOf(config), 10)) };
}

export interface DerivationRequest {
  readonly config: BackupConfig;
  readonly namespace: string;
  /** Of the recipe's repository. */
  readonly defaults?: IdentityDefaults | undefined;
  /** Of its schedules, whose days retention goes by. */
  readonly timezone?: string | undefined;
}

/**
 * The recipe as it is repeated for the claims of one namespace. Its snapshots are recorded under that namespace's name,
 * and to whom they may be given is for that namespace to say.
 */
export function derivedDraft(request: DerivationRequest): Result<Draft<BackupConfig>, Violation> {
  const { config, namespace, defaults, timezone } = request;
  const { metadata, spec } = config;
  const { allowedNamespaces, identity, retention, repository, ...words } = spec;
  const own = namespace === metadata.namespace;
  const said = own ? identity : identity?.username ? { username: identity.username } : undefined;
  const { identity: _, ...unnamed } = spec;
  const meant = { ...unnamed, ...(said ? { identity: said } : {}) };
  const holder = wantedHolder({ ...config, metadata: { ...metadata, namespace }, spec: meant }, defaults);
  if (!holder.ok) return holder;
  const { kind, name, namespace: place = metadata.namespace } = repository;
  const here = own || kind === "ClusterRepository" || place === undefined;
  const zone = retention && !retention.timezone && timezone !== undefined ? { timezone } : {};
  return ok({
    metadata: {
      ...derivedName(config, namespace),
      labels: { [LABELS.derived]: "true" },
      annotations: {
        [DERIVED_ANNOTATIONS.from]: keyOf(config),
        [DERIVED_ANNOTATIONS.uid]: metadata.uid,
      },
    },
    spec: {
      ...words,
      repository: here ? repository : { kind, name, namespace: place },
      identity: { ...said, username: holder.value.username },
      sources: reachOf(config).get(namespace) ?? [],
      ...(own && allowedNamespaces ? { allowedNamespaces } : {}),
      ...(retention ? { retention: { ...retention, ...zone } } : {}),
    },
  });
}

/** Whether it was made to repeat this very recipe. */
export function isDerivedFrom(derived: BackupConfig, config: BackupConfig): boolean {
  const { annotations } = derived.metadata;
  return (
    originKey(derived) === keyOf(config) && annotations?.[DERIVED_ANNOTATIONS.uid] === config.metadata.uid
  );
}

/** The key of the recipe that this one repeats; undefined where it speaks for itself. */
export function originKey({ metadata }: BackupConfig): ObjectKey | undefined {
  return metadata.annotations?.[DERIVED_ANNOTATIONS.from] as ObjectKey | undefined;
}
