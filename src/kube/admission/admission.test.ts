import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { silentLogger } from "../../observe/log.ts";
import type { AdmissionInfo } from "../../observe/observers.ts";
import { type ConfigMap, ConfigMaps } from "../builtin.ts";
import { admission } from "./admission.ts";
import { type MutatingWebhook, type ValidatingWebhook, webhook } from "./webhook.ts";

type Validate = ValidatingWebhook<ConfigMap>["validate"];
type Mutate = MutatingWebhook<ConfigMap>["mutate"];

const base = { name: "check.example.org", path: "/check", resource: ConfigMaps } as const;
const deleting = { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["example.org/hold"] };
const refuse: Validate = () => ({ allowed: false, message: "no", code: 422 });

function setUp(options: {
  validate?: Validate;
  mutate?: Mutate;
  onFailure?: "allow";
  operations?: readonly ("CREATE" | "UPDATE" | "DELETE")[];
}) {
  const {
    validate = () => ({ allowed: true }),
    mutate,
    onFailure,
    operations = ["CREATE", "UPDATE"],
  } = options;
  const clock = new VirtualClock();
  const events: AdmissionInfo[] = [];
  const common = { ...base, operations, ...(onFailure && { onFailure }) };
  const definition = mutate
    ? webhook<ConfigMap>({ ...common, type: "mutating", mutate })
    : webhook<ConfigMap>({ ...common, type: "validating", validate });
  const handler = admission({
    webhooks: [definition],
    clock,
    log: silentLogger,
    observer: { reviewed: (info) => events.push(info) },
  });
  const send = async (
    body: unknown,
    changes: { path?: string; method?: string; type?: string; query?: string } = {},
  ) =>
    handler({
      method: changes.method ?? "POST",
      path: changes.path ?? "/check",
      query: new URLSearchParams(changes.query ?? "timeout=10s"),
      headers: { "content-type": changes.type ?? "application/json" },
      body: body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body)),
      signal: new AbortController().signal,
    });
  const ask = async (request: object, query?: string) => {
    const answer = await send(review(request), query === undefined ? {} : { query });
    expect(answer.status).toBe(200);
    return JSON.parse(String(answer.body)).response;
  };
  return { clock, events, send, ask };
}

function review(request: object) {
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "u-1",
      operation: "CREATE",
      resource: { group: "", version: "v1", resource: "configmaps" },
      object: { metadata: { name: "a" }, data: { key: "value" } },
      ...request,
    },
  };
}

