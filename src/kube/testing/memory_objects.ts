import { ApiError } from "../api_error.ts";
import type { Client } from "../client.ts";
import type { Draft, KubeObject, ObjectName } from "../object.ts";
import { apiVersionOf, pathOf, type Resource } from "../resource.ts";

/** Objects in memory behind the three calls that optimistic locking needs: enough to test a lease. */
export class MemoryObjects implements Pick<Client, "get" | "create" | "update"> {
  readonly #objects = new Map<string, KubeObject>();
  #version = 0;

  async get<T extends KubeObject>(resource: Resource<T>, name: ObjectName): Promise<T> {
    const path = pathOf(resource, name);
    const object = this.#objects.get(path);
    if (object === undefined) throw refusal(`GET ${path}`, 404, "NotFound");
    return object as T;
  }

  async create<T extends KubeObject>(resource: Resource<T>, draft: Draft<T>): Promise<T> {
    const { name = "", namespace } = draft.metadata;
    const path = pathOf(resource, { name, namespace });
    if (this.#objects.has(path)) throw refusal(`POST ${path}`, 409, "AlreadyExists");
    const uid = `uid-${this.#version + 1}`;
    const metadata = { ...draft.metadata, name, uid, creationTimestamp: "2026-01-01T00:00:00Z" };
    return this.#store(path, {
      ...draft,
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      metadata,
    }) as T;
  }

  async update<T extends KubeObject>(resource: Resource<T>, object: T): Promise<T> {
    const path = pathOf(resource, object.metadata);
    const stored = this.#objects.get(path);
    if (stored === undefined) throw refusal(`PUT ${path}`, 404, "NotFound");
    const { resourceVersion } = object.metadata;
    if (resourceVersion && resourceVersion !== stored.metadata.resourceVersion) {
      throw refusal(`PUT ${path}`, 409, "Conflict");
    }
    return this.#store(path, object) as T;
  }

  #store(path: string, object: Omit<KubeObject, "metadata"> & { readonly metadata: object }): KubeObject {
    const metadata = { ...object.metadata, resourceVersion: String(++this.#version) };
    const stored = structuredClone({ ...object, metadata }) as KubeObject;
    this.#objects.set(path, stored);
    return stored;
  }
}

function refusal(request: string, code: number, reason: string): ApiError {
  return new ApiError({ request, code, status: { code, reason } });
}
