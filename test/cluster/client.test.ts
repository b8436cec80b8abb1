import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type ApiError,
  ApplyConflict,
  isConflict,
  isExpired,
  isInvalid,
  isNotFound,
} from "../../src/kube/api_error.ts";
import {
  ConfigMaps,
  Deployments,
  Namespaces,
  Pods,
  Secrets,
  ServiceAccounts,
} from "../../src/kube/builtin.ts";
import type { WatchEvent } from "../../src/kube/client.ts";
import type { KubeObject } from "../../src/kube/object.ts";
import { enterWorld, eventually, type World } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await enterWorld("client");
});
afterAll(() => world[Symbol.asyncDispose]());

const draft = (name: string, data: Record<string, string> = {}, labels?: Record<string, string>) => ({
  metadata: { namespace: world.namespace, name, ...(labels ? { labels } : {}) },
  data,
});

describe("objects", () => {
  test("are created, read, updated, patched in every way, and deleted", async () => {
    const { client, namespace } = world;
    const created = await client.create(ConfigMaps, draft("one", { a: "1" }));
    expect(created).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", data: { a: "1" } });
    const updated = await client.update(ConfigMaps, { ...created, data: { a: "2" } });
    expect(updated.metadata.resourceVersion).not.toBe(created.metadata.resourceVersion);
    await expect(client.update(ConfigMaps, { ...created, data: { a: "3" } })).rejects.toSatisfy(isConflict);
    const name = { namespace, name: "one" };
    await client.patch(ConfigMaps, name, { type: "merge", patch: { data: { b: "1" } } });
    await client.patch(ConfigMaps, name, { type: "strategic", patch: { data: { c: "1" } } });
    const tested = [
      { op: "test", path: "/data/a", value: "2" },
      { op: "remove", path: "/data/a" },
    ] as const;
    await client.patch(ConfigMaps, name, { type: "json", patch: tested });
    await expect(client.patch(ConfigMaps, name, { type: "json", patch: tested })).rejects.toMatchObject({
      code: 422,
    });
    expect((await client.get(ConfigMaps, name)).data).toEqual({ b: "1", c: "1" });
    expect(await client.delete(ConfigMaps, name)).toBe(true);
    expect(await client.delete(ConfigMaps, name)).toBe(false);
    await expect(client.get(ConfigMaps, name)).rejects.toSatisfy(isNotFound);
  });

  test("get a name from the server when only its beginning is given", async () => {
    const { client, namespace } = world;
    const created = await client.create(ConfigMaps, { metadata: { namespace, generateName: "made-" } });
    expect(created.metadata.name).toMatch(/^made-/);
  });

  test("are not stored by a dry run", async () => {
    const { client, namespace } = world;
    await client.create(ConfigMaps, draft("dry"), { dryRun: true });
    await expect(client.get(ConfigMaps, { namespace, name: "dry" })).rejects.toSatisfy(isNotFound);
  });

  test("that are not valid are refused with the field that is wrong", async () => {
    const error = await world.client.create(ConfigMaps, draft("Bad_Name")).catch((e) => e);
    expect(isInvalid(error)).toBe(true);
    expect((error as ApiError).causes[0]).toMatchObject({ field: "metadata.name" });
  });

  test("with a field that does not exist are refused when strict, and warned about otherwise", async () => {
    const { client } = world;
    const odd = { ...draft("odd"), dataa: { x: "1" } } as never;
    await expect(client.create(ConfigMaps, odd, { fieldValidation: "Strict", dryRun: true })).rejects.toThrow(
      "dataa",
    );
    const warnings: string[] = [];
    await client.create(ConfigMaps, odd, {
      fieldValidation: "Warn",
      dryRun: true,
      onWarning: (w) => warnings.push(w),
    });
    expect(warnings.join()).toContain("dataa");
  });

  test("are deleted only while they are the ones that were meant", async () => {
    const { client, namespace } = world;
    const created = await client.create(ConfigMaps, draft("meant"));
    const name = { namespace, name: "meant" };
    await expect(client.delete(ConfigMaps, name, { uid: "another" })).rejects.toSatisfy(isConflict);
    await expect(client.delete(ConfigMaps, name, { resourceVersion: "1" })).rejects.toSatisfy(isConflict);
    expect(await client.delete(ConfigMaps, name, { uid: created.metadata.uid })).toBe(true);
  });

  test("are deleted together by label", async () => {
    const { client, namespace } = world;
    await client.create(ConfigMaps, draft("in-1", {}, { set: "x" }));
    await client.create(ConfigMaps, draft("in-2", {}, { set: "x" }));
    await client.create(ConfigMaps, draft("out", {}, { set: "y" }));
    await client.deleteCollection(ConfigMaps, { namespace, labelSelector: "set=x" });
    const left = await client.list(ConfigMaps, { namespace, labelSelector: "set" });
    expect(left.items.map((o) => o.metadata.name)).toEqual(["out"]);
  });
});

