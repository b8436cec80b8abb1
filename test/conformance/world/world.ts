import {
  ConfigMaps,
  CustomResourceDefinitions,
  Namespaces,
  ServiceAccounts,
} from "../../../src/kube/builtin.ts";
import type { Resource } from "../../../src/kube/resource.ts";
import type { Crd } from "../../../src/kube/schema/crd.ts";
import type { HttpSender } from "../../../src/lib/http.ts";
import { systemRandom } from "../../../src/lib/random.ts";
import { Api, type Collection, eventually } from "./api.ts";
import { condition, taken } from "./expectations.ts";
import { letGo } from "./let_go.ts";
import { widgetCrd } from "./widgets.ts";

/** A Kubernetes API to put to the test. */
export interface Ground {
  readonly sender: HttpSender;
  /** An image with a `sh`; without one there is no node, and no pod runs. */
  readonly image?: string;
  /** An address of this process that the API server reaches, for webhooks. */
  readonly host: string;
}

/** What a case gets. Its theme shares the namespace, so objects are named after their case. */
export interface World {
  /** For what `of` does not reach: other namespaces, the whole cluster, requests byte by byte. */
  readonly api: Api;
  readonly namespace: string;
  readonly image: string;
  readonly host: string;
  /** The group of the custom kinds. */
  readonly group: string;
  readonly widgets: Resource;
  /** The objects of a kind in the namespace of the theme. */
  of(resource: Resource): Collection;
  /** A name that nobody else has, for what has no namespace. The case removes what it names. */
  unique(prefix: string): string;
  /** Creates a CRD, once, and resolves when its first version is served. It goes when the suite ends. */
  install(crd: Crd): Promise<Resource>;
}

export type Run = (world: World) => Promise<void>;

/** Behaviours that belong together: a sentence each, and what shows it. */
export interface Theme {
  readonly name: string;
  /** Pods must run. */
  readonly needsNode?: boolean;
  /** Kinds come and go, which holds up a cluster's garbage collector: these cases run when all others are over. */
  readonly last?: boolean;
  readonly cases: Readonly<Record<string, Run>>;
}

/** The whole suite's stay on one ground. */
export class Stay implements AsyncDisposable {
  readonly #ground: Ground;
  readonly #api: Api;
  readonly #id = systemRandom.hex(3);
  readonly #namespaces: string[] = [];
  readonly #installed = new Map<string, Promise<Resource>>();
  #widgets: Resource | undefined;

  constructor(ground: Ground) {
    this.#ground = ground;
    this.#api = new Api(ground.sender);
  }

  async begin(): Promise<void> {
    this.#widgets = await this.#install(widgetCrd(this.#group));
  }

  /** A world with a namespace of its own. */
  async enter(theme: string): Promise<World> {
    const { image = "", host } = this.#ground;
    const namespace = `${theme.replaceAll(" ", "-")}-${this.#id}`;
    this.#namespaces.push(namespace);
    taken(await this.#api.of(Namespaces).create({ metadata: { name: namespace } }), 201);
    if (image)
      await this.#api.of(ServiceAccounts, namespace).until("default", (o) => o.kind === "ServiceAccount");
    if (!this.#widgets) throw new Error("the stay has not begun");
    return {
      api: this.#api,
      namespace,
      image,
      host,
      group: this.#group,
      widgets: this.#widgets,
      of: (resource) => this.#api.of(resource, namespace),
      unique: (prefix) => `${prefix}-${this.#id}-${systemRandom.hex(2)}`,
      install: (crd) => this.#install(crd),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const installed = await Promise.allSettled(this.#installed.values());
    const custom = installed.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    await letGo(this.#api, [ConfigMaps, ...custom], this.#namespaces);
    await Promise.all(this.#namespaces.map((name) => this.#api.of(Namespaces).delete(name)));
    const crds = [...this.#installed.keys()];
    await Promise.all(crds.map((name) => this.#api.of(CustomResourceDefinitions).delete(name)));
  }

  get #group(): string {
    return `c${this.#id}.holdfast.dev`;
  }

  #install(crd: Crd): Promise<Resource> {
    const { name } = crd.metadata;
    const installing = this.#installed.get(name) ?? this.#create(crd);
    this.#installed.set(name, installing);
    return installing;
  }

  async #create(crd: Crd): Promise<Resource> {
    const crds = this.#api.of(CustomResourceDefinitions);
    taken(await crds.create(crd), 201);
    await crds.until(crd.metadata.name, (o) => condition(o, "Established")?.status === "True");
    const { group, names, scope, versions } = crd.spec;
    const version = versions.find(({ served }) => served)?.name ?? "";
    const { kind, plural } = names;
    const resource = { group, version, kind, plural, namespaced: scope === "Namespaced" };
    await eventually(`${plural} are served`, async () => {
      const { code } = await this.#api.of(resource).list();
      return { done: code === 200, value: code };
    });
    return resource;
  }
}
