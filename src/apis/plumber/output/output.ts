import type { Truth } from "../../../core/catalog/truth/truth.ts";
import type { Problem } from "../../../core/reconcile/problem.ts";
import type { Claim } from "../../../core/volumes/claim_request.ts";
import type { Cache } from "../../../kube/cache/cache.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import type { Result } from "../../../lib/result.ts";
import type { BackupIdentity } from "../policy/backup_identity.ts";
import type { ParsedPvc } from "../policy/parse_pvc.ts";
import type { SourceDecision } from "../policy/source_state.ts";
import type { GeneratedNames } from "./generated_marks.ts";

/** An object as it is to be: the fields that are ours, with null for those that must not be there. */
export interface Wanted {
  readonly resource: Resource;
  readonly object: {
    readonly metadata: {
      readonly namespace: string;
      readonly name: string;
      readonly labels: Readonly<Record<string, string>>;
      readonly annotations: Readonly<Record<string, string>>;
    };
    readonly spec: object;
  };
}

/** The objects that a PVC can have. */
export interface GeneratedFor {
  /** Absent where the schedule says all that a backup needs. */
  readonly config: Wanted | undefined;
  readonly restore: Wanted;
  /** Absent for a tier without one. */
  readonly schedule: Wanted | undefined;
  /** The kind of schedules, also where there is to be none. */
  readonly scheduleResource: Resource;
  /** The schedule is there for one backup on request, which does not wait for the minimum age. */
  readonly bypassesAge: boolean;
  /** A request for a backup is met by a Backup of its own, or by the schedule, which says for which value it was done. */
  readonly onDemand:
    | { readonly by: "backup" }
    | { readonly by: "schedule"; readonly done: string | undefined };
}

/** The objects that are there under the names of a PVC's own, whoever made them. */
export interface Present {
  readonly config: KubeObject | undefined;
  readonly restore: KubeObject | undefined;
  readonly schedule: KubeObject | undefined;
}

export interface WantedRequest {
  readonly claim: Pick<Claim, "metadata" | "spec">;
  readonly pvc: ParsedPvc;
  readonly truth: Truth;
  /** Of a PVC that is stored. */
  readonly source?: SourceDecision;
  readonly present?: Present;
}

/** Whose objects the labels of a PVC become. */
export interface Output {
  readonly caches: {
    readonly config: Cache<KubeObject> | undefined;
    readonly restore: Cache<KubeObject>;
    readonly schedule: Cache<KubeObject>;
  };
  /** The API server knows the kinds: objects can be written. */
  readonly served: boolean;
  names(pvc: string): GeneratedNames;
  wanted(request: WantedRequest): GeneratedFor;
  /** Whether backups can begin, or what they wait for. `restores`: the PVC has, or gets, what it is restored from. */
  ready(present: Present, restores: boolean): Result<unknown, Problem>;
  /** When the object that makes the backups last made one under this identity, by its own account. */
  lastBackup(present: Present, identity: BackupIdentity): string | undefined;
  /** The fields in which somebody else's object, under the name of a PVC's own, would give it other data, or none. */
  misleads(restore: KubeObject, wanted: Wanted): readonly string[];
  /** Why the object that a new PVC would get its data from would not give it the newest backup, and cannot be put right. */
  outdated(restore: KubeObject, wanted: Wanted): string | undefined;
}