describe("server-side apply", () => {
  test("creates, owns, conflicts with a name, and takes over by force", async () => {
    const { client } = world;
    await client.apply(ConfigMaps, draft("applied", { a: "1", b: "1" }), { fieldManager: "first" });
    const other = draft("applied", { a: "2" });
    const error = await client.apply(ConfigMaps, other, { fieldManager: "second" }).catch((e) => e);
    expect(error).toBeInstanceOf(ApplyConflict);
    expect((error as ApplyConflict).owners).toEqual([{ field: ".data.a", manager: "first" }]);
    const taken = await client.apply(ConfigMaps, other, { fieldManager: "second", force: true });
    expect(taken.data).toEqual({ a: "2", b: "1" });
    const dropped = await client.apply(ConfigMaps, draft("applied", {}), { fieldManager: "first" });
    expect(dropped.data).toEqual({ a: "2" });
  });
});

describe("subresources", () => {
  test("status and scale are written apart from the spec", async () => {
    const { client, namespace } = world;
    const labels = { app: "scaled" };
    await client.create(Deployments, {
      metadata: { namespace, name: "scaled" },
      spec: {
        replicas: 0,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "none" }] } },
      },
    });
    const name = { namespace, name: "scaled" };
    expect((await client.getScale(Deployments, name)).spec.replicas ?? 0).toBe(0);
    await client.setScale(Deployments, name, 2);
    expect((await client.get(Deployments, name)).spec?.replicas).toBe(2);
    const patch = {
      type: "merge",
      patch: { status: { observedGeneration: 99 }, spec: { replicas: 7 } },
    } as const;
    const patched = await client.patch(Deployments, name, patch, { subresource: "status", dryRun: true });
    expect(patched.status?.observedGeneration).toBe(99);
    expect(patched.spec?.replicas).toBe(2);
    await client.delete(Deployments, name, { propagation: "Foreground" });
  });

  test("a token is made for a service account", async () => {
    const { client, namespace } = world;
    await client.create(ServiceAccounts, { metadata: { namespace, name: "bot" } });
    const request = {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      metadata: { namespace, name: "bot" },
      spec: { expirationSeconds: 600 },
    };
    const made = (await client.create(ServiceAccounts, request, { subresource: "token" })) as unknown as {
      status: { token: string };
    };
    expect(made.status.token.split(".")).toHaveLength(3);
  });
});

describe("lists", () => {
  test("come in pages that together hold every object once", async () => {
    const { client, namespace } = world;
    await Promise.all(
      Array.from({ length: 25 }, (_, i) => client.create(ConfigMaps, draft(`page-${i}`, {}, { p: "1" }))),
    );
    const names: string[] = [];
    let pages = 0;
    for await (const page of client.pages(ConfigMaps, { namespace, labelSelector: "p=1", limit: 10 })) {
      pages++;
      names.push(...page.items.map((o) => o.metadata.name));
    }
    expect(pages).toBe(3);
    expect(new Set(names).size).toBe(25);
  });

  test("of metadata carry no data", async () => {
    const { client, namespace } = world;
    await client.create(Secrets, { metadata: { namespace, name: "hidden" }, stringData: { word: "x" } });
    const list = await client.metadata.list(Secrets, { namespace, fieldSelector: "metadata.name=hidden" });
    expect(list.items).toHaveLength(1);
    expect(list.items[0]).toMatchObject({ kind: "Secret", metadata: { name: "hidden" } });
    expect(list.items[0]).not.toHaveProperty("data");
  });
});

describe("watches", () => {
  test("tell what happened, in order, from a version on", async () => {
    const { client, namespace } = world;
    const { metadata } = await client.list(ConfigMaps, { namespace });
    const stop = new AbortController();
    const seen: WatchEvent<KubeObject>[] = [];
    const watching = (async () => {
      const options = { namespace, resourceVersion: metadata.resourceVersion, signal: stop.signal };
      for await (const event of client.watch(ConfigMaps, options)) seen.push(event);
    })().catch((error) => {
      if (!stop.signal.aborted) throw error;
    });
    const created = await client.create(ConfigMaps, draft("watched"));
    await client.update(ConfigMaps, { ...created, data: { a: "1" } });
    await client.delete(ConfigMaps, { namespace, name: "watched" });
    await eventually("three events came", () => seen.filter((e) => e.type !== "BOOKMARK").length >= 3);
    stop.abort();
    await watching;
    expect(seen.map((e) => e.type)).toEqual(["ADDED", "MODIFIED", "DELETED"]);
  });

  test("from a version that was never there end with 410 or wait, never with silence about the past", async () => {
    const { client, namespace } = world;
    const watching = (async () => {
      for await (const _ of client.watch(ConfigMaps, { namespace, resourceVersion: "1", timeoutSeconds: 2 }))
        return "event";
      return "ended";
    })().catch((error) => (isExpired(error) ? "expired" : Promise.reject(error)));
    expect(["event", "expired"]).toContain(await watching);
  });

  test("of metadata carry no data", async () => {
    const { client, namespace } = world;
    await client.create(ConfigMaps, draft("thin", { big: "x" }));
    for await (const event of client.metadata.watch(ConfigMaps, {
      namespace,
      fieldSelector: "metadata.name=thin",
    })) {
      if (event.type === "BOOKMARK") continue;
      expect(event.object).toMatchObject({ kind: "ConfigMap", metadata: { name: "thin" } });
      expect(event.object).not.toHaveProperty("data");
      break;
    }
  });
});

