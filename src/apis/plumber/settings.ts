import { parseCron } from "../../core/policy/cron.ts";
import { SettingsReader } from "../../core/policy/settings_reader.ts";
import { MODES, type Mode, type ScheduledTier } from "../../kinds/plumber/words.ts";
import { volsyncCron } from "./policy/volsync_cron.ts";

/** Which of the two kinds of repositories, and which one. */
export interface RepositoryRef {
  readonly kind: "Repository" | "ClusterRepository";
  readonly name: string;
  /** Of a Repository. */
  readonly namespace?: string;
}

/** How many successful backups of each kind stay. */
export interface TierRetention {
  readonly keepLatest?: number;
  readonly keepHourly?: number;
  readonly keepDaily?: number;
  readonly keepWeekly?: number;
  readonly keepMonthly?: number;
  readonly keepAnnual?: number;
}

export interface TierSettings {
  /** Five fields of cron, with `H` for a value that differs between PVCs. */
  readonly cron: string;
  readonly retention: TierRetention;
}

/** How generated objects are named after their PVC: `<pvc>` and `<pvc>-dst`, or `<pvc>-backup` for both. */
export const NAMING_STRATEGIES = ["bare-dst", "legacy-backup"] as const;
export type NamingStrategy = (typeof NAMING_STRATEGIES)[number];

/** Whose objects the labels of a PVC become: those of the native API, or VolSync's. */
export const OUTPUTS = ["native", "volsync"] as const;
export type OutputName = (typeof OUTPUTS)[number];

/** What VolSync's objects have beside what every output needs. */
export interface VolsyncSettings {
  /** Default: those of the PVC, or of the cluster. */
  readonly storageClassName?: string;
  readonly volumeSnapshotClassName?: string;
  /** Of the mover's cache, such as 2Gi. Default: VolSync's. */
  readonly cacheCapacity?: string;
}

/** What is set for this API, for all PVCs. */
export interface PlumberSettings {
  readonly mode: Mode;
  readonly output: OutputName;
  /** The Secret in every namespace from which VolSync's movers know the repository. */
  readonly repoSecretName: string;
  readonly volsync: VolsyncSettings;
  readonly repository: RepositoryRef;
  readonly namingStrategy: NamingStrategy;
  readonly tiers: Readonly<Record<ScheduledTier, TierSettings>>;
  /** How the volumes are captured. */
  readonly copyMethod: "Snapshot" | "Clone" | "Direct";
  readonly uid: number;
  readonly gid: number;
  /** How old a PVC must be before its first backup, in milliseconds. */
  readonly minBackupAge: number;
  /** How often the repository is asked which backups there are, in milliseconds. */
  readonly refreshInterval: number;
  /** How long generated objects outlive their PVC, in milliseconds. */
  readonly removalGrace: number;
  /** No PVC of these is looked at. */
  readonly excludedNamespaces: readonly string[];
}

const HOUR = 3_600_000;
const MINUTE = 60_000;

/** Where the parts of a cluster are at home that volumes themselves depend on. */
const SYSTEM_NAMESPACES = [
  "kube-system",
  "kube-public",
  "kube-node-lease",
  "argocd",
  "cert-manager",
  "external-secrets",
  "flux-system",
  "longhorn-system",
  "volsync-system",
];

export const DEFAULTS: PlumberSettings = {
  mode: "audit",
  output: "native",
  repoSecretName: "volsync-kopia-repository",
  volsync: {},
  repository: { kind: "ClusterRepository", name: "pvc-plumber" },
  namingStrategy: "bare-dst",
  tiers: {
    hourly: {
      cron: "H * * * *",
      retention: { keepHourly: 24, keepDaily: 7, keepWeekly: 4, keepMonthly: 2 },
    },
    daily: { cron: "H H(0-5) * * *", retention: { keepDaily: 14, keepWeekly: 6, keepMonthly: 2 } },
    weekly: { cron: "H H(0-5) * * 0", retention: { keepWeekly: 8, keepMonthly: 6 } },
  },
  copyMethod: "Snapshot",
  uid: 568,
  gid: 568,
  minBackupAge: 2 * HOUR,
  refreshInterval: MINUTE,
  removalGrace: 15 * MINUTE,
  excludedNamespaces: SYSTEM_NAMESPACES,
};

