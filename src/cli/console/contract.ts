import type { ObjectRef } from "../../core/view/shown_object.ts";
import type {
  ActivityView,
  LostView,
  ProblemView,
  RepositoryView,
  SnapshotView,
  VolumeView,
} from "../../core/view/view.ts";
import type { Entry } from "../../wire/entry.ts";
import type { Finding } from "../doctor/finding.ts";
import type { Sighting } from "../files/sightings.ts";
import type { Difference } from "../files/tree_difference.ts";
import type { PlanWants } from "../frame/command.ts";

/*
 * What the console's page and its server say to each other: JSON under /api, to the same origin alone. Times are ISO 8601.
 * `namespace` in a query limits an answer to one; without it, it is of all that the person may look at. Every answer is
 * made with the person's own rights. One that is not 2xx is a `Problem`.
 *
 * Whatever changes something is a command of the command line (`POST /api/run`), so that a person can be shown that line,
 * and both do the same.
 */

/** A failure, as the command line would tell it. */
export interface Problem {
  readonly message: string;
  readonly why?: string | undefined;
  readonly fix?: string | undefined;
}

/** GET /api/session (no sign-in needed): who looks, and at what. */
export interface Session {
  /** Undefined: nobody has signed in, and `signIn` says how to. */
  readonly user?: string | undefined;
  /** `loopback`: by the link that the command line printed. */
  readonly signIn: readonly ("loopback" | "token" | "oidc")[];
  /** Sent back as the header `x-holdfast-csrf` with every POST. */
  readonly csrf?: string | undefined;
  readonly server?: string | undefined;
  /** Of this program. */
  readonly version: string;
  /** The namespace to begin with, for a person who may not look at all of them. */
  readonly namespace?: string | undefined;
  readonly namespaces?: readonly string[] | undefined;
  /** The APIs that the cluster serves, with their kinds. */
  readonly apis?: readonly {
    readonly api: string;
    readonly kinds: readonly { readonly word: string; readonly kind: string; readonly resource: string }[];
  }[];
}

/**
 * POST /api/sign-in with {token}: a bearer token of the cluster. Answers a Session. POST /api/sign-out ends it. With
 * `oidc`, GET OIDC_START leads to the provider, and from there back to the page.
 */
export interface SignIn {
  readonly token: string;
}

/** One day of all volumes together, or of one. */
export interface Day {
  /** 2026-11-18, in UTC. */
  readonly day: string;
  readonly good: number;
  readonly incomplete: number;
  readonly failed: number;
  /** Logical bytes of the newest good snapshot of each volume at the end of the day. */
  readonly bytes?: number | undefined;
}

/** GET /api/view?namespace: all that the overview, volumes, activity, repositories and lost cluster show. */
export interface ConsoleView {
  readonly now: string;
  readonly volumes: readonly VolumeView[];
  readonly repositories: readonly RepositoryView[];
  readonly activity: readonly (ActivityView & { readonly since?: string | undefined })[];
  readonly problems: readonly ProblemView[];
  readonly lost: readonly LostView[];
  readonly next: readonly { readonly object: ObjectRef; readonly at: string }[];
  /** The last 30, the oldest first. */
  readonly days: readonly Day[];
  readonly failures: readonly FailedRun[];
}

/** A run that failed, newest first, at most 50. */
export interface FailedRun {
  readonly object: ObjectRef;
  readonly at?: string | undefined;
  readonly message: string;
  readonly remedy?: string | undefined;
}

/** GET /api/snapshots?namespace&volume=ns/name&text&offset&limit: newest first. `limit` is at most 1000. */
export interface SnapshotPage {
  readonly total: number;
  readonly offset: number;
  readonly items: readonly SnapshotRow[];
}

export interface SnapshotRow extends SnapshotView {
  readonly api: string;
  /** Who or what asked for it: scheduled, manual, discovered, … */
  readonly origin?: string | undefined;
  /** Retention does not delete it. */
  readonly held?: boolean | undefined;
  readonly repository?: ObjectRef | undefined;
  /** Its files can be looked at here: `backup` of the commands, with `pvc` where it has several volumes. */
  readonly files?: FilesOf | undefined;
}

