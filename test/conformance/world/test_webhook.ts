import {
  ConfigMaps,
  MutatingWebhookConfigurations,
  ValidatingWebhookConfigurations,
} from "../../../src/kube/builtin.ts";
import { createAuthority, issueServerCertificate } from "../../../src/kube/certificates/certificates.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { listen, type RunningServer } from "../../../src/lib/https_server.ts";
import { systemRandom } from "../../../src/lib/random.ts";
import { type Answer, type Body, eventually } from "./api.ts";
import { taken } from "./expectations.ts";
import type { World } from "./world.ts";

/** What the API server asked. */
export interface Asked {
  readonly uid: string;
  readonly operation: string;
  readonly object: Body | null;
  readonly oldObject: Body | null;
  readonly [field: string]: unknown;
}

export type Reply = { readonly allowed: boolean } & Readonly<Record<string, unknown>>;

const DAY = 86_400_000;

/** A webhook server and its configurations, for objects that carry the label `hook: <name>`; all go at the end. */
export class TestWebhook implements AsyncDisposable {
  readonly asked: Asked[] = [];
  readonly name: string;
  readonly #world: World;
  readonly #server: RunningServer;
  readonly #caBundle: string;
  readonly #installed: (() => Promise<unknown>)[] = [];

  private constructor(world: World, name: string, server: RunningServer, caBundle: string, asked: Asked[]) {
    this.#world = world;
    this.name = name;
    this.#server = server;
    this.#caBundle = caBundle;
    this.asked = asked;
  }

  static async start(world: World, reply: (asked: Asked) => Reply): Promise<TestWebhook> {
    const validity = { notBefore: systemClock.now() - DAY, notAfter: systemClock.now() + DAY };
    const authority = createAuthority({ name: "conformance", validity, random: systemRandom });
    const names = { dns: [], ip: [world.host] };
    const identity = issueServerCertificate({ authority, names, validity, random: systemRandom });
    const asked: Asked[] = [];
    const server = await listen({
      host: world.host,
      port: 0,
      tls: () => identity,
      handler: ({ body }) => {
        const { request } = JSON.parse(Buffer.from(body).toString()) as { request: Asked };
        asked.push(request);
        const response = { uid: request.uid, ...reply(request) };
        const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response };
        return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(review) };
      },
    });
    return new TestWebhook(
      world,
      world.unique("hook"),
      server,
      Buffer.from(authority.cert).toString("base64"),
      asked,
    );
  }

  get labels(): Readonly<Record<string, string>> {
    return { hook: this.name };
  }

  get clientConfig() {
    return { url: `https://${this.#world.host}:${this.#server.port}/hook`, caBundle: this.#caBundle };
  }

  /** One entry of a configuration: everything about ConfigMaps with the label, unless `more` says otherwise. */
  entry(more: object = {}) {
    return {
      name: "hook.example.com",
      admissionReviewVersions: ["v1"],
      sideEffects: "None",
      timeoutSeconds: 5,
      clientConfig: this.clientConfig,
      rules: [
        {
          apiGroups: [""],
          apiVersions: ["v1"],
          resources: ["configmaps"],
          operations: ["CREATE", "UPDATE", "DELETE"],
        },
      ],
      objectSelector: { matchLabels: this.labels },
      ...more,
    };
  }

  /** Resolves when the API server acts on it, as `effective` sees in a dry run; by default when it asks. */
  async install(
    type: "validating" | "mutating",
    entry: object,
    effective: (answer: Answer) => boolean = () => this.asked.length > 0,
  ): Promise<void> {
    const resource = type === "validating" ? ValidatingWebhookConfigurations : MutatingWebhookConfigurations;
    const configurations = this.#world.api.of(resource);
    const name = `${this.name}-${type}`;
    taken(await configurations.create({ metadata: { name }, webhooks: [entry] }), 201);
    this.#installed.push(() => configurations.delete(name));
    await eventually("the webhook is in effect", async () => {
      const probe = { metadata: { name: PROBE, labels: this.labels } };
      const answer = await this.#world.of(ConfigMaps).create(probe, { dryRun: "All" });
      return { done: effective(answer), value: answer.text };
    });
    this.asked.length = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const remove of this.#installed) await remove();
    await this.#server.close(AbortSignal.abort());
  }
}

const PROBE = "probe";