/** Reads what was set, with the defaults for the rest. Throws on a value that it does not understand. */
export function plumberSettings(given: unknown): PlumberSettings {
  const read = new SettingsReader("plumber", given);
  const repository = read.part("repository");
  const kind = repository.oneOf("kind", ["Repository", "ClusterRepository"] as const);
  const name = repository.text("name");
  const namespace = repository.text("namespace");
  repository.end();
  const ref: RepositoryRef = {
    kind: kind ?? DEFAULTS.repository.kind,
    name: name ?? DEFAULTS.repository.name,
    ...(namespace ? { namespace } : {}),
  };
  if (ref.kind === "Repository" && !ref.namespace) {
    throw new Error("plumber.repository.namespace must be set: a Repository is in a namespace");
  }
  if (ref.kind === "ClusterRepository" && ref.namespace) {
    throw new Error("plumber.repository.namespace must not be set for a ClusterRepository, which has none");
  }
  const output = read.oneOf("output", OUTPUTS) ?? DEFAULTS.output;
  const tiers = read.part("tiers");
  const settings: PlumberSettings = {
    mode: read.oneOf("mode", MODES) ?? DEFAULTS.mode,
    output,
    repoSecretName: read.text("repoSecretName") ?? DEFAULTS.repoSecretName,
    volsync: volsyncOf(read.part("volsync")),
    repository: ref,
    namingStrategy: read.oneOf("namingStrategy", NAMING_STRATEGIES) ?? DEFAULTS.namingStrategy,
    tiers: {
      hourly: tierOf(tiers, "hourly", output),
      daily: tierOf(tiers, "daily", output),
      weekly: tierOf(tiers, "weekly", output),
    },
    copyMethod: read.oneOf("copyMethod", ["Snapshot", "Clone", "Direct"] as const) ?? DEFAULTS.copyMethod,
    uid: read.number("uid", MAX_ID) ?? DEFAULTS.uid,
    gid: read.number("gid", MAX_ID) ?? DEFAULTS.gid,
    minBackupAge: read.duration("minBackupAge") ?? DEFAULTS.minBackupAge,
    refreshInterval: Math.max(SHORTEST_REFRESH, read.duration("refreshInterval") ?? DEFAULTS.refreshInterval),
    removalGrace: read.duration("removalGrace") ?? DEFAULTS.removalGrace,
    excludedNamespaces: read.texts("excludedNamespaces") ?? DEFAULTS.excludedNamespaces,
  };
  tiers.end();
  read.end();
  return settings;
}

/** Whether labels become objects of VolSync with these settings of all APIs. */
export function writesVolsync(ofApis: { readonly plumber?: unknown } | undefined): boolean {
  return plumberSettings(ofApis?.plumber).output === "volsync";
}

function volsyncOf(given: SettingsReader): VolsyncSettings {
  const names = ["storageClassName", "volumeSnapshotClassName", "cacheCapacity"] as const;
  const set = names.flatMap((name) => {
    const value = given.text(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  given.end();
  return Object.fromEntries(set);
}

/** The largest user and group that a pod may have. */
export const MAX_ID = 2_147_483_647;
const SHORTEST_REFRESH = 1_000;
const KEEPS = ["keepLatest", "keepHourly", "keepDaily", "keepWeekly", "keepMonthly", "keepAnnual"] as const;
const MOST_KEPT = 100_000;

function tierOf(tiers: SettingsReader, tier: ScheduledTier, output: OutputName): TierSettings {
  const given = tiers.part(tier);
  const kept = given.part("retention");
  const counts = KEEPS.flatMap((name) => {
    const count = kept.number(name, MOST_KEPT);
    return count === undefined ? [] : [[name, count] as const];
  });
  kept.end();
  const cron = given.text("cron") ?? DEFAULTS.tiers[tier].cron;
  const read = output === "volsync" ? volsyncCron(cron, tier) : parseCron({ expression: cron, seed: tier });
  if (!read.ok) throw new Error(`plumber.tiers.${tier}.cron: ${read.error}`);
  given.end();
  const retention = counts.length > 0 ? Object.fromEntries(counts) : DEFAULTS.tiers[tier].retention;
  return { cron, retention };
}
