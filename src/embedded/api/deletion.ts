import { invalid as invalidField, notSupported } from "../../kube/schema/problem.ts";
import { timestamp } from "../../kube/write/timestamp.ts";
import type { Clock } from "../../lib/clock.ts";
import { isRecord, jsonEqual } from "../../lib/json.ts";
import type { KindInfo } from "../kinds/kind_info.ts";
import { StoreConflict, type Stored } from "../store/store.ts";
import type { Admission } from "./admission.ts";
import type { ObjectWriter } from "./object_writer.ts";
import { holdersOf, orphansByDefault, PERMANENT_NAMESPACES, terminating } from "./particulars.ts";
import { storedForm } from "./present.ts";
import { forbidden, invalidOptions, notFound, preconditionFailed, Refusal } from "./refusal.ts";
import { keyOf, type Place } from "./target.ts";
import type { User } from "./user.ts";

export type Propagation = "Background" | "Foreground" | "Orphan";

export interface DeleteOptions {
  readonly propagation?: Propagation;
  readonly gracePeriodSeconds?: number;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly dryRun: boolean;
  readonly user: User;
  readonly warn: (text: string) => void;
}

const ORPHAN = "orphan";
const FOREGROUND = "foregroundDeletion";
const POLICIES: readonly string[] = ["Foreground", "Background", "Orphan"] satisfies Propagation[];

function optionsInQuery(query: URLSearchParams): Record<string, unknown> {
  const names = ["propagationPolicy", "orphanDependents", "gracePeriodSeconds"];
  const given = names.filter((name) => query.has(name)).map((name) => [name, query.get(name)]);
  return { ...Object.fromEntries(given), dryRun: query.getAll("dryRun") };
}

/** The options in the body of a DELETE or, when it has none, in its query. */
export function parseDeleteOptions(
  body: unknown,
  query: URLSearchParams,
): Omit<DeleteOptions, "user" | "warn"> {
  const given = isRecord(body) ? body : optionsInQuery(query);
  if (given.kind !== undefined && given.kind !== "DeleteOptions") {
    const kind = JSON.stringify(given.kind);
    throw new Refusal(
      500,
      "",
      `no kind ${kind} is registered for version ${JSON.stringify(given.apiVersion)}`,
    );
  }
  const preconditions = isRecord(given.preconditions) ? given.preconditions : {};
  const policy = given.propagationPolicy;
  const orphan = given.orphanDependents;
  const grace = given.gracePeriodSeconds;
  const dryRun = given.dryRun ?? [];
  if (policy !== undefined && !POLICIES.includes(String(policy))) {
    throw invalidOptions("DeleteOptions", notSupported("propagationPolicy", policy, [...POLICIES, "nil"]));
  }
  const values = Array.isArray(dryRun) ? dryRun : [dryRun];
  if (values.some((value) => value !== "All")) {
    throw invalidOptions("DeleteOptions", notSupported("dryRun", values, ["All"]));
  }
  if (grace !== undefined && (!Number.isInteger(Number(grace)) || Number(grace) < 0)) {
    const problem = invalidField("gracePeriodSeconds", grace, "must be greater than or equal to 0");
    throw invalidOptions("DeleteOptions", problem);
  }
  const legacy = orphan === undefined ? undefined : String(orphan) === "true" ? "Orphan" : "Background";
  const propagation = (policy ?? legacy) as Propagation | undefined;
  const { uid, resourceVersion } = preconditions;
  return {
    dryRun: values.length > 0,
    ...(propagation && { propagation }),
    ...(grace !== undefined && { gracePeriodSeconds: Number(grace) }),
    ...(typeof uid === "string" && { uid }),
    ...(typeof resourceVersion === "string" && { resourceVersion }),
  };
}

export interface Deleted {
  /** Its last state, or the one in which it waits for its finalizers and its grace period. */
  readonly object: Stored;
  readonly gone: boolean;
}

/** Deletes objects: at once, or as soon as whoever holds them lets go. */
export class Deletion {
  readonly #writer: ObjectWriter;
  readonly #clock: Clock;
  readonly #admission: Admission;

  constructor(options: { writer: ObjectWriter; clock: Clock; admission: Admission }) {
    this.#writer = options.writer;
    this.#clock = options.clock;
    this.#admission = options.admission;
  }

  /** Tells a client that did not say what becomes of dependents when the answer is not the usual one. */
  warnOfDefault(kind: KindInfo, { propagation, warn }: DeleteOptions): void {
    if (!propagation && orphansByDefault(kind)) warn(PODS_STAY);
  }

