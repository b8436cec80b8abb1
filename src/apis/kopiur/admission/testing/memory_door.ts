import { KINDS } from "../../../../kinds/kopiur/kinds.ts";
import type { AdmissionRequest, Verdict } from "../../../../kube/admission/review.ts";
import type { Writer } from "../../../../kube/client.ts";
import { type KubeObject, keyOf } from "../../../../kube/object.ts";
import { apiVersionOf } from "../../../../kube/resource.ts";
import { admit } from "../../../../kube/schema/admit.ts";
import { kopiurWebhooks } from "../kopiur_webhooks.ts";
import type { Lookup } from "../lookup.ts";
import { CASE_NAMESPACES, type CaseAuthor, type Manifest, OPERATOR_NAMESPACE } from "./admission_case.ts";
import { memoryLookup } from "./memory_lookup.ts";

export interface Entry {
  readonly verdict: Verdict;
  /** As it would be stored. */
  readonly object: KubeObject;
}

/** The door of an API server, in memory: defaults, the webhooks that complete an object, those that check it. */
export class MemoryDoor {
  readonly #objects = new Map<string, KubeObject>();
  readonly #lookup: Lookup;

  constructor(options: { readonly lookup?: Lookup } = {}) {
    this.#lookup = options.lookup ?? memoryLookup(this.#objects);
    for (const namespace of CASE_NAMESPACES) this.put({ kind: "Namespace", ...namespace });
  }

  /** What is there is not checked. */
  put(manifest: Manifest): KubeObject {
    const object = storedOf(manifest);
    this.keep(object);
    return object;
  }

  keep(object: KubeObject): void {
    this.#objects.set(`${object.kind} ${keyOf(object)}`, object);
  }

  /** Nothing of it is kept. */
  async write(sent: Manifest | KubeObject, author: CaseAuthor, oldObject?: KubeObject): Promise<Entry> {
    let object = "metadata" in sent ? sent : storedOf(sent);
    let verdict: Verdict = { allowed: true };
    for (const webhook of this.#webhooksFor(object.kind, author)) {
      const request = requestFor(object, oldObject, author);
      const signal = new AbortController().signal;
      if (webhook.type === "mutating") {
        const mutation = await webhook.mutate(request, signal);
        if (mutation.allowed && mutation.object) object = mutation.object;
      } else verdict = await webhook.validate(request, signal);
    }
    return { verdict, object };
  }

  #webhooksFor(kind: string, author: CaseAuthor) {
    const create = async (resource: { readonly kind: string }) =>
      resource.kind === "SubjectAccessReview" ? { status: { allowed: author !== "stranger" } } : {};
    return kopiurWebhooks({
      client: { create } as unknown as Pick<Writer, "create">,
      lookup: this.#lookup,
      operatorNamespace: OPERATOR_NAMESPACE,
      isOperator: ({ username }) => username === "operator",
      settings: { moverImage: "holdfast/mover:1" },
    }).filter(({ resource }) => resource.kind === kind);
  }
}

/** A manifest as it is once the API server has filled in the rest. */
export function storedOf({ kind, spec, status, ...meta }: Manifest): KubeObject {
  const known = KINDS.find(({ resource }) => resource.kind === kind);
  const metadata = {
    uid: `uid-${kind}-${meta.name}`,
    resourceVersion: "1",
    creationTimestamp: "2026-05-24T00:00:00Z",
    ...meta,
  };
  const apiVersion = known ? apiVersionOf(known.resource) : "v1";
  const object = { apiVersion, kind, metadata, ...(spec ? { spec } : {}), ...(status ? { status } : {}) };
  if (!known) return object;
  const admitted = admit(known.schema, object);
  if (admitted.problems.length > 0)
    throw new Error(`${kind} ${meta.name}: ${JSON.stringify(admitted.problems)}`);
  return admitted.object as KubeObject;
}

function requestFor(
  object: KubeObject,
  oldObject: KubeObject | undefined,
  author: CaseAuthor,
): AdmissionRequest {
  const resource = KINDS.find((known) => known.resource.kind === object.kind)?.resource;
  const { group = "", version = "", plural = "" } = resource ?? {};
  return {
    uid: "request",
    operation: oldObject ? "UPDATE" : "CREATE",
    resource: { group, version, resource: plural },
    subResource: "",
    name: object.metadata.name,
    namespace: object.metadata.namespace ?? "",
    object,
    oldObject,
    user: { username: author, uid: "", groups: [] },
    dryRun: false,
  };
}
