import type { Violation } from "../../../core/reconcile/violation.ts";
import type { IdentityDefaults } from "../../../core/rules/identity_templates.ts";
import { DERIVED_ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import { LABELS } from "../../../kinds/kopiur/labels.ts";
import { type Draft, keyOf, type ObjectKey } from "../../../kube/object.ts";
import { fingerprint } from "../../../lib/hash.ts";
import { objectName } from "../../../lib/names.ts";
import { ok, type Result } from "../../../lib/result.ts";
import { wantedHolder } from "../rules/config_identity.ts";
import { sourcesByNamespace } from "./namespaces_of.ts";

/**
 * Where the BackupConfig is that repeats another one beside claims of a namespace: under the same name also for one that is
 * created again, so that the Backups there stay those of one BackupConfig.
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
  /** Of the BackupConfig's repository. */
  readonly defaults?: IdentityDefaults | undefined;
  /** Of its schedules, whose days retention goes by. */
  readonly timezone?: string | undefined;
}

/**
 * The BackupConfig as it is repeated for the claims of one namespace. Its snapshots are recorded under that namespace's name,
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
      sources: sourcesByNamespace(config).get(namespace) ?? [],
      ...(own && allowedNamespaces ? { allowedNamespaces } : {}),
      ...(retention ? { retention: { ...retention, ...zone } } : {}),
    },
  });
}

/** Whether it was made to repeat this very BackupConfig. */
export function isDerivedFrom(derived: BackupConfig, config: BackupConfig): boolean {
  const { annotations } = derived.metadata;
  return (
    originKey(derived) === keyOf(config) && annotations?.[DERIVED_ANNOTATIONS.uid] === config.metadata.uid
  );
}

/** The key of the BackupConfig that this one repeats; undefined where it speaks for itself. */
export function originKey({ metadata }: BackupConfig): ObjectKey | undefined {
  return metadata.annotations?.[DERIVED_ANNOTATIONS.from] as ObjectKey | undefined;
}
