import { describe, expect, test } from "vitest";
import { HttpFailure, type HttpRequest } from "../../lib/http.ts";
import { seededRandom } from "../../lib/random.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import {
  ApiError,
  ApplyConflict,
  isAlreadyExists,
  isConflict,
  isNotFound,
  isNotServed,
} from "../api_error.ts";
import { ConfigMaps, Deployments, Namespaces } from "../builtin.ts";
import { failedStatus, type ScriptedAnswer, ScriptedSender } from "../testing/scripted_sender.ts";
import { HttpClient } from "./http_client.ts";

function setup(answer: (request: HttpRequest, n: number) => ScriptedAnswer | Promise<ScriptedAnswer>) {
  const clock = new VirtualClock();
  const sender = new ScriptedSender(answer);
  const requests: unknown[] = [];
  const observer = { request: (info: unknown) => requests.push(info) };
  const client = new HttpClient({ sender, clock, random: seededRandom(1), observer });
  return { client, clock, sender, observed: requests };
}

const name = { namespace: "shop", name: "prices" };
const stored = {
  metadata: { ...name, uid: "u1", resourceVersion: "7", creationTimestamp: "2026-01-01T00:00:00Z" },
};

/** Lets virtual time pass until the call is over. */
async function finish<T>(clock: VirtualClock, call: Promise<T>): Promise<T> {
  let over = false;
  const done = call.finally(() => {
    over = true;
  });
  done.catch(() => {});
  while (!over && (await clock.advanceToNext())) {
    // The next timer decides what happens.
  }
  return done;
}

describe("reading", () => {
  test("get() asks for the object's own path and returns fields that no type knows", async () => {
    const { client, sender } = setup(() => ({
      body: { ...stored, data: { a: "1" }, brandNew: { deep: [1] } },
    }));
    const object = await client.get(ConfigMaps, name);
    expect(sender.requests[0]?.path).toBe("/api/v1/namespaces/shop/configmaps/prices");
    expect(object).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", brandNew: { deep: [1] } });
  });

  test("get() of a namespaced kind without a namespace is refused before it is sent", async () => {
    const { client, sender } = setup(() => ({ body: stored }));
    await expect(client.get(ConfigMaps, { name: "prices" })).rejects.toThrow("a namespace is needed");
    expect(sender.requests).toHaveLength(0);
  });

  test.each(["../secrets/key", "a/b", "..", "", "a%2fb"])(
    "a name like %j cannot change the path",
    async (bad) => {
      const { client, sender } = setup(() => ({ body: stored }));
      await expect(client.get(ConfigMaps, { namespace: "shop", name: bad })).rejects.toThrow(
        "is not an object name",
      );
      expect(sender.requests).toHaveLength(0);
    },
  );

  test("items of a list carry the kind that was asked for", async () => {
    const { client } = setup(() => ({ body: { metadata: { resourceVersion: "9" }, items: [stored] } }));
    const list = await client.list(ConfigMaps, { namespace: "shop", labelSelector: "app=a,tier in (x, y)" });
    expect(list.items[0]).toMatchObject({ apiVersion: "v1", kind: "ConfigMap" });
  });

  test("an empty list may say null", async () => {
    const { client } = setup(() => ({ body: { metadata: { resourceVersion: "9" }, items: null } }));
    expect((await client.list(ConfigMaps)).items).toEqual([]);
  });

  test("pages() follows the continue token, and names a version only for the first page", async () => {
    const { client, sender } = setup((_, n) => ({
      body: { metadata: { resourceVersion: "9", ...(n < 3 ? { continue: `t${n}` } : {}) }, items: [stored] },
    }));
    const seen = [];
    for await (const page of client.pages(ConfigMaps, { resourceVersion: "5", limit: 1 }))
      seen.push(page.items.length);
    expect(seen).toEqual([1, 1, 1]);
    expect(sender.requests.map((r) => r.path)).toEqual([
      "/api/v1/configmaps?limit=1&resourceVersion=5",
      "/api/v1/configmaps?limit=1&continue=t1",
      "/api/v1/configmaps?limit=1&continue=t2",
    ]);
  });

  test("metadata reads ask for metadata alone and keep the real kind", async () => {
    const { client, sender } = setup(() => ({ body: { kind: "PartialObjectMetadata", ...stored } }));
    const object = await client.metadata.get(ConfigMaps, name);
    expect(sender.requests[0]?.headers?.accept).toContain("as=PartialObjectMetadata;");
    expect(object.kind).toBe("ConfigMap");
  });

  test("serves() tells an API that is there from one that is not", async () => {
    const { client } = setup((request) =>
      request.path === "/apis/apps/v1"
        ? { body: { resources: [{ name: "deployments" }] } }
        : failedStatus(404, "NotFound"),
    );
    expect(await client.serves(Deployments)).toBe(true);
    expect(await client.serves({ ...Deployments, plural: "gizmos" })).toBe(false);
    expect(await client.serves({ ...Deployments, group: "example.com" })).toBe(false);
  });
});

