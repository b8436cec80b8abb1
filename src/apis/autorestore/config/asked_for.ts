import { type Accepted, acceptance } from "../../../core/reconcile/annotated_request.ts";
import { ACCEPTED } from "../../../kinds/autorestore/annotations.ts";
import type { ResticBackup } from "../../../kinds/autorestore/generated/restic_backup.ts";
import type { ResticRestore } from "../../../kinds/autorestore/generated/restic_restore.ts";
import { type Draft, type KubeObject, keyOf } from "../../../kube/object.ts";
import type { EventNote } from "../../../kube/write/events.ts";
import { byPriority } from "./claiming.ts";
import { manualBackup, restoreDraft, TRIGGER } from "./drafts.ts";
import type { ObservedConfig } from "./observed_config.ts";
import { meansNothing, nameTaken, nothingClaimed } from "./trigger_words.ts";
import { acceptedOf, askedRestore, manualName, triggerOf, type What } from "./triggers.ts";

/** A change of the annotations of a PVC or BackupConfig. */
export interface Annotating {
  readonly object: KubeObject;
  /** Null removes one. */
  readonly annotations: Readonly<Record<string, string | null>>;
  /** What is done with it. Absent where it is only accepted. */
  readonly mark?: string;
}

export interface AskedFor {
  readonly backups: readonly Draft<ResticBackup>[];
  readonly restores: readonly Draft<ResticRestore>[];
  /** Annotations of people that are accepted: only then something is made for them. */
  readonly accept: readonly Annotating[];
  /** Removed once all of the above is there. */
  readonly settle: readonly Annotating[];
  readonly events: readonly EventNote[];
}

export const NOTHING_ASKED: AskedFor = { backups: [], restores: [], accept: [], settle: [], events: [] };

/** What annotations ask for: on a PVC for itself, on the BackupConfig for all of its PVCs. */
export function askedFor(observed: ObservedConfig): AskedFor {
  const { config, claims } = observed;
  // What is asked of all PVCs waits for those that are being claimed.
  const whole = claims.free.length === 0 ? [config] : [];
  return [...whole, ...claims.managed]
    .flatMap((object) => (["backup", "restore"] as const).map((what) => askedOf(observed, object, what)))
    .reduce(
      (all, one) => ({
        backups: [...all.backups, ...one.backups],
        restores: [...all.restores, ...one.restores],
        accept: [...all.accept, ...one.accept],
        settle: [...all.settle, ...one.settle],
        events: [...all.events, ...one.events],
      }),
      NOTHING_ASKED,
    );
}

/** One after the other: what is accepted is made before the next one is. */
function askedOf(observed: ObservedConfig, object: KubeObject, what: What): AskedFor {
  const accepted = acceptedOf(object, what);
  if (!accepted) {
    const trigger = triggerOf(object, what);
    if (!trigger) return NOTHING_ASKED;
    const gone = Object.fromEntries(trigger.names.map((name) => [name, null]));
    const taken = trigger.value === "" ? {} : { [ACCEPTED[what]]: acceptance(trigger, observed.now) };
    return { ...NOTHING_ASKED, accept: [{ object, annotations: { ...gone, ...taken } }] };
  }
  const { mark } = accepted;
  const settle = [{ object, annotations: { [ACCEPTED[what]]: null }, mark }];
  // The caches may show it a little longer.
  if (observed.isDone(mark)) return { ...NOTHING_ASKED, settle };
  const ofConfig = object === observed.config;
  const concerned = ofConfig ? observed.claims.managed : [object];
  if (concerned.length === 0) return { ...NOTHING_ASKED, settle, events: [nothingClaimed(object, what)] };
  if (what === "backup")
    return { ...NOTHING_ASKED, settle, ...askedBackups(observed, accepted, concerned, ofConfig) };
  const asked = concerned.map((claim) => askedRestoreOf(observed, accepted, claim, ofConfig));
  const restores = asked.flatMap((one) => ("reason" in one ? [] : [one]));
  const events = asked.flatMap((one) => ("reason" in one ? [one] : []));
  return { ...NOTHING_ASKED, settle, restores, events };
}

function askedBackups(
  { config, backup: existing }: ObservedConfig,
  accepted: Accepted,
  claims: readonly KubeObject[],
  ofConfig: boolean,
): Pick<AskedFor, "backups" | "events"> {
  const { backupTargets } = config.spec;
  const only = backupTargets.length === 1 && !ofConfig;
  const drafts = claims.flatMap((claim) =>
    backupTargets.map((target) => {
      const name = manualName(accepted, { pvc: claim.metadata.name, target: target.name, only });
      return manualBackup({ config, target, claim }, name, accepted.mark);
    }),
  );
  const there = (draft: Draft<ResticBackup>) => {
    const { namespace, name = "" } = draft.metadata;
    return existing(keyOf({ namespace, name }));
  };
  const backups = drafts.filter((draft) => !there(draft));
  const events = drafts.flatMap((draft) => {
    const one = there(draft);
    return one && one.metadata.annotations?.[TRIGGER] !== accepted.mark ? [nameTaken(one)] : [];
  });
  return { backups, events };
}

function askedRestoreOf(
  { config, backup }: ObservedConfig,
  accepted: Accepted,
  claim: KubeObject,
  ofConfig: boolean,
): Draft<ResticRestore> | EventNote {
  const { namespace, name: pvc } = claim.metadata;
  const asked = askedRestore(accepted.value, {
    pvc,
    targets: byPriority(config).map(({ name }) => name),
    isBackup: (name) => {
      const found = backup(keyOf({ namespace, name }));
      if (!found) return false;
      // Only its very name means the backup of another PVC, and only where it is asked for one PVC.
      return found.spec.pvcRef.name === pvc || (!ofConfig && name === accepted.value);
    },
  });
  if (!asked) return meansNothing(claim, accepted.value);
  return restoreDraft({ config, claim, asked, auto: false, mark: accepted.mark });
}
