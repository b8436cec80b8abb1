import {
  ReplicationDestinations,
  type ReplicationSource,
  ReplicationSources,
} from "../../../kinds/plumber/volsync.ts";
import { SCHEDULED_TIERS, STATE_ANNOTATIONS } from "../../../kinds/plumber/words.ts";
import { keyOf } from "../../../kube/object.ts";
import { maySnapshotNow, waitsForRequest } from "../policy/source_state.ts";
import { volsyncCron } from "../policy/volsync_cron.ts";
import type { PlumberSettings, TierRetention } from "../settings.ts";
import { generatedMarks, generatedNames } from "./generated_marks.ts";
import type { GeneratedFor, WantedRequest } from "./output.ts";

/** VolSync restores once for this value, and again only for another one. */
const RESTORE_ONCE = "restore-once";

/** The ReplicationSource and the ReplicationDestination of a PVC. */
export function volsyncObjects(request: WantedRequest, settings: PlumberSettings): GeneratedFor {
  const { claim, pvc } = request;
  const { namespace = "", name } = claim.metadata;
  const names = generatedNames(name, settings.namingStrategy);
  const marks = generatedMarks({ namespace, name, pvc });
  const metadata = (own: string) => ({ namespace, name: own, ...marks });
  const { username, hostname } = pvc.identity;
  const { volumeSnapshotClassName = null, cacheCapacity = null } = settings.volsync;
  const shared = {
    repository: settings.repoSecretName,
    username,
    hostname,
    storageClassName: settings.volsync.storageClassName ?? claim.spec?.storageClassName ?? null,
    volumeSnapshotClassName,
    cacheCapacity,
    moverSecurityContext: { runAsUser: pvc.uid, runAsGroup: pvc.gid, fsGroup: pvc.gid },
  };
  const trigger = sourceTrigger(request, settings);
  const source = request.present?.schedule as ReplicationSource | undefined;
  return {
    config: undefined,
    restore: {
      resource: ReplicationDestinations,
      object: {
        metadata: metadata(names.restore),
        spec: {
          trigger: { manual: RESTORE_ONCE },
          kopia: {
            ...shared,
            // What a PVC names as the source of its data is a VolumeSnapshot.
            copyMethod: "Snapshot",
            capacity: claim.spec?.resources?.requests?.storage ?? null,
            accessModes: claim.spec?.accessModes ?? null,
          },
        },
      },
    },
    schedule: trigger && {
      resource: ReplicationSources,
      object: {
        metadata: metadata(names.schedule),
        spec: {
          sourcePVC: name,
          trigger,
          kopia: { ...shared, copyMethod: settings.copyMethod, retain: retainOf(request, settings) },
        },
      },
    },
    scheduleResource: ReplicationSources,
    bypassesAge: typeof trigger?.manual === "string" && waitsForRequest(request.source?.state),
    onDemand: { by: "schedule", done: source?.status?.lastManualSync },
  };
}

/**
 * When VolSync backs up; undefined for never. VolSync runs all the time where nothing says when, and only on request
 * while there is one: a request goes once it was met, so that the schedule counts again.
 */
export function sourceTrigger(
  { claim, pvc, source, present }: WantedRequest,
  settings: Pick<PlumberSettings, "tiers">,
): { readonly schedule: string | null; readonly manual: string | null } | undefined {
  if (!source || !maySnapshotNow(source)) return undefined;
  const { spec, status } = (present?.schedule ?? {}) as Partial<ReplicationSource>;
  const asked =
    claim.metadata.annotations?.[STATE_ANNOTATIONS.handledTrigger] === pvc.trigger ? undefined : pvc.trigger;
  const requests = [asked, spec?.trigger?.manual];
  const manual = requests.find((one) => one !== undefined && one !== status?.lastManualSync) ?? null;
  const tier = source.state === "ready" ? SCHEDULED_TIERS.find((one) => one === pvc.tier) : undefined;
  const cron = tier && volsyncCron(settings.tiers[tier].cron, keyOf(claim.metadata));
  const schedule = cron?.ok ? cron.value : null;
  return schedule === null && manual === null ? undefined : { schedule, manual };
}

const RETAINED = {
  keepLatest: "latest",
  keepHourly: "hourly",
  keepDaily: "daily",
  keepWeekly: "weekly",
  keepMonthly: "monthly",
  keepAnnual: "yearly",
} as const satisfies Record<keyof TierRetention, string>;

/** A tier without retention keeps everything: left alone, kopia would keep ten. */
const EVERYTHING: TierRetention = { keepLatest: 100_000 };

function retainOf({ pvc }: WantedRequest, { tiers }: PlumberSettings) {
  const tier = SCHEDULED_TIERS.find((one) => one === pvc.tier);
  const retention = tier ? tiers[tier].retention : EVERYTHING;
  const names = Object.entries(RETAINED) as [keyof TierRetention, string][];
  return Object.fromEntries(names.map(([name, volsync]) => [volsync, retention[name] ?? null]));
}
