import { describe, expect, test } from "vitest";
import { type ScriptedAnswer, ScriptedSender } from "../../kube/testing/scripted_sender.ts";
import { HttpFailure } from "../../lib/http.ts";
import { seededRandom } from "../../lib/random.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { builtinKinds } from "../kinds/builtin_kinds.ts";
import type { KindInfo } from "../kinds/kind_info.ts";
import { MemoryStore } from "../store/memory_store.ts";
import type { Stored } from "../store/store.ts";
import { ServedKinds } from "./served_kinds.ts";
import { Webhooks } from "./webhooks.ts";

const kind = builtinKinds.find(({ resource }) => resource.kind === "ConfigMap") as KindInfo;
const object = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "x", namespace: "ns" },
  data: { a: "1" },
} as unknown as Stored;

interface Asked {
  readonly uid: string;
  readonly object: Stored | null;
}

type Reply = (asked: Asked, url: string, signal: AbortSignal | undefined) => object | Promise<object>;

/** Webhooks that answer by `reply`; each is configured as `entry` says, on top of what a webhook needs. */
async function configured(type: "mutating" | "validating", entries: readonly object[], reply: Reply) {
  const clock = new VirtualClock();
  const store = new MemoryStore({ clock });
  const rules = [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] }];
  const webhooks = entries.map((entry, i) => ({
    name: `hook-${i}.example.com`,
    clientConfig: { url: `https://hooks/${i}` },
    rules,
    failurePolicy: "Fail",
    ...entry,
  }));
  const resource = `${type}webhookconfigurations.admissionregistration.k8s.io`;
  const configuration = {
    apiVersion: "v1",
    kind: "C",
    metadata: { name: "all" },
    webhooks,
  } as unknown as Stored;
  await store.put({ resource, namespace: "", name: "all" }, configuration, undefined);
  const urls: string[] = [];
  const sender = new ScriptedSender(async (request): Promise<ScriptedAnswer> => {
    const { request: asked } = JSON.parse(String(request.body)) as { request: Asked };
    urls.push(request.path);
    return { body: { response: { uid: asked.uid, ...(await reply(asked, request.path, request.signal)) } } };
  });
  const kinds = new ServedKinds(builtinKinds);
  const servers: { url: string; ca?: string }[] = [];
  const admission = new Webhooks({
    store,
    kinds,
    clock,
    random: seededRandom(1),
    sender: (server) => {
      servers.push(server);
      return sender;
    },
  });
  const warnings: string[] = [];
  const attempt = {
    operation: "CREATE",
    kind,
    subresource: undefined,
    namespace: "ns",
    name: "x",
    object,
    user: { username: "admin", groups: [] },
    dryRun: false,
    warn: (text: string) => warnings.push(text),
  } as const;
  return { admission, attempt, clock, urls, servers, warnings };
}

const annotated = (name: string) => ({
  allowed: true,
  patch: Buffer.from(JSON.stringify([{ op: "add", path: `/data/${name}`, value: "x" }])).toString("base64"),
});

describe("mutating webhooks", () => {
  test("are asked one after the other, each about what the one before made", async () => {
    const seen: unknown[] = [];
    const { admission, attempt } = await configured("mutating", [{}, {}], ({ object }, url) => {
      seen.push(object?.data);
      return annotated(url.startsWith("/0") ? "first" : "second");
    });
    const made = await admission.mutate(attempt);
    expect(made.data).toEqual({ a: "1", first: "x", second: "x" });
    expect(seen).toEqual([{ a: "1" }, { a: "1", first: "x" }]);
  });

  test("whose patch cannot be applied stop the request", async () => {
    const patch = Buffer.from('[{"op":"remove","path":"/nowhere"}]').toString("base64");
    const { admission, attempt } = await configured("mutating", [{}], () => ({ allowed: true, patch }));
    await expect(admission.mutate(attempt)).rejects.toMatchObject({ code: 500, reason: "InternalError" });
  });
});

describe("a webhook that fails", () => {
  const unreachable = () => {
    throw new HttpFailure("hooks: refused", { code: "ECONNREFUSED", sent: false });
  };

  test("refuses the request when it must not fail", async () => {
    const { admission, attempt } = await configured("validating", [{}], unreachable);
    await expect(admission.validate(attempt)).rejects.toThrow(
      'Internal error occurred: failed calling webhook "hook-0.example.com": failed to call webhook: Post "https://hooks/0?timeout=10s": dial tcp hooks: connect: connection refused',
    );
  });

  test("is passed over when it may", async () => {
    const { admission, attempt } = await configured("validating", [{ failurePolicy: "Ignore" }], unreachable);
    await expect(admission.validate(attempt)).resolves.toBeUndefined();
  });

  test("has failed when it does not answer in time", async () => {
    const silent: Reply = (_, __, signal) =>
      new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    const { admission, attempt, clock } = await configured("validating", [{ timeoutSeconds: 3 }], silent);
    const asked = expect(admission.validate(attempt)).rejects.toThrow("context deadline exceeded");
    await clock.advance(3_000);
    await asked;
  });

  test("has failed when its answer is to another question", async () => {
    const { admission, attempt } = await configured("validating", [{}], () => ({
      uid: "other",
      allowed: true,
    }));
    await expect(admission.validate(attempt)).rejects.toThrow('got "other"');
  });

  test("has failed when it is behind a service", async () => {
    const clientConfig = { service: { namespace: "ns", name: "hook" } };
    const reply = () => ({ allowed: true });
    const { admission, attempt } = await configured("validating", [{ clientConfig }], reply);
    await expect(admission.validate(attempt)).rejects.toThrow("has no Services: name a url");
  });
});

test("a webhook is asked at its url, and its authority trusted", async () => {
  const caBundle = Buffer.from("an authority").toString("base64");
  const entry = { clientConfig: { url: "https://ns:8443/p", caBundle } };
  const { admission, attempt, urls, servers } = await configured("validating", [entry], () => ({
    allowed: true,
  }));
  await admission.validate(attempt);
  expect(urls).toEqual(["/p?timeout=10s"]);
  expect(servers).toEqual([{ url: "https://ns:8443", ca: "an authority" }]);
});

test("the first of several refusals counts, and warnings are told", async () => {
  const reply: Reply = (_, url) => ({
    allowed: false,
    warnings: [url],
    status: { message: `no from ${url}` },
  });
  const { admission, attempt, warnings } = await configured("validating", [{}, {}], reply);
  await expect(admission.validate(attempt)).rejects.toThrow(
    'admission webhook "hook-0.example.com" denied the request: no from /0?timeout=10s',
  );
  expect(warnings).toContain("/0?timeout=10s");
});

test("webhook configurations themselves are nobody's to refuse", async () => {
  const { admission, attempt } = await configured("validating", [{}], () => ({ allowed: false }));
  const own = builtinKinds.find(
    ({ resource }) => resource.kind === "ValidatingWebhookConfiguration",
  ) as KindInfo;
  await expect(admission.validate({ ...attempt, kind: own, namespace: "" })).resolves.toBeUndefined();
});
