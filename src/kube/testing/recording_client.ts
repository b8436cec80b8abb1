import type {
  ApplyOptions,
  DeleteOptions,
  List,
  ListOptions,
  MetadataReader,
  Patch,
  Scale,
  SubresourceOptions,
  WatchEvent,
  Writer,
} from "../client.ts";
import type { KubeObject, ObjectName } from "../object.ts";
import type { Resource } from "../resource.ts";

/** One request that was made. */
export interface RecordedCall {
  readonly verb: "get" | "list" | "create" | "update" | "patch" | "apply" | "delete";
  readonly resource: Resource;
  readonly name?: ObjectName;
  /** The object or the patch that was sent. */
  readonly body?: unknown;
  readonly options?: unknown;
}

/** A client for tests: keeps every call, and answers with what `answer` returns or throws. */
export class RecordingClient implements Writer, MetadataReader {
  readonly calls: RecordedCall[] = [];
  readonly #answer: (call: RecordedCall) => unknown;

  constructor(answer: (call: RecordedCall) => unknown = () => undefined) {
    this.#answer = answer;
  }

  get metadata(): MetadataReader {
    return this;
  }

  /** The calls that change something. */
  get writes(): readonly RecordedCall[] {
    return this.calls.filter((call) => call.verb !== "get" && call.verb !== "list");
  }

  async #record<R>(call: RecordedCall): Promise<R> {
    this.calls.push(call);
    return (await this.#answer(call)) as R;
  }

  get<T extends KubeObject>(resource: Resource<T>, name: ObjectName): Promise<T> {
    return this.#record({ verb: "get", resource, name });
  }

  list<T extends KubeObject>(resource: Resource<T>, options?: ListOptions): Promise<List<T>> {
    return this.#record({ verb: "list", resource, options });
  }

  create<T extends KubeObject>(
    resource: Resource<T>,
    body: unknown,
    options?: SubresourceOptions,
  ): Promise<T> {
    return this.#record({ verb: "create", resource, body, options });
  }

  update<T extends KubeObject>(resource: Resource<T>, body: T, options?: SubresourceOptions): Promise<T> {
    return this.#record({ verb: "update", resource, name: body.metadata, body, options });
  }

  patch<T extends KubeObject>(
    resource: Resource<T>,
    name: ObjectName,
    body: Patch<T>,
    options?: SubresourceOptions,
  ): Promise<T> {
    return this.#record({ verb: "patch", resource, name, body, options });
  }

  apply<T extends KubeObject>(
    resource: Resource<T>,
    body: { readonly metadata: ObjectName },
    options: ApplyOptions,
  ): Promise<T> {
    return this.#record({ verb: "apply", resource, name: body.metadata, body, options });
  }

  delete(resource: Resource, name: ObjectName, options?: DeleteOptions): Promise<boolean> {
    return this.#record({ verb: "delete", resource, name, options });
  }

  pages<T extends KubeObject>(): AsyncIterable<List<T>> {
    throw new Error("not recorded: pages");
  }

  watch<T extends KubeObject>(): AsyncIterable<WatchEvent<T>> {
    throw new Error("not recorded: watch");
  }

  deleteCollection(): Promise<void> {
    throw new Error("not recorded: deleteCollection");
  }

  getScale(): Promise<Scale> {
    throw new Error("not recorded: getScale");
  }

  setScale(): Promise<Scale> {
    throw new Error("not recorded: setScale");
  }
}