describe("writing", () => {
  test("create() fills in apiVersion and kind, and posts to the collection", async () => {
    const { client, sender } = setup(() => ({ status: 201, body: stored }));
    await client.create(
      ConfigMaps,
      { metadata: name, data: { a: "1" } },
      { dryRun: true, fieldManager: "me" },
    );
    const request = sender.requests[0];
    expect(request?.method).toBe("POST");
    expect(request?.path).toBe("/api/v1/namespaces/shop/configmaps?dryRun=All&fieldManager=me");
    expect(JSON.parse(String(request?.body))).toMatchObject({
      apiVersion: "v1",
      kind: "ConfigMap",
      data: { a: "1" },
    });
  });

  test.each([
    ["json", "application/json-patch+json"],
    ["merge", "application/merge-patch+json"],
    ["strategic", "application/strategic-merge-patch+json"],
  ] as const)("a %s patch says so", async (type, contentType) => {
    const { client, sender } = setup(() => ({ body: stored }));
    const patch =
      type === "json" ? ({ type, patch: [] } as const) : ({ type, patch: { data: { a: null } } } as const);
    await client.patch(ConfigMaps, name, patch as never, { subresource: "status" });
    expect(sender.requests[0]?.headers?.["content-type"]).toBe(contentType);
    expect(sender.requests[0]?.path).toBe("/api/v1/namespaces/shop/configmaps/prices/status");
  });

  test("apply() names the disputed fields and who owns them", async () => {
    const causes = [
      { reason: "FieldManagerConflict", message: 'conflict with "kubectl" using v1', field: ".data.a" },
    ];
    const { client, sender } = setup(() => failedStatus(409, "Conflict", "Apply failed", { causes }));
    const call = client.apply(ConfigMaps, { metadata: name, data: { a: "1" } }, { fieldManager: "me" });
    const error = await call.catch((e) => e);
    expect(error).toBeInstanceOf(ApplyConflict);
    expect((error as ApplyConflict).owners).toEqual([{ field: ".data.a", manager: "kubectl" }]);
    expect(sender.requests[0]?.headers?.["content-type"]).toBe("application/apply-patch+yaml");
  });

  test("delete() sends its preconditions, and a missing object is not an error", async () => {
    const { client, sender } = setup((_, n) => (n === 1 ? { body: {} } : failedStatus(404, "NotFound")));
    const options = {
      uid: "u1",
      resourceVersion: "7",
      propagation: "Foreground",
      gracePeriodSeconds: 0,
    } as const;
    expect(await client.delete(ConfigMaps, name, options)).toBe(true);
    expect(JSON.parse(String(sender.requests[0]?.body))).toEqual({
      kind: "DeleteOptions",
      apiVersion: "v1",
      propagationPolicy: "Foreground",
      gracePeriodSeconds: 0,
      preconditions: { uid: "u1", resourceVersion: "7" },
    });
    expect(await client.delete(ConfigMaps, name)).toBe(false);
  });

  test("setScale() touches the replicas alone", async () => {
    const { client, sender } = setup(() => ({ body: { ...stored, spec: { replicas: 0 } } }));
    const scale = await client.setScale(Deployments, name, 0);
    expect(scale.spec.replicas).toBe(0);
    expect(sender.requests[0]?.path).toBe("/apis/apps/v1/namespaces/shop/deployments/prices/scale");
    expect(JSON.parse(String(sender.requests[0]?.body))).toEqual({ spec: { replicas: 0 } });
  });

  test("warnings reach the caller", async () => {
    const warning = '299 - "spec.x is deprecated", 299 - "say \\"please\\", always"';
    const { client } = setup(() => ({ body: stored, headers: { warning } }));
    const said: string[] = [];
    await client.create(ConfigMaps, { metadata: name }, { onWarning: (text) => said.push(text) });
    expect(said).toEqual(["spec.x is deprecated", 'say "please", always']);
    await client.delete(ConfigMaps, name, { onWarning: (text) => said.push(text) });
    expect(said).toHaveLength(4);
  });
});