/** A snapshot, as the files' requests and the command line name it. */
export interface FilesOf {
  readonly namespace: string;
  readonly backup: string;
  readonly pvc?: string | undefined;
}

/** GET /api/volume?namespace&name */
export interface VolumeDetail {
  readonly volume: VolumeView;
  readonly size?: string | undefined;
  readonly storageClass?: string | undefined;
  readonly phase?: string | undefined;
  /** Pods that mount it, and what they belong to. */
  readonly usedBy: readonly { readonly pod: string; readonly owner?: string | undefined }[];
  /** What backs it up, in sentences. */
  readonly plan: readonly {
    readonly object: ObjectRef & { readonly api: string };
    readonly says: readonly string[];
  }[];
  /** When somebody last saw its data restored or checked, and how that ended. */
  readonly proof?: { readonly at: string; readonly what: string; readonly good: boolean } | undefined;
  /** The last 365, the oldest first; days without any are left out. */
  readonly days: readonly Day[];
  readonly snapshots: readonly SnapshotRow[];
  readonly events: readonly EventRow[];
}

export interface EventRow {
  readonly at: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly object: ObjectRef;
}

/** GET /api/schedules?namespace */
export interface ScheduleRow {
  readonly object: ObjectRef & { readonly api: string };
  readonly cron: string;
  readonly suspended: boolean;
  readonly lastGoodRun?: string | undefined;
  /** The next ten runs, as far as they can be told. */
  readonly next: readonly string[];
  /** What it runs: a BackupConfig and the like. */
  readonly runs?: ObjectRef | undefined;
  /** Effective values, and where each comes from. */
  readonly values: readonly { readonly what: string; readonly value: string; readonly from: string }[];
}

/** GET /api/retention?namespace&config: what retention keeps, and would delete now. */
export interface RetentionPreview {
  readonly rules: readonly string[];
  /** Why nothing is deleted at present. */
  readonly paused?: string | undefined;
  readonly kept: readonly {
    readonly backup: string;
    readonly at: string;
    readonly because: readonly string[];
  }[];
  readonly deleted: readonly { readonly backup: string; readonly at: string }[];
}

/** GET /api/repository?kind&namespace&name */
export interface RepositoryDetail {
  readonly repository: RepositoryView;
  readonly conditions: readonly ConditionRow[];
  /** In sentences: storage, engine, maintenance, locks, breaker. */
  readonly says: readonly string[];
  readonly usedBy: readonly ObjectRef[];
  readonly volumes: readonly string[];
  /** Logical bytes by day, and what was added to the storage, as far as its Backups tell. */
  readonly sizes: readonly { readonly day: string; readonly logical: number; readonly added: number }[];
  readonly events: readonly EventRow[];
}

export interface ConditionRow {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly since: string;
}

/** GET /api/object?resource=plural.group&namespace&name: any object of an API, or a PersistentVolumeClaim. */
export interface ObjectDetail {
  readonly object: ObjectRef;
  readonly yaml: string;
  /** As `holdfast explain` tells it; empty for what it does not know. */
  readonly explained: readonly string[];
  readonly conditions: readonly ConditionRow[];
  readonly events: readonly EventRow[];
  readonly log?: string | undefined;
}

/** GET /api/doctor?namespace */
export type DoctorReport = readonly Finding[];

/**
 * GET /api/may?namespace&of=backup/name: what the person may do there; `of` names the Backup or repository that it is done to,
 * whose session and Maintenance may be elsewhere. An action that is missing here may not be done.
 */
export type Rights = Readonly<
  Record<Action, { readonly allowed: boolean; readonly why?: string | undefined }>
>;

export type Action =
  | ("backup" | "restore" | "drill" | "hold" | "suspend" | "maintain" | "files")
  | `cancel ${"Backup" | "Restore" | "Maintenance"}`
  | `retry ${"Backup" | "Restore" | "Maintenance" | "Repository" | "ClusterRepository"}`
  | `delete ${"Backup" | "Restore"}`;

