import type { Resource } from "../../../src/kube/resource.ts";
import type { HttpSender } from "../../../src/lib/http.ts";
import {
  type Answer,
  Api,
  type Body,
  type Collection,
  eventually,
  type Query,
  type Watching,
} from "../world/api.ts";
import { condition, taken } from "../world/expectations.ts";
import type { Call, KindName } from "./calls.ts";
import { NAMES, resourceOf } from "./calls.ts";
import { Normaliser } from "./normalise.ts";

const MARKER = "marker";
const OURS: readonly string[] = ["example.com/hold", "example.com/other"];
const PROTECTION = "kubernetes.io/pvc-protection";
const NOBODY = "00000000-0000-0000-0000-000000000000";

/** What a call in one world came to, in a form that can be compared. */
export interface Outcome {
  readonly code: number;
  readonly warnings: readonly string[];
  readonly body: unknown;
}

/** Makes the calls of one sequence in one world, and watches what they do. */
export class Visitor {
  readonly #things: Collection;
  readonly #kind: KindName;
  readonly #normaliser: Normaliser;
  /** The first and the last state of each object that was seen. */
  readonly #first = new Map<string, Body>();
  readonly #last = new Map<string, Body>();
  #watching: Watching | undefined;

  constructor(sender: HttpSender, kind: KindName, widgets: Resource, namespace: string) {
    this.#kind = kind;
    this.#normaliser = new Normaliser({ versions: kind !== "claims" });
    this.#things = new Api(sender).of(resourceOf(kind, widgets), namespace);
  }