describe("errors", () => {
  test.each([
    [404, "NotFound", isNotFound],
    [409, "AlreadyExists", isAlreadyExists],
    [409, "Conflict", isConflict],
  ] as const)("%i %s is recognised", async (code, reason, is) => {
    const { client } = setup(() => failedStatus(code, reason, `configmaps "prices" ${reason}`));
    const error = await client.create(ConfigMaps, { metadata: name }).catch((e) => e);
    expect(is(error)).toBe(true);
    expect((error as ApiError).message).toBe(`create configmaps shop: configmaps "prices" ${reason}`);
  });

  test("an answer that is not from an API server is shown as it is", async () => {
    const { client } = setup(() => ({ status: 403, stream: [Buffer.from("<html>blocked by proxy</html>")] }));
    await expect(client.get(Namespaces, { name: "x" })).rejects.toThrow(
      "get namespaces x: <html>blocked by proxy",
    );
  });

  test("a 404 that is not an API server's word on the object says nothing of it", async () => {
    const { client } = setup(() => ({ status: 404, stream: [Buffer.from("404 page not found\n")] }));
    const error = await client.get(Namespaces, { name: "x" }).catch((e) => e);
    expect(isNotFound(error)).toBe(false);
    expect(isNotServed(error)).toBe(true);
    await expect(client.delete(Namespaces, { name: "x" })).rejects.toThrow("404 page not found");
  });

  test("a success that is not JSON says what to check", async () => {
    const { client, clock } = setup(() => ({ stream: [Buffer.from("hello")] }));
    await expect(finish(clock, client.get(Namespaces, { name: "x" }))).rejects.toThrow(
      "is this the address of",
    );
  });
});

describe("retries", () => {
  const lost = new HttpFailure("reset", { code: "ECONNRESET", sent: true });
  const refused = new HttpFailure("refused", { code: "ECONNREFUSED", sent: false });

  test.each([
    [429, "TooManyRequests"],
    [503, "ServiceUnavailable"],
  ])("Retry-After is obeyed on %i, for writes too", async (code, reason) => {
    const { client, clock, sender } = setup((_, n) =>
      n === 1 ? { ...failedStatus(code, reason), headers: { "retry-after": "7" } } : { body: stored },
    );
    const start = clock.monotonic();
    await finish(clock, client.create(ConfigMaps, { metadata: name }));
    expect(sender.requests).toHaveLength(2);
    expect(clock.monotonic() - start).toBe(7000);
  });

  test("a write whose answer was lost is not sent again", async () => {
    const { client, clock, sender } = setup(() => {
      throw lost;
    });
    await expect(finish(clock, client.create(ConfigMaps, { metadata: name }))).rejects.toBe(lost);
    expect(sender.requests).toHaveLength(1);
  });

  test("a write that never reached the server is sent again", async () => {
    const { client, clock, sender } = setup((_, n) => {
      if (n < 3) throw refused;
      return { body: stored };
    });
    await finish(clock, client.create(ConfigMaps, { metadata: name }));
    expect(sender.requests).toHaveLength(3);
  });

  test("a 500 is retried for reads and is the answer for writes", async () => {
    const { client, clock, sender } = setup((_, n) =>
      n % 2 ? failedStatus(500, "InternalError") : { body: stored },
    );
    await finish(clock, client.get(ConfigMaps, name));
    expect(sender.requests).toHaveLength(2);
    await expect(finish(clock, client.create(ConfigMaps, { metadata: name }))).rejects.toThrow(ApiError);
    expect(sender.requests).toHaveLength(3);
  });

  test("the deadline ends the retries with the last failure, not with a word about time", async () => {
    const { client, clock } = setup(() => {
      throw refused;
    });
    const start = clock.monotonic();
    await expect(finish(clock, client.get(ConfigMaps, name, { timeout: 10_000 }))).rejects.toBe(refused);
    expect(clock.monotonic() - start).toBeLessThanOrEqual(10_000);
    expect(clock.pendingTimers).toBe(0);
  });

  test("the caller's signal ends the waiting at once", async () => {
    const { client, clock } = setup(() => failedStatus(429, "TooManyRequests"));
    const controller = new AbortController();
    const call = client.get(ConfigMaps, name, { signal: controller.signal });
    call.catch(() => {});
    await clock.advance(10);
    controller.abort(new Error("going home"));
    await expect(call).rejects.toThrow("going home");
    expect(clock.pendingTimers).toBe(0);
  });

  test("every request is observed, with its attempt", async () => {
    const { client, clock, observed } = setup((_, n) => {
      if (n === 1) throw refused;
      return { body: stored };
    });
    await finish(clock, client.get(ConfigMaps, name));
    expect(observed).toMatchObject([
      { verb: "get", resource: "configmaps", code: "ECONNREFUSED", attempt: 1 },
      { verb: "get", resource: "configmaps", code: 200, attempt: 2 },
    ]);
  });
});