/** GET /api/protect?namespace&name: the ways to protect a volume. */
export interface ProtectChoice {
  readonly api: string;
  readonly title: string;
  /** What it does, and what is still missing for it. */
  readonly says: readonly string[];
  readonly missing?: string | undefined;
  /** Which right the person lacks for it. */
  readonly denied?: string | undefined;
  /** What the person may choose, each with its values. */
  readonly options: readonly {
    readonly name: string;
    readonly title: string;
    readonly values?: readonly string[] | undefined;
    readonly value: string;
  }[];
}

/**
 * POST /api/protect with this: writes nothing while `dryRun`, and answers with what it would write, after the API server has
 * tried it. `yaml` is that alone, to be applied with `line`: of an object that is there already, what changes.
 */
export interface Protect {
  readonly namespace: string;
  readonly name: string;
  readonly api: string;
  readonly options: Readonly<Record<string, string>>;
  readonly dryRun: boolean;
}

export interface Protected {
  readonly yaml: string;
  readonly line: string;
  readonly objects: readonly ObjectRef[];
}

/*
 * Files. A repository session is started with the first question, with the person's own rights, kept while they look, and
 * ended two minutes after the last one.
 *
 * GET /api/files/entries?namespace&backup&pvc&path&after&limit → FilePage
 * GET /api/files/entry?…&path → Entry
 * GET /api/files/content?…&path&preview=1 → the bytes: inline for a preview (at most 2 MiB, text or picture), else as an attachment
 * GET /api/files/archive?…&path → the folder as a tar
 * GET /api/files/search?namespace&config&name → FileSearch: a name (a glob) in all snapshots of a BackupConfig
 * GET /api/files/versions?namespace&backup&pvc&path → FileVersion[]: the forms of one file, newest first
 * GET /api/files/diff?namespace&older&newer&pvc&path → Difference[]
 */
export interface FilePage {
  readonly items: readonly Entry[];
  readonly next?: string | undefined;
}

export interface FileSearch {
  readonly found: readonly Sighting[];
  /** There is more: only so much is told of one search. */
  readonly cut: boolean;
}

export type { Difference, Entry, Finding, Sighting };

export interface FileVersion {
  readonly size: number;
  readonly modifiedAt: string;
  /** The Backups that hold this form, newest first. */
  readonly in: readonly (FilesOf & { readonly at: string })[];
}

/**
 * POST /api/run: one line of the command line, in words, such as ["restore", "backup/monday", "--into", "documents",
 * "--dry-run"]. Only the commands that make sense here, and no options that reach elsewhere or ask. The answer is a
 * stream of `RunEvent`, one JSON object a line; a client that goes away ends the command as Ctrl-C would, unless `detach`.
 */
export interface Run {
  readonly namespace: string;
  readonly words: readonly string[];
  /** Do not end what has begun when the page is closed. */
  readonly detach?: boolean;
}

export type RunEvent =
  | { readonly type: "out"; readonly line: string }
  /** A line that stays. */
  | { readonly type: "note"; readonly line: string }
  /** A line in place of the one before. */
  | { readonly type: "progress"; readonly line: string }
  /** What a plan that was asked for with --dry-run wants of whoever confirms it. */
  | ({ readonly type: "plan" } & PlanWants)
  | { readonly type: "done" }
  | ({ readonly type: "failed"; readonly code: number } & Problem);

/** A stream that browsers begin anew by themselves. */
export const EVENTS = "/api/events";

/** GET /api/events?namespace: server-sent events. `changed` says that a kind did, at most twice a second. */
export interface Changed {
  readonly kinds: readonly string[];
}

/** Where a sign-in by OpenID Connect begins. */
export const OIDC_START = "/api/oidc/start";

/**
 * The header of requests that the page makes by itself while nobody touches it. They do not keep a sign-in: an hour without a
 * person ends it, also where a page stays open.
 */
export const UNATTENDED_HEADER = "x-holdfast-unattended";

/** The header that carries `Session.csrf`. */
export const CSRF_HEADER = "x-holdfast-csrf";