  async delete(place: Place, options: DeleteOptions): Promise<Deleted> {
    const { kind, namespace, name } = place;
    this.warnOfDefault(kind, options);
    const stored = this.#writer.find(place);
    if (!stored) throw notFound(kind.resource, name);
    if (kind.resource.kind === "Namespace" && !kind.custom && PERMANENT_NAMESPACES.has(name)) {
      throw forbidden(kind.resource, name, "this namespace may not be deleted");
    }
    checkPreconditions(place, stored, options);
    const { user, dryRun, warn } = options;
    const attempt = {
      operation: "DELETE",
      kind,
      subresource: undefined,
      namespace,
      name,
      user,
      dryRun,
      warn,
    } as const;
    await this.#admission.validate({ ...attempt, old: stored });
    for (;;) {
      const current = this.#writer.find(place);
      if (!current) throw notFound(kind.resource, name);
      checkPreconditions(place, current, options);
      try {
        return await this.#remove(place, current, options);
      } catch (error) {
        if (!(error instanceof StoreConflict)) throw error;
      }
    }
  }

  async #remove(place: Place, stored: Stored, options: DeleteOptions): Promise<Deleted> {
    const marked = this.#marked(place, stored, options);
    const { resourceVersion } = stored.metadata;
    if (holdersOf(marked).length === 0 && (marked.metadata.deletionGracePeriodSeconds ?? 0) === 0) {
      // Only what could have had a grace period is seen to have been deleted.
      const last = isPod(stored) ? marked : stored;
      if (options.dryRun) return { object: last, gone: true };
      const { store } = this.#writer;
      return {
        object: await store.delete(keyOf(place), storedForm(place.kind, last), resourceVersion),
        gone: true,
      };
    }
    if (marked === stored || options.dryRun) return { object: marked, gone: false };
    return { object: await this.#writer.replaceStored(place, marked, resourceVersion), gone: false };
  }

  /** The object as it waits for its end; the same one when it already does. */
  #marked(place: Place, stored: Stored, options: DeleteOptions): Stored {
    const { metadata } = stored;
    const finalizers = finalizersFor(place, stored, options);
    const grace = graceOf(stored, options);
    const before = metadata.deletionGracePeriodSeconds ?? 0;
    const sooner = metadata.deletionTimestamp !== undefined && grace < before;
    if (metadata.deletionTimestamp && !sooner && finalizers === metadata.finalizers) return stored;
    const { finalizers: _, ...rest } = metadata;
    const begun = metadata.deletionTimestamp !== undefined && !sooner;
    const deletionTimestamp = begun
      ? metadata.deletionTimestamp
      : timestamp(this.#clock.now() + grace * 1000);
    const first = metadata.deletionTimestamp === undefined;
    const marked: Stored = {
      ...stored,
      metadata: {
        ...rest,
        ...(finalizers?.length && { finalizers }),
        deletionTimestamp,
        deletionGracePeriodSeconds: begun ? before : grace,
      },
    };
    const own = first ? terminating(place.kind, marked) : undefined;
    if (own || !first || !rest.generation) return own ?? marked;
    return { ...marked, metadata: { ...marked.metadata, generation: rest.generation + 1 } };
  }
}

function checkPreconditions({ kind, name }: Place, { metadata }: Stored, options: DeleteOptions): void {
  const { uid, resourceVersion } = options;
  if (uid !== undefined && uid !== metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`;
    throw preconditionFailed(kind.resource, name, why);
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`;
    throw preconditionFailed(kind.resource, name, why);
  }
}

const PODS_STAY =
  "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning";

/** With the finalizer that makes the garbage collector do what the policy says. */
function finalizersFor(
  { kind }: Place,
  stored: Stored,
  options: DeleteOptions,
): readonly string[] | undefined {
  const { finalizers = [] } = stored.metadata;
  const undecided = !finalizers.includes(ORPHAN) && !finalizers.includes(FOREGROUND);
  const byDefault = undecided && orphansByDefault(kind) ? "Orphan" : undefined;
  const propagation = options.propagation ?? byDefault;
  if (!propagation) return stored.metadata.finalizers;
  const wanted = { Orphan: ORPHAN, Foreground: FOREGROUND, Background: undefined }[propagation];
  const others = finalizers.filter((name) => name === wanted || (name !== ORPHAN && name !== FOREGROUND));
  const result = wanted && !others.includes(wanted) ? [...others, wanted] : others;
  return jsonEqual(result, finalizers) ? stored.metadata.finalizers : result;
}

/** Pods that run on a node get time to end; everything else goes at once. */
function graceOf(stored: Stored, { gracePeriodSeconds }: DeleteOptions): number {
  if (!isPod(stored)) return 0;
  const spec = isRecord(stored.spec) ? stored.spec : {};
  const phase = isRecord(stored.status) ? stored.status.phase : undefined;
  if (!spec.nodeName || phase === "Succeeded" || phase === "Failed") return 0;
  return gracePeriodSeconds ?? Number(spec.terminationGracePeriodSeconds ?? 30);
}

function isPod({ apiVersion, kind }: Stored): boolean {
  return apiVersion === "v1" && kind === "Pod";
}