  async begin(): Promise<void> {
    const { metadata } = taken(await this.#things.list());
    this.#watching = await this.#things.watch({ resourceVersion: metadata.resourceVersion });
  }

  async make(call: Call): Promise<Outcome> {
    if (call.verb === "list") return this.#list(call.query as Query, call.pages);
    if (call.verb === "replace" && call.version === "fresh") await this.#look(call.name);
    const answer = await this.#send(call);
    if (answer.code < 300 && answer.body.kind === this.#things.resource.kind && !isDryRun(call))
      this.#note(answer.body);
    const outcome = this.#outcome(answer);
    if (answer.code < 300) {
      for (const name of call.verb === "deletecollection" ? NAMES : [call.name]) await this.#settle(name);
    }
    return outcome;
  }

  /** What the watch saw of each object, once everything is removed again. */
  async end(): Promise<unknown[]> {
    const { items } = taken(await this.#things.list());
    for (const { metadata } of items) {
      const { name } = metadata;
      await this.#things.delete(name, { propagationPolicy: "Background" });
      await this.#settle(name);
      await this.#things.patch(name, "merge", { metadata: { finalizers: null } });
      await this.#things.untilGone(name);
    }
    const marker = MINIMAL[this.#kind];
    taken(await this.#things.create({ metadata: { name: MARKER }, ...marker }), 201);
    const events = await this.#events();
    await this.#things.delete(MARKER, { propagationPolicy: "Background" });
    await this.#things.untilGone(MARKER);
    return events;
  }

  [Symbol.dispose](): void {
    this.#watching?.[Symbol.dispose]();
  }

  /** In the order of the objects' names: between objects, controllers take turns as they like. */
  async #events(): Promise<unknown[]> {
    const events: [string, string, unknown][] = [];
    const last = new Map<string, string>();
    for (;;) {
      const [frame] = (await this.#watching?.next(1)) ?? [];
      if (!frame) throw new Error("the watch ended");
      if (frame.object.metadata.name === MARKER)
        return events.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
      const { resourceVersion: _, ...metadata } = frame.object.metadata;
      const shown = this.#normaliser.of({ ...frame.object, metadata });
      const text = JSON.stringify(shown);
      // A controller's write to what is not compared looks like no change at all.
      const changed = frame.type !== "MODIFIED" || last.get(metadata.name) !== text;
      if (changed) events.push([metadata.name, frame.type, shown]);
      last.set(metadata.name, text);
    }
  }

  #send(call: Exclude<Call, { verb: "list" }>): Promise<Answer> {
    const things = this.#things;
    const { name } = call;
    const named = (body: object) => ({ ...body, metadata: { ...(body as Partial<Body>).metadata, name } });
    switch (call.verb) {
      case "create":
        return things.create(named(call.body), call.query as Query);
      case "get":
        return things.get(name);
      case "replace":
        return things.replace(this.#versioned(named(call.body), name, call.version), call.query as Query);
      case "json":
      case "merge":
      case "strategic":
        return things.patch(name, call.verb, call.body, call.query as Query);
      case "apply":
        return things.apply(named(call.body), call.query as Query);
      case "status": {
        const status = things.sub("status");
        if (call.how === "merge") return status.patch(name, "merge", call.body, call.query as Query);
        if (call.how === "apply") return status.apply(named(call.body), call.query as Query);
        return status.replace(this.#versioned(named(call.body), name, "fresh"), call.query as Query);
      }
      case "scale":
        return things.sub("scale").patch(name, "merge", { spec: { replicas: call.replicas } });
      case "delete": {
        const uid = call.uid === "wrong" ? NOBODY : this.#last.get(name)?.metadata.uid;
        const preconditions = call.uid === "none" || uid === undefined ? {} : { preconditions: { uid } };
        return things.delete(name, { ...call.options, ...preconditions });
      }
      case "deletecollection":
        return things.deleteCollection(call.query as Query);
    }
  }

  #versioned(body: object, name: string, version: "fresh" | "stale" | "none"): object {
    const known = (version === "stale" ? this.#first : this.#last).get(name);
    if (version === "none" || known === undefined) return body;
    // A claim's first version may already be a controller's past.
    const ancient = version === "stale" && this.#kind === "claims";
    const resourceVersion = ancient ? "1" : known.metadata.resourceVersion;
    return { ...body, metadata: { ...(body as Partial<Body>).metadata, resourceVersion } };
  }

  async #list(query: Query, pages: boolean): Promise<Outcome> {
    const answer = await this.#things.list(query);
    const outcomes = [this.#outcome(answer)];
    let next = answer.body.metadata?.continue;
    while (pages && next) {
      const { labelSelector, limit = 1 } = query;
      const rest = await this.#things.list({
        limit,
        continue: next,
        ...(labelSelector && { labelSelector }),
      });
      outcomes.push(this.#outcome(rest));
      next = rest.body.metadata?.continue;
    }
    return { code: answer.code, warnings: [], body: outcomes };
  }

  /** Waits for what controllers do with the object, and takes note of the state after it. */
  async #settle(name: string): Promise<void> {
    const body = await eventually(`${name} has settled`, async () => {
      const { code, body } = await this.#things.get(name);
      const leaving = body.metadata?.deletionTimestamp !== undefined;
      const held = (body.metadata?.finalizers ?? []).every((one) => OURS.includes(one));
      const ready = leaving ? held && (body.metadata.finalizers ?? []).length > 0 : this.#isReady(body);
      return { done: code === 404 || ready, value: body };
    });
    if (body.kind !== "Status") this.#note(body);
  }

  async #look(name: string): Promise<void> {
    const { code, body } = await this.#things.get(name);
    if (code === 200) this.#note(body);
  }

  #isReady(body: Body): boolean {
    if (this.#kind === "jobs") return condition(body, "Suspended") !== undefined;
    return this.#kind !== "claims" || (body.metadata?.finalizers ?? []).includes(PROTECTION);
  }

  #note(body: Body): void {
    const { name } = body.metadata;
    if (this.#first.get(name)?.metadata.uid !== body.metadata.uid) this.#first.set(name, body);
    this.#last.set(name, body);
  }

  #outcome({ code, headers, body }: Answer): Outcome {
    const warnings = [...(headers.warning ?? "").matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)]
      .map((m) => m[1] ?? "")
      .sort();
    const list = body.items !== undefined;
    return {
      code,
      warnings,
      body: this.#normaliser.of(
        list ? { ...body, metadata: { ...body.metadata, resourceVersion: "" } } : body,
      ),
    };
  }
}

const MINIMAL: Readonly<Record<KindName, object>> = {
  widgets: {},
  secrets: {},
  claims: {
    spec: {
      accessModes: ["ReadWriteOnce"],
      storageClassName: "",
      resources: { requests: { storage: "1Gi" } },
    },
  },
  jobs: {
    spec: {
      suspend: true,
      template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "none" }] } },
    },
  },
};

function isDryRun(call: Call): boolean {
  if (call.verb === "delete") return call.options.dryRun !== undefined;
  return "query" in call && call.query.dryRun !== undefined;
}
