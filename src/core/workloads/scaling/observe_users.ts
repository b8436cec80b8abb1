import { CustomResourceDefinitions, Jobs, type Pod } from "../../../kube/builtin.ts";
import type { CallOptions, Reader } from "../../../kube/client.ts";
import type { KubeObject, OwnerReference } from "../../../kube/object.ts";
import { apiVersionOf, type Resource } from "../../../kube/resource.ts";
import { podsWith } from "../../volumes/pods_with.ts";
import { glance, glanceAll } from "../../volumes/staging/look.ts";
import { HIDDEN, type Hidden, visible } from "../../volumes/staging/observed_staging.ts";
import { namesClaim } from "./names_claim.ts";
import { holdersOf } from "./scaling_marks.ts";
import {
  type HiddenWorkload,
  LISTED_KINDS,
  SCALABLE_KINDS,
  type Scalable,
  type Workload,
  type WorkloadName,
} from "./workload.ts";

type UsersReader = Pick<Reader, "get" | "list">;

export interface ClaimName {
  readonly namespace: string;
  readonly name: string;
  /** Workloads that name the claim count also while they have no pods. Default: only those that somebody scaled down. */
  readonly all?: boolean;
}

/** A pod that has, or is about to have, the volume of a claim. */
export interface VolumeUser {
  readonly pod: Pod;
  /** What brings the pod back when it goes: the topmost that has replicas. */
  readonly workload?: Workload;
  /** Those between the two, which go down with it. Default: none. */
  readonly below?: readonly Workload[];
  /** In its stead, where we may not read that. What is below it would only be set back. */
  readonly hidden?: HiddenWorkload;
  /** The CronJob that makes the Job of the pod, and would make the next one. */
  readonly cronJob?: string;
}

/** Who uses the volume of a claim, or waits for it to be free. */
export interface VolumeUse {
  readonly users: readonly VolumeUser[];
  /** What names the claim, and was scaled down for somebody; or all that names it, where that was asked for. */
  readonly down: readonly Workload[];
}

/** Looks for everything that uses the volume of a claim. A pod that has ended does not. */
export async function observeUsers(
  reader: UsersReader,
  claim: ClaimName,
  call: CallOptions = {},
): Promise<VolumeUse> {
  const pods = await podsUsing(reader, claim, call);
  const kinds = new Kinds(reader, call);
  const users: VolumeUser[] = [];
  for (const pod of pods) {
    users.push({
      pod,
      ...(await workloadOf(reader, kinds, pod, call)),
      ...(await cronJobOf(reader, pod, call)),
    });
  }
  return { users, down: await scaledDown(reader, claim, call) };
}

/** The pods that have, or are about to have, the volume of a claim. */
export async function podsUsing(
  reader: Pick<Reader, "list">,
  claim: ClaimName,
  call: CallOptions = {},
): Promise<readonly Pod[]> {
  return (await podsWith(reader, claim, call)).filter((pod) => !isOver(pod));
}

/** The workloads of some names, as far as they are there. */
export interface NamedWorkloads {
  readonly seen: readonly Workload[];
  readonly hidden: readonly HiddenWorkload[];
}

/** The workloads of these names, as they are now. */
export async function observeWorkloads(
  reader: UsersReader,
  names: readonly WorkloadName[],
  namespace: string,
  call: CallOptions = {},
): Promise<NamedWorkloads> {
  const kinds = new Kinds(reader, call);
  const seen: Workload[] = [];
  const hidden: HiddenWorkload[] = [];
  for (const { apiVersion, kind, name } of names) {
    const resource = await kinds.find(apiVersion, kind);
    const object = resource && (await glance(reader, resource, { namespace, name }, call));
    if (!object) continue;
    if (object === HIDDEN) hidden.push({ resource, name });
    else seen.push(workload(resource, object));
  }
  return { seen, hidden };
}

