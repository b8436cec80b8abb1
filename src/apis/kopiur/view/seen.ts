import type { ApiView, Listed } from "../../../core/view/api_view.ts";
import { isMachinery } from "../../../core/view/joined.ts";
import { DERIVED_ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { BackupSchedule } from "../../../kinds/kopiur/generated/backup_schedule.ts";
import { KIND_WORDS } from "../../../kinds/kopiur/words.ts";
import { keyOf } from "../../../kube/object.ts";
import type { AnyRepository } from "../references.ts";
import { type Store, storesAmong } from "../stores_among.ts";

/** Everything that the view is made from. */
export type Seen = ReturnType<typeof seenIn>;

export function seenIn({ of, claims, within, hidden }: Listed) {
  const repositories = repositoriesIn(of);
  return {
    claims,
    within,
    repositories,
    configs: of(KIND_WORDS.config),
    /** Also those of other namespaces whose BackupConfigs are repeated here, and which of these may not be looked at. */
    schedules: of(KIND_WORDS.schedule),
    hidden,
    backups: of(KIND_WORDS.backup),
    restores: of(KIND_WORDS.restore),
    maintenances: of(KIND_WORDS.maintenance),
    /** Claims that hold a repository, as namespace/name. */
    stores: new Set<string>(storesIn(of).map(({ claim }) => keyOf(claim))),
  };
}

function repositoriesIn(of: Listed["of"]): readonly AnyRepository[] {
  return [...of(KIND_WORDS.repository), ...of(KIND_WORDS.clusterrepository)];
}

function storesIn(of: Listed["of"]): readonly Store[] {
  const repositories = repositoriesIn(of);
  const found = new Map<string, AnyRepository>(repositories.map((one) => [keyOf(one), one]));
  return storesAmong({ repositories, configs: of(KIND_WORDS.config), find: (key) => found.get(key) });
}

/** What has to be listed in a namespace to know on which of its PVCs repositories lie. */
export const STORES: NonNullable<ApiView["stores"]> = {
  resources: [KIND_WORDS.repository, KIND_WORDS.clusterrepository, KIND_WORDS.config],
  among: (of, namespace) =>
    new Map(
      storesIn(of).flatMap(({ claim, repository }) =>
        claim.namespace === namespace ? [[claim.name, repository] as const] : [],
      ),
    ),
};

/** The claims that there is something to say about, as namespace/name. */
export function shownClaims({ claims, stores }: Seen): readonly string[] {
  return claims
    .filter((claim) => !isMachinery(claim))
    .map(({ metadata }) => keyOf(metadata))
    .filter((key) => !stores.has(key));
}

/** The BackupConfig that schedules name to have this one run, as namespace/name: a repeated one has none of its own. */
export function scheduledAs({ metadata }: BackupConfig): string {
  return metadata.annotations?.[DERIVED_ANNOTATIONS.from] ?? keyOf(metadata);
}

/** The namespace of that one. */
export function scheduledIn(config: BackupConfig): string {
  return scheduledAs(config).split("/")[0] ?? "";
}

/** The BackupConfig that a schedule names, as namespace/name. */
export function configOf({ metadata, spec }: BackupSchedule): string {
  return keyOf({ namespace: metadata.namespace, name: spec.configRef.name });
}

/** The BackupConfig that a Backup is of, with its namespace. */
export function planKeys({ metadata, spec }: Backup): readonly string[] {
  const { name, namespace = metadata.namespace } = spec.configRef ?? {};
  return name === undefined ? [] : [keyOf({ namespace, name })];
}

/** The claims that the BackupConfig has resolved to, or, before it resolves, names; as namespace/name. */
export function claimsOf(config: BackupConfig): readonly string[] {
  return config.status?.resolved?.identity?.sources?.map(({ pvc }) => pvc) ?? namedClaims(config);
}

/** The claims that the BackupConfig itself names, as namespace/name. They are in its own namespace. */
export function namedClaims({ metadata, spec }: BackupConfig): readonly string[] {
  return spec.sources.flatMap(({ pvc }) =>
    pvc ? [keyOf({ namespace: metadata.namespace, name: pvc.name })] : [],
  );
}

/** By every key that a function gives for an item. */
export function groupedBy<T>(items: readonly T[], keys: (item: T) => readonly string[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    for (const key of keys(item)) {
      const group = groups.get(key);
      if (group) group.push(item);
      else groups.set(key, [item]);
    }
  }
  return groups;
}
