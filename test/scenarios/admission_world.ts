import {
  CASE_NAMES,
  CASE_NAMESPACES,
  type CaseAuthor,
  OPERATOR_NAMESPACE,
} from "../../src/apis/kopiur/admission/testing/admission_case.ts";
import { kopiur } from "../../src/apis/kopiur/api.ts";
import crds from "../../src/kinds/kopiur/generated/crds.json" with { type: "json" };
import { AdmissionServer } from "../../src/kube/admission/admission_server.ts";
import type { Webhook } from "../../src/kube/admission/webhook.ts";
import { ensureWebhooks, removeWebhooks } from "../../src/kube/admission/webhook_configuration.ts";
import { Namespaces } from "../../src/kube/builtin.ts";
import { Informers } from "../../src/kube/cache/informers.ts";
import { createAuthority, issueServerCertificate } from "../../src/kube/certificates/certificates.ts";
import type { Client } from "../../src/kube/client.ts";
import { Manager } from "../../src/kube/controller/manager.ts";
import { systemClock as clock } from "../../src/lib/clock.ts";
import { listen } from "../../src/lib/https_server.ts";
import { systemRandom as random } from "../../src/lib/random.ts";
import { silentLogger as log } from "../../src/observe/log.ts";
import { noWatchObserver } from "../../src/observe/observers.ts";
import { installCrds } from "./install_crds.ts";

/** A Kubernetes API without an operator in it. */
export interface AdmissionGround extends AsyncDisposable {
  readonly client: Client;
  /** An address of this process that the API server reaches. */
  readonly host: string;
}

const DAY = 86_400_000;

/** The webhooks of the native API at work on a ground, for objects of the cases alone, which carry its labels. */
export class AdmissionWorld implements AsyncDisposable {
  readonly client: Client;
  readonly informers: Informers;
  readonly labels: Readonly<Record<string, string>>;
  /** Who the next write is taken to be by. */
  author: CaseAuthor = "reader";
  readonly #id = random.hex(3);
  readonly #stack = new AsyncDisposableStack();

  private constructor(client: Client) {
    const ports = { clock, random, log };
    this.client = client;
    this.labels = { "admission-cases": this.#id };
    this.informers = new Informers({ ...ports, client, observer: noWatchObserver });
  }

  static async open(ground: AdmissionGround): Promise<AdmissionWorld> {
    const world = new AdmissionWorld(ground.client);
    world.#stack.use(ground);
    const stop = new AbortController();
    await installCrds(world.client, crds, stop.signal);
    for (const { name, ...rest } of CASE_NAMESPACES) {
      const metadata = world.named({ ...rest, name });
      await world.client.create(Namespaces, { metadata });
      world.#stack.defer(async () => void (await world.client.delete(Namespaces, metadata)));
    }
    const ready = Promise.withResolvers<void>();
    const server = world.#server(ground.host, ready.resolve);
    world.#stack.defer(async () => void (await removeWebhooks(world.client, world.#configuration)));
    const running = new Manager({ clock, log })
      .add("servers", server)
      .add("caches", world.informers)
      .run(stop.signal);
    world.#stack.defer(async () => {
      stop.abort(new Error("the cases are over"));
      await running;
    });
    await Promise.race([ready.promise, running]);
    await Promise.all(Array.from(world.informers.caches(), ([, cache]) => cache.whenSynced()));
    return world;
  }

  /** A text of a case in the names of this world. */
  named<T>(value: T): T {
    const text = CASE_NAMES.reduce(
      (text, name) => text.replaceAll(name, `${name}-${this.#id}`),
      JSON.stringify(value),
    );
    return JSON.parse(text) as T;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }

  get #configuration(): string {
    return `admission-cases-${this.#id}`;
  }

  #server(host: string, ready: () => void): AdmissionServer {
    const { client, informers } = this;
    const all = kopiur.webhooks({
      client: { create: this.#create } as Client,
      informers: informers.for(kopiur.name),
      settings: { moverImage: "holdfast/mover:1" },
      clock,
      random,
      log,
      operatorNamespace: this.named(OPERATOR_NAMESPACE),
      storesIn: () => new Map(),
      isOperator: () => this.author === "operator",
    });
    const webhooks = all.map((one): Webhook => ({ ...one, objectSelector: { matchLabels: this.labels } }));
    const validity = { notBefore: clock.now() - DAY, notAfter: clock.now() + DAY };
    const authority = createAuthority({ name: "admission-cases", validity, random });
    const identity = issueServerCertificate({ authority, names: { dns: [], ip: [host] }, validity, random });
    return new AdmissionServer({
      webhooks,
      clock,
      random,
      log,
      listen,
      host,
      port: 0,
      linger: 0,
      names: { dns: [], ip: [host] },
      certificates: { identity, caBundle: authority.cert, refresh: async () => {} },
      install: async ({ port, caBundle, signal }) => {
        const reach = { url: `https://${host}:${port}` };
        const options = {
          name: this.#configuration,
          webhooks,
          reach,
          caBundle,
          fieldManager: "admission-cases",
        };
        await ensureWebhooks(client, options, { signal });
        ready();
      },
    });
  }

  /** Whoever writes is the one user of the world: what the author of a case may read is answered here. */
  readonly #create: Client["create"] = async (resource, draft, options) => {
    if (resource.kind !== "SubjectAccessReview") return this.client.create(resource, draft, options);
    const status = { allowed: this.author !== "stranger" };
    return { ...draft, status } as unknown as NonNullable<(typeof resource)["shape"]>;
  };
}
