import { ApiError, isNotFound } from "../api_error.ts";
import type {
  ApplyOptions,
  CallOptions,
  Client,
  DeleteOptions,
  List,
  ListOptions,
  MetadataReader,
  Patch,
  Scale,
  SelectOptions,
  SubresourceOptions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "../client.ts";
import type { Draft, KubeObject, ObjectName, Partially } from "../object.ts";
import { type Resource, typeOf } from "../resource.ts";
import type { ApiCall } from "./api_call.ts";
import { Caller, type CallerOptions } from "./caller.ts";
import { HttpReader, METADATA, WHOLE } from "./http_reader.ts";

const PATCH_TYPES = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
} as const;

const APPLY_TYPE = "application/apply-patch+yaml";

/** The Kubernetes API over an HttpSender: a real server's, or one in this process. */
export class HttpClient implements Client {
  readonly #caller: Caller;
  readonly #whole: HttpReader;
  readonly metadata: MetadataReader;

  constructor(options: CallerOptions) {
    const { clock } = options;
    const caller = new Caller(options);
    this.#caller = caller;
    this.#whole = new HttpReader({ caller, clock, as: WHOLE });
    const partial = new HttpReader({ caller, clock, as: METADATA });
    this.metadata = {
      get: (resource, name, call) => partial.get(resource, name, call),
      list: (resource, list) => partial.list(resource, list),
      pages: (resource, list) => partial.pages(resource, list),
      watch: (resource, watch) => partial.watch(resource, watch),
    };
  }

  get<T extends KubeObject>(resource: Resource<T>, name: ObjectName, options?: CallOptions): Promise<T> {
    return this.#whole.get(resource, name, options);
  }

  list<T extends KubeObject>(resource: Resource<T>, options?: ListOptions): Promise<List<T>> {
    return this.#whole.list(resource, options);
  }

  pages<T extends KubeObject>(resource: Resource<T>, options?: ListOptions): AsyncIterable<List<T>> {
    return this.#whole.pages(resource, options);
  }

  watch<T extends KubeObject>(resource: Resource<T>, options?: WatchOptions): AsyncIterable<WatchEvent<T>> {
    return this.#whole.watch(resource, options);
  }

  create<T extends KubeObject>(
    resource: Resource<T>,
    object: Draft<T>,
    options?: SubresourceOptions,
  ): Promise<T> {
    const { name, namespace } = object.metadata;
    const subresource = options?.subresource;
    return this.#write(
      {
        verb: "create",
        method: "POST",
        resource,
        scope: { namespace, ...(subresource === undefined ? {} : { name, subresource }) },
        body: { ...typeOf(resource), ...object },
      },
      options,
    );
  }

  update<T extends KubeObject>(resource: Resource<T>, object: T, options?: SubresourceOptions): Promise<T> {
    const { name, namespace } = object.metadata;
    const scope = { name, namespace, subresource: options?.subresource };
    return this.#write(
      { verb: "update", method: "PUT", resource, scope, body: { ...typeOf(resource), ...object } },
      options,
    );
  }

  patch<T extends KubeObject>(
    resource: Resource<T>,
    name: ObjectName,
    patch: Patch<T>,
    options?: SubresourceOptions,
  ): Promise<T> {
    const scope = { ...name, subresource: options?.subresource };
    const contentType = PATCH_TYPES[patch.type];
    return this.#write(
      { verb: "patch", method: "PATCH", resource, scope, body: patch.patch, contentType },
      options,
    );
  }

  apply<T extends KubeObject>(
    resource: Resource<T>,
    object: Partially<T> & { readonly metadata: { readonly name: string; readonly namespace?: string } },
    options: ApplyOptions,
  ): Promise<T> {
    const { name, namespace } = object.metadata;
    return this.#write(
      {
        verb: "apply",
        method: "PATCH",
        resource,
        scope: { name, namespace, subresource: options.subresource },
        query: { force: options.force },
        body: { ...typeOf(resource), ...object },
        contentType: APPLY_TYPE,
      },
      options,
    );
  }

  async delete(resource: Resource, name: ObjectName, options: DeleteOptions = {}): Promise<boolean> {
    try {
      await this.#caller.call(
        { verb: "delete", method: "DELETE", resource, scope: name, body: deleteBody(options) },
        options,
        options.onWarning,
      );
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  async deleteCollection(resource: Resource, options: SelectOptions & DeleteOptions = {}): Promise<void> {
    await this.#caller.call(
      {
        verb: "deletecollection",
        method: "DELETE",
        resource,
        scope: { namespace: options.namespace },
        query: { labelSelector: options.labelSelector, fieldSelector: options.fieldSelector },
        body: deleteBody(options),
      },
      options,
    );
  }

  async getScale(resource: Resource, name: ObjectName, options?: CallOptions): Promise<Scale> {
    const scope = { ...name, subresource: "scale" };
    return (await this.#caller.call({ verb: "get", method: "GET", resource, scope }, options)) as Scale;
  }

  setScale(resource: Resource, name: ObjectName, replicas: number, options?: WriteOptions): Promise<Scale> {
    const scope = { ...name, subresource: "scale" };
    const body = { spec: { replicas } };
    return this.#write(
      { verb: "patch", method: "PATCH", resource, scope, body, contentType: PATCH_TYPES.merge },
      options,
    );
  }

  async serves(resource: Resource, options?: CallOptions): Promise<boolean> {
    const group = { ...resource, plural: "", namespaced: false };
    try {
      const found = (await this.#caller.call(
        { verb: "get", method: "GET", resource: group, scope: {} },
        options,
      )) as {
        resources?: readonly { name: string }[];
      };
      return found.resources?.some(({ name }) => name === resource.plural) ?? false;
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return false;
      throw error;
    }
  }

  #write<T extends KubeObject>(call: ApiCall, options: WriteOptions = {}): Promise<T> {
    const query = {
      ...call.query,
      dryRun: options.dryRun ? "All" : undefined,
      fieldManager: options.fieldManager,
      fieldValidation: options.fieldValidation,
    };
    return this.#caller.call({ ...call, query }, options, options.onWarning) as Promise<T>;
  }
}

function deleteBody(options: DeleteOptions): object {
  const { propagation, gracePeriodSeconds, dryRun, uid, resourceVersion } = options;
  return {
    kind: "DeleteOptions",
    apiVersion: "v1",
    propagationPolicy: propagation,
    gracePeriodSeconds,
    dryRun: dryRun ? ["All"] : undefined,
    preconditions: uid === undefined && resourceVersion === undefined ? undefined : { uid, resourceVersion },
  };
}
