import type { Intent } from "../../../core/reconcile/decision.ts";
import type { Problem } from "../../../core/reconcile/problem.ts";
import { ARTIFACT } from "../../../kinds/cozystack/finalizers.ts";
import type { Backup } from "../../../kinds/cozystack/generated/backup.ts";
import type { BackupJob } from "../../../kinds/cozystack/generated/backup_job.ts";
import type { RestoreJob } from "../../../kinds/cozystack/generated/restore_job.ts";
import type { Draft, KubeObject } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { NamedApplication } from "../core/resolve_class.ts";

/** What a driver keeps on the object that it works for. */
export type DriverState = Readonly<Record<string, string>>;

/** What a driver works with, whatever it does. */
export interface Work<O extends KubeObject, S extends KubeObject> {
  /** The BackupJob, RestoreJob or Backup. */
  readonly object: O;
  readonly namespace: string;
  readonly strategy: S;
  readonly applicationRef: NamedApplication;
  /** Absent where there is no such object, which only a backup cannot do without. */
  readonly application: KubeObject | undefined;
  readonly parameters: Readonly<Record<string, string>>;
  readonly state: DriverState;
  readonly now: number;
  /** For what may take long, such as a template. */
  readonly clock: Pick<Clock, "monotonic">;
}

export interface BackupWork<S extends KubeObject> extends Work<BackupJob, S> {}

export interface RestoreWork<S extends KubeObject> extends Work<RestoreJob, S> {
  readonly backup: Backup;
  /** Where the target application is, in whose name the namespace has consented if it is another one. */
  readonly targetNamespace: string;
}

/** The strategy may be gone by then. */
export interface RemovalWork<S extends KubeObject> extends Omit<Work<Backup, S>, "strategy"> {
  readonly strategy: S | undefined;
}

/** What a driver has done beyond what every API may: objects of another API do the work. */
export type OwnIntent =
  | { readonly type: "Ensure"; readonly resource: Resource; readonly draft: Draft<KubeObject> & object }
  /** Becomes as it is written, whoever wrote it before. */
  | { readonly type: "Apply"; readonly resource: Resource; readonly draft: Draft<KubeObject> & object }
  /** Takes an annotation away. */
  | {
      readonly type: "Unmark";
      readonly resource: Resource;
      readonly object: KubeObject;
      readonly annotation: string;
    }
  /** `mark`: why the operator deletes it by itself. Without one, guards take it for a deletion from outside. */
  | {
      readonly type: "Delete";
      readonly resource: Resource;
      readonly object: KubeObject;
      readonly mark?: string | undefined;
    };

export type DriverIntent = Intent | OwnIntent;

export interface Artifact {
  readonly uri: string;
  readonly sizeBytes?: number | undefined;
  readonly checksum?: string | undefined;
}

/** How far a piece of work has come, and what is to be done now. */
export type Step =
  | {
      readonly type: "Running";
      readonly message: string;
      readonly state?: DriverState;
      readonly intents?: readonly DriverIntent[];
      readonly wakeAt?: number | undefined;
    }
  /** It cannot begin, or go on, before something else is put right. */
  | { readonly type: "Waiting"; readonly problem: Problem }
  | {
      readonly type: "Succeeded";
      readonly message: string;
      /** For a backup: what its restore needs. */
      readonly metadata?: Readonly<Record<string, string>>;
      readonly artifact?: Artifact;
      /** For a backup: what it lacks, in a sentence. */
      readonly lacks?: string | undefined;
      /** For a backup: the moment of the data. Default: when the job began. */
      readonly takenAt?: string | undefined;
      readonly intents?: readonly DriverIntent[];
    }
  | {
      readonly type: "Failed";
      readonly reason: string;
      readonly message: string;
      readonly intents?: readonly DriverIntent[];
    };

/** What ends the work of a job that is being deleted. The job stays while there is a time to look again. */
export interface Abandoned {
  readonly intents: readonly DriverIntent[];
  readonly wakeAt?: number | undefined;
}

/** What is said where data cannot be deleted before something comes back. */
export const LEAVE_DATA = `To leave the data where it is, have an administrator remove the finalizer ${ARTIFACT} from the Backup.`;

/**
 * What a driver of ours is. It is asked again and again, with what is true then, until it says that the work has ended: it
 * remembers nothing but what it returns as its state. Drivers of others do the same in their own controllers.
 */
export interface Driver<S extends KubeObject = KubeObject> {
  readonly name: string;
  /** The kinds of its strategies. Jobs by any other are left alone. */
  readonly strategies: readonly Resource<S>[];
  /** Its restores reach an application in another namespace. Default: they would work in the Backup's own. */
  readonly restoresElsewhere?: true;
  backup(work: BackupWork<S>, signal: AbortSignal): Promise<Step>;
  restore(work: RestoreWork<S>, signal: AbortSignal): Promise<Step>;
  /** Deletes the data of a Backup that somebody deleted. */
  remove(work: RemovalWork<S>, signal: AbortSignal): Promise<Step>;
  /** What ends the work of a job that fails, as what it was for is gone. Default: nothing. */
  stop?(job: BackupJob | RestoreJob): readonly DriverIntent[];
  /** What is left to stop, or to remove, when a BackupJob is deleted that made no Backup. Default: nothing. */
  abandon?(job: BackupJob, signal: AbortSignal): Promise<Abandoned>;
  /** Why the data of a Backup is no longer there, where others may delete it. It is asked now and then. */
  gone?(backup: Backup, signal: AbortSignal): Promise<string | undefined>;
  /**
   * What a RestoreJob that succeeded, or is being deleted, has left in another namespace, where nothing can belong to
   * it. Default: nothing.
   */
  leftIn?(namespace: string, job: RestoreJob): readonly DriverIntent[];
}