async function cronJobOf(
  reader: UsersReader,
  { metadata }: Pod,
  call: CallOptions,
): Promise<Pick<VolumeUser, "cronJob">> {
  const { namespace } = metadata;
  const owner = metadata.ownerReferences?.find((one) => one.controller && one.kind === Jobs.kind);
  const job = visible(owner && (await glance(reader, Jobs, { namespace, name: owner.name }, call)));
  const above = job?.metadata.ownerReferences?.find((one) => one.controller && one.kind === "CronJob");
  return above ? { cronJob: above.name } : {};
}

function isOver({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

function workload(resource: Resource<Scalable>, object: Scalable): Workload {
  return { resource, object, replicas: object.spec?.replicas ?? 1 };
}

/** Up the controllers of the pod, once each: whoever writes objects can let two name each other. */
async function workloadOf(
  reader: UsersReader,
  kinds: Kinds,
  pod: Pod,
  call: CallOptions,
): Promise<Omit<VolumeUser, "pod">> {
  let found: Omit<VolumeUser, "pod"> = {};
  const seen = new Set<string>();
  for (let below: KubeObject = pod; ; ) {
    const owner: OwnerReference | undefined = below.metadata.ownerReferences?.find((one) => one.controller);
    if (!owner || seen.has(owner.uid)) return found;
    seen.add(owner.uid);
    const resource: Resource<Scalable> | undefined = await kinds.find(owner.apiVersion, owner.kind);
    if (!resource) return found;
    const name = { namespace: pod.metadata.namespace, name: owner.name };
    const object: Scalable | Hidden | undefined = await glance(reader, resource, name, call);
    if (object === HIDDEN) return { hidden: { resource, name: owner.name } };
    if (object?.metadata.uid !== owner.uid) return found;
    const between = found.workload ? { below: [...(found.below ?? []), found.workload] } : {};
    found = { workload: workload(resource, object), ...between };
    below = object;
  }
}

async function scaledDown(
  reader: UsersReader,
  claim: ClaimName,
  call: CallOptions,
): Promise<readonly Workload[]> {
  const found = await Promise.all(
    LISTED_KINDS.map(async (resource) => {
      const items = await glanceAll(reader, resource, {
        namespace: claim.namespace,
        omitManagedFields: true,
        ...call,
      });
      if (items === HIDDEN) return [];
      const counts = (object: KubeObject) => claim.all || holdersOf(object).length > 0;
      const named = items.filter((object) => counts(object) && namesClaim(object, claim.name));
      return named.map((object) => workload(resource, object));
    }),
  );
  return found.flat();
}

interface ScaledCrd extends KubeObject {
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly {
      readonly name: string;
      readonly subresources?: { readonly scale?: { readonly specReplicasPath: string } };
    }[];
  };
}

/** Which kinds can be scaled. Those of others are looked up once, and only when something is of one. */
class Kinds {
  readonly #reader: UsersReader;
  readonly #call: CallOptions;
  #crds: Promise<readonly ScaledCrd[]> | undefined;

  constructor(reader: UsersReader, call: CallOptions) {
    this.#reader = reader;
    this.#call = call;
  }

  async find(apiVersion: string, kind: string): Promise<Resource<Scalable> | undefined> {
    const known = SCALABLE_KINDS.find((one) => apiVersionOf(one) === apiVersion && one.kind === kind);
    const [group = "", version] = apiVersion.split("/");
    // The kinds of Kubernetes itself are all known.
    if (known || version === undefined || !group.includes(".") || group.endsWith(".k8s.io")) return known;
    for (const { spec } of await this.#definitions()) {
      const served = spec.versions.find(({ name }) => name === version)?.subresources?.scale;
      const fits = spec.group === group && spec.names.kind === kind && spec.scope === "Namespaced";
      if (fits && served?.specReplicasPath === ".spec.replicas") {
        return { group, version, kind, plural: spec.names.plural, namespaced: true };
      }
    }
    return undefined;
  }

  #definitions(): Promise<readonly ScaledCrd[]> {
    this.#crds ??= glanceAll(this.#reader, CustomResourceDefinitions, {
      omitManagedFields: true,
      ...this.#call,
    }).then((items) => (items === HIDDEN ? [] : (items as unknown as readonly ScaledCrd[])));
    return this.#crds;
  }
}