describe("admission()", () => {
  test("passes on a validating webhook's yes, and its warnings", async () => {
    const { ask, events } = setUp({ validate: () => ({ allowed: true, warnings: ["careful"] }) });
    expect(await ask({})).toEqual({ uid: "u-1", allowed: true, warnings: ["careful"] });
    expect(events).toEqual([
      {
        webhook: "validating",
        resource: "configmaps",
        operation: "CREATE",
        verdict: "allowed",
        durationMs: 0,
      },
    ]);
  });

  test("passes on a validating webhook's no, with code, reason and message", async () => {
    const { ask, events } = setUp({ validate: refuse });
    expect(await ask({})).toEqual({
      uid: "u-1",
      allowed: false,
      status: { status: "Failure", code: 422, reason: "Invalid", message: "no" },
    });
    expect(events[0]?.verdict).toBe("denied");
  });

  test("turns a mutated object into a patch", async () => {
    const mutate: Mutate = ({ object }) =>
      object
        ? { allowed: true, object: { ...object, data: { ...object.data, added: "1" } } }
        : { allowed: true };
    const { patchType, patch } = await setUp({ mutate }).ask({});
    expect(patchType).toBe("JSONPatch");
    expect(JSON.parse(Buffer.from(patch, "base64").toString())).toEqual([
      { op: "add", path: "/data/added", value: "1" },
    ]);
  });

  test.each([
    ["returns the same object", ({ object }) => ({ allowed: true, ...(object && { object }) })],
    ["returns none", () => ({ allowed: true })],
  ] satisfies [string, Mutate][])("sends no patch when a mutating webhook %s", async (_, mutate) => {
    expect(await setUp({ mutate }).ask({})).toEqual({ uid: "u-1", allowed: true });
  });

  test("lets an object through that is being deleted, without asking", async () => {
    const { ask, events } = setUp({ validate: refuse, operations: ["UPDATE", "DELETE"] });
    const terminating = { metadata: { name: "a", ...deleting } };
    const released = { metadata: { name: "a", deletionTimestamp: deleting.deletionTimestamp } };
    expect(await ask({ operation: "UPDATE", oldObject: terminating, object: released })).toEqual({
      uid: "u-1",
      allowed: true,
    });
    expect(await ask({ operation: "DELETE", oldObject: terminating, object: null })).toMatchObject({
      allowed: true,
    });
    expect(events.map((event) => event.verdict)).toEqual(["passed", "passed"]);
  });

  test("does not believe a deletion that only the user's copy claims", async () => {
    const stored = { metadata: { name: "a" } };
    const claimed = { metadata: { name: "a", ...deleting } };
    const answer = await setUp({ validate: refuse }).ask({
      operation: "UPDATE",
      oldObject: stored,
      object: claimed,
    });
    expect(answer.allowed).toBe(false);
  });

  test("asks about a DELETE only a webhook that lists it", async () => {
    const request = { operation: "DELETE", oldObject: { metadata: { name: "a" } }, object: null };
    expect((await setUp({ validate: refuse }).ask(request)).allowed).toBe(true);
    expect((await setUp({ validate: refuse, operations: ["DELETE"] }).ask(request)).allowed).toBe(false);
  });

  test.each(["at once", "later"])(
    "a webhook that throws %s is a denial that names the culprit",
    async (when) => {
      const validate: Validate = () => {
        if (when === "at once") throw new Error("disk on fire");
        return Promise.reject(new Error("disk on fire"));
      };
      const { ask, events } = setUp({ validate });
      const { allowed, status } = await ask({});
      expect(allowed).toBe(false);
      expect(status).toEqual({
        status: "Failure",
        code: 500,
        reason: "InternalError",
        message:
          "the webhook check.example.org could not check this request: disk on fire. The fault is the webhook's, " +
          "not the object's: try again; if it stays, the operator's log says more",
      });
      expect(events[0]?.verdict).toBe("failed");
    },
  );

  test("a webhook that throws lets the request through, with a warning, when told to", async () => {
    const validate: Validate = () => Promise.reject(new Error("disk on fire"));
    expect(await setUp({ validate, onFailure: "allow" }).ask({})).toEqual({
      uid: "u-1",
      allowed: true,
      warnings: ["Not checked: the webhook check.example.org could not check this request: disk on fire"],
    });
  });

  test.each([
    ["timeout=3s", 2_500],
    ["timeout=500ms", 9_500],
    ["", 9_500],
    ["timeout=1s", 500],
    ["timeout=999s", 29_500],
  ])("a webhook that hangs is given up before the API server gives up (%j)", async (query, patience) => {
    let signal: AbortSignal | undefined;
    const { clock, events, ask } = setUp({
      validate: (_, given) => {
        signal = given;
        return new Promise(() => {});
      },
    });
    let answered = false;
    const answer = ask({}, query).finally(() => {
      answered = true;
    });
    await clock.advance(patience - 1);
    expect(answered).toBe(false);
    await clock.advance(1);
    expect((await answer).status).toMatchObject({ code: 504, reason: "Timeout" });
    expect(signal?.aborted).toBe(true);
    expect(events).toMatchObject([{ verdict: "failed", durationMs: patience }]);
    expect(clock.pendingTimers).toBe(0);
  });

  test.each([
    ["another path", { path: "/other" }, 404, "there is no webhook at /other\n"],
    ["another method", { method: "GET" }, 405, "GET is not for webhooks; send POST\n"],
    ["another type", { type: "text/yaml" }, 415, 'the content type is "text/yaml"; send application/json\n'],
  ])("refuses %s", async (_, changes, status, body) => {
    expect(await setUp({}).send(review({}), changes)).toMatchObject({ status, body });
  });

  test("refuses a resource that the webhook is not for", async () => {
    const other = review({ resource: { group: "apps", version: "v1", resource: "deployments" } });
    expect(await setUp({}).send(other)).toMatchObject({
      status: 400,
      body: "the webhook at /check is for configmaps v1, not for deployments.apps v1\n",
    });
  });

  test("refuses two webhooks at one path", () => {
    const twice = webhook<ConfigMap>({ ...base, type: "validating", operations: [], validate: refuse });
    const options = { clock: new VirtualClock(), log: silentLogger };
    expect(() => admission({ ...options, webhooks: [twice, { ...twice, name: "b.example.org" }] })).toThrow(
      "the webhooks check.example.org and b.example.org share the path /check",
    );
  });

  test("answers whatever it is sent", async () => {
    const { send } = setUp({ validate: refuse });
    const bytes = fc.oneof(
      fc.uint8Array(),
      fc.json().map((text) => Buffer.from(text)),
      fc.jsonValue().map((request) => Buffer.from(JSON.stringify(review({ request })))),
      fc
        .record({
          uid: fc.jsonValue(),
          operation: fc.jsonValue(),
          resource: fc.jsonValue(),
          object: fc.jsonValue(),
        })
        .map((request) => Buffer.from(JSON.stringify(review(request)))),
    );
    await fc.assert(
      fc.asyncProperty(bytes, async (body) => {
        expect([200, 400]).toContain((await send(body)).status);
      }),
    );
  });
});