describe("discovery", () => {
  test("knows which kinds are served", async () => {
    const { client } = world;
    expect(await client.serves(Namespaces)).toBe(true);
    expect(await client.serves(Deployments)).toBe(true);
    expect(await client.serves({ ...Deployments, plural: "gizmos" })).toBe(false);
    expect(await client.serves({ ...Deployments, group: "nobody.example.com" })).toBe(false);
  });
});

const busybox = { image: "docker.io/holdfast/busybox:1", imagePullPolicy: "Never" } as const;

/** Pods need a node; a cluster of an API server alone has none, and says so with HOLDFAST_TEST_NODELESS. */
describe.skipIf(process.env.HOLDFAST_TEST_NODELESS)("pods", () => {
  const script = "echo to-stdout; echo to-stderr >&2; while true; do nc -l -p 7777 -e cat; done";

  beforeAll(async () => {
    const { client, namespace } = world;
    await eventually("the namespace has its service account", async () => {
      const found = await client.list(ServiceAccounts, { namespace, fieldSelector: "metadata.name=default" });
      return found.items.length > 0;
    });
    await client.create(Pods, {
      metadata: { namespace, name: "echo" },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [{ name: "main", ...busybox, command: ["sh", "-c", script] }],
      },
    });
    const running = async () =>
      (await client.get(Pods, { namespace, name: "echo" })).status?.phase === "Running";
    await eventually("the pod runs", running, 60);
  });

  const echo = () => ({ namespace: world.namespace, name: "echo" });

  test("show their logs, followed and cut", async () => {
    const stop = new AbortController();
    let text = "";
    for await (const chunk of world.pods.logs(echo(), { follow: true, signal: stop.signal })) {
      text += Buffer.from(chunk).toString();
      if (text.includes("to-stdout") && text.includes("to-stderr")) break;
    }
    let one = "";
    for await (const chunk of world.pods.logs(echo(), { tailLines: 1, signal: stop.signal }))
      one += Buffer.from(chunk);
    expect(one.trim().split("\n")).toHaveLength(1);
  });

  test("run commands, with their input, both outputs and exit code", async () => {
    const { signal } = new AbortController();
    const out: Record<"stdout" | "stderr", string> = { stdout: "", stderr: "" };
    const result = await world.pods.exec(echo(), {
      signal,
      command: ["sh", "-c", 'read word; echo "got $word"; echo oops >&2; exit 3'],
      stdin: Buffer.from("hello\n"),
      onStdout: (chunk) => {
        out.stdout += Buffer.from(chunk);
      },
      onStderr: (chunk) => {
        out.stderr += Buffer.from(chunk);
      },
    });
    expect(result.exitCode).toBe(3);
    expect(out).toEqual({ stdout: "got hello\n", stderr: "oops\n" });
    expect((await world.pods.exec(echo(), { signal, command: ["true"] })).exitCode).toBe(0);
    await expect(world.pods.exec(echo(), { signal, command: ["/no/such"] })).rejects.toThrow("/no/such");
    await expect(
      world.pods.exec({ ...echo(), name: "nobody" }, { signal, command: ["true"] }),
    ).rejects.toThrow("not found");
  });

  test("accept connections to their ports", async () => {
    const stop = new AbortController();
    const connection = await world.pods.portForward(echo(), 7777, stop.signal);
    await connection.send(Buffer.from("through the API server"));
    let text = "";
    for await (const chunk of connection.data) {
      text += Buffer.from(chunk);
      if (text.length >= 22) break;
    }
    expect(text).toBe("through the API server");
    const refused = await world.pods.portForward(echo(), 7778, stop.signal);
    const reading = (async () => {
      for await (const _ of refused.data) throw new Error("no data expected");
    })();
    await expect(reading).rejects.toThrow("7778");
  });
});