describe("watching", () => {
  const event = (type: string, object: object) => Buffer.from(`${JSON.stringify({ type, object })}\n`);

  test("events arrive however the bytes were cut", async () => {
    const whole = Buffer.concat([
      event("ADDED", { ...stored, data: { é: "ü" } }),
      event("MODIFIED", stored),
      event("BOOKMARK", {
        metadata: { resourceVersion: "12", annotations: { "k8s.io/initial-events-end": "true" } },
      }),
      event("DELETED", stored),
    ]);
    const bytes = [...whole].map((byte) => Buffer.of(byte));
    const { client } = setup(() => ({ stream: bytes }));
    const seen = [];
    for await (const e of client.watch(ConfigMaps, { resourceVersion: "5" })) seen.push(e);
    expect(seen.map((e) => e.type)).toEqual(["ADDED", "MODIFIED", "BOOKMARK", "DELETED"]);
    expect(seen[0]).toMatchObject({ object: { kind: "ConfigMap", data: { é: "ü" } } });
    expect(seen[2]).toEqual({ type: "BOOKMARK", resourceVersion: "12", initialEventsEnd: true });
  });

  test("a line that was cut off by the end of the connection is not an event", async () => {
    const cut = event("MODIFIED", stored);
    const { client } = setup(() => ({ stream: [event("ADDED", stored), cut.subarray(0, cut.length - 5)] }));
    const seen = [];
    for await (const e of client.watch(ConfigMaps)) seen.push(e.type);
    expect(seen).toEqual(["ADDED"]);
  });

  test("an ERROR event is thrown with its code", async () => {
    const { client } = setup(() => ({
      stream: [event("ERROR", { kind: "Status", code: 410, reason: "Expired" })],
    }));
    const watching = (async () => {
      for await (const _ of client.watch(ConfigMaps)) throw new Error("no event expected");
    })();
    await expect(watching).rejects.toMatchObject({ code: 410, reason: "Expired" });
  });

  test("a connection that goes silent is given up", async () => {
    async function* silent() {
      yield event("ADDED", stored);
      await new Promise(() => {});
    }
    const { client, clock } = setup(() => ({ stream: silent() }));
    const seen: string[] = [];
    const watching = (async () => {
      for await (const e of client.watch(ConfigMaps, { idleTimeout: 60_000 })) seen.push(e.type);
    })();
    watching.catch(() => {});
    await clock.advance(59_000);
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(2000);
    await expect(watching).rejects.toMatchObject({ code: "ESILENT" });
    expect(seen).toEqual(["ADDED"]);
    expect(clock.pendingTimers).toBe(0);
  });
});
