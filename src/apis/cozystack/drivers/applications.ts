import { blocked, type Problem, refused } from "../../../core/reconcile/problem.ts";
import { isForbidden, isNotFound } from "../../../kube/api_error.ts";
import { findResource } from "../../../kube/client/find_resource.ts";
import type { CallOptions, Client } from "../../../kube/client.ts";
import type { KubeObject } from "../../../kube/object.ts";
import { type Resource, resourceName } from "../../../kube/resource.ts";
import type { Clock } from "../../../lib/clock.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import type { NamedApplication } from "../core/resolve_class.ts";

/** How long it is believed where a kind is served, in milliseconds. */
const BELIEVED = 300_000;

/** Looks applications up, of whatever kind. */
export class Applications {
  readonly #client: Pick<Client, "get">;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #known = new Map<string, { readonly at: number; readonly resource: Resource }>();

  constructor(client: Pick<Client, "get">, clock: Pick<Clock, "monotonic">) {
    this.#client = client;
    this.#clock = clock;
  }

  /** The application, or why there is none to be seen. */
  async find(
    ref: NamedApplication,
    namespace: string,
    call: CallOptions,
  ): Promise<Result<KubeObject, Problem>> {
    const { apiGroup, kind, name } = ref;
    const resource = await this.#resource(ref, call);
    // Nobody's namespace has what belongs to the whole cluster, and the operator may read more of it than tenants.
    if (!resource?.namespaced) {
      const what = resource
        ? `${kind} of ${apiGroup} belongs to no namespace`
        : `The cluster has no kind ${kind} in ${apiGroup}`;
      const message = `${what}. ${resource ? "Correct" : "Install it, or correct"} applicationRef.`;
      return err(refused("ApplicationKindNotFound", message));
    }
    try {
      return ok(await this.#client.get(resource, { namespace, name }, call));
    } catch (error) {
      if (isNotFound(error)) {
        const message = `${kind} ${namespace}/${name} does not exist. Create it, or correct applicationRef.`;
        return err(refused("ApplicationNotFound", message));
      }
      if (!isForbidden(error)) throw error;
      const message = `The operator may not read ${resourceName(resource)}. Grant it the verb get on them.`;
      return err(blocked("ApplicationForbidden", message));
    }
  }

  async #resource({ apiGroup: group, kind }: NamedApplication, call: CallOptions) {
    const key = `${group}/${kind}`;
    const known = this.#known.get(key);
    const now = this.#clock.monotonic();
    if (known && now - known.at < BELIEVED) return known.resource;
    const resource = await findResource(this.#client, { group, kind }, call);
    if (resource) this.#known.set(key, { at: now, resource });
    return resource;
  }
}
