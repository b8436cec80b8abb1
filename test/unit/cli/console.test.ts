import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ConsoleView, SnapshotPage } from "../../../src/cli/console/contract.ts";
import { backupResource } from "../../../src/kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../../src/kinds/kopiur/generated/backup_config.ts";
import { backupScheduleResource } from "../../../src/kinds/kopiur/generated/backup_schedule.ts";
import { PersistentVolumeClaims } from "../../../src/kube/builtin.ts";
import type { Draft, KubeObject } from "../../../src/kube/object.ts";
import type { Resource } from "../../../src/kube/resource.ts";
import { type Browser, ConsoleGround } from "./console_ground.ts";

const MARKUP = "<img src=x onerror=alert(1)>";
let ground: ConsoleGround;
let browser: Browser;

async function put(resource: Resource, metadata: object, spec: object, status?: object): Promise<void> {
  const { client } = ground.ground;
  const { metadata: made } = await client.create(resource, { metadata, spec } as Draft<KubeObject>);
  const patch = { type: "merge", patch: { status } as object } as const;
  if (status) await client.patch(resource, made, patch, { subresource: "status" });
}

beforeAll(async () => {
  ground = await ConsoleGround.open();
  const namespace = "default";
  const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  for (const name of ["data", "attic"]) await put(PersistentVolumeClaims, { namespace, name }, claim);
  await put(
    backupConfigResource,
    { namespace, name: "data" },
    {
      repository: { name: "r" },
      sources: [{ pvc: { name: "data" } }],
      copyMethod: "Direct",
      retention: { keepDaily: 7 },
    },
    { phase: "Ready" },
  );
  await put(
    backupScheduleResource,
    { namespace, name: "nightly" },
    { configRef: { name: "data" }, schedule: { cron: "0 3 * * *" } },
  );
  const identity = { username: "data", hostname: namespace, sourcePath: "/data" };
  const snapshots = [{ kopiaSnapshotID: "k", pvc: "default/data", identity, sizeBytes: 7 }];
  await put(
    backupResource,
    { namespace, name: "good" },
    { configRef: { name: "data" } },
    {
      phase: "Succeeded",
      origin: "manual",
      timing: { endTime: new Date().toISOString() },
      snapshots,
      resolved: { repository: { kind: "Repository", namespace, name: "r", uniqueID: "u" } },
    },
  );
  await put(
    backupResource,
    { namespace, name: "bad" },
    { configRef: { name: "data" } },
    {
      phase: "Failed",
      failure: { errorClass: "Unreachable", message: MARKUP, retry: "transient" },
    },
  );
  browser = await ground.signedIn();
}, 60_000);

afterAll(() => ground[Symbol.asyncDispose]());

describe("the sign-in by a link", () => {
  test("is good for one browser, and leaves a cookie that no script and no other site gets", async () => {
    const { current } = ground.link;
    const first = await ground.ask(`/?token=${current}`);
    expect(first.headers.get("set-cookie")).toMatch(
      /^holdfast-console-4711=[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    const again = await ground.ask(`/?token=${current}`);
    expect([again.status, again.headers.get("set-cookie")]).toEqual([200, null]);
  });

  test("tells who looks, and at what", async () => {
    const { csrf, ...session } = browser.session;
    expect(csrf).toMatch(/^[0-9a-f]{64}$/);
    expect(session).toMatchObject({ signIn: ["loopback"], version: "1.2.3", server: "https://here" });
    expect(session.namespaces).toContain("default");
    expect(session.apis?.map(({ api }) => api)).toEqual(["kopiur", "plumber"]);
  });

  test("is asked of whoever has none", async () => {
    for (const path of ["/api/view", "/api/events", "/api/files/content?namespace=default&backup=good"]) {
      const response = await ground.ask(path);
      expect([path, response.status, await response.json()]).toEqual([
        path,
        401,
        { message: "nobody is signed in", fix: "Sign in." },
      ]);
    }
    expect(await (await ground.ask("/api/session")).json()).toEqual({
      signIn: ["loopback"],
      version: "1.2.3",
    });
  });

  test("ends when somebody signs out", async () => {
    const other = await ground.signedIn();
    expect((await other.post("/api/sign-out", {})).status).toBe(200);
    expect((await other.ask("/api/view")).status).toBe(401);
    expect((await browser.ask("/api/view")).status).toBe(200);
  });
});

describe("a request that the page did not make", () => {
  test.each([
    ["of another host", { host: "evil.example.com:4711" }],
    ["of another port", { host: "127.0.0.1:80" }],
    ["of another origin", { origin: "https://evil.example.com" }],
    ["of no origin at all", { origin: "null" }],
    ["of another site", { "sec-fetch-site": "cross-site" }],
    ["of a sister of the site", { "sec-fetch-site": "same-site" }],
  ])("%s is refused", async (_, headers) => {
    const response = await browser.ask("/api/view", { headers });
    expect([response.status, await response.json()]).toMatchObject([
      403,
      { message: "this request is not answered", fix: "Open the console at its own address." },
    ]);
  });

  test.each([
    ["none", ""],
    ["another's", "0".repeat(64)],
  ])("changes nothing with %s proof", async (_, proof) => {
    const response = await browser.post(
      "/api/run",
      { namespace: "default", words: ["hold", "good"] },
      { "x-holdfast-csrf": proof },
    );
    expect([response.status, await response.json()]).toMatchObject([
      403,
      { why: "the request lacks the header x-holdfast-csrf of this sign-in" },
    ]);
    expect((await browser.run("explain backup/good")).at(-1)).toEqual({ type: "done" });
  });
});

test("whoever asks for the head of an answer alone is told to ask for all of it", async () => {
  for (const path of ["/api/events", "/api/files/content?namespace=default&backup=good&path=a"]) {
    const response = await browser.ask(path, { method: "HEAD" });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET"]);
  }
  expect((await ground.ask("/", { method: "HEAD" })).status).toBe(200);
});

describe("what is shown", () => {
  test("is all volumes, what failed and what is next, as data", async () => {
    const view = (await browser.json("/api/view")) as ConsoleView;
    expect(view.volumes.map(({ name, protection }) => [name, protection])).toEqual([
      ["attic", "no"],
      ["data", "yes"],
    ]);
    expect(view.failures).toMatchObject([{ object: { kind: "Backup", name: "bad" }, message: MARKUP }]);
    expect(view.days).toHaveLength(30);
    expect(view.days.at(-1)).toMatchObject({ good: 1, failed: 1, bytes: 7 });
  });

  test("is fresh after a change", async () => {
    const namespace = "default";
    const attic = async () =>
      ((await browser.json("/api/view")) as ConsoleView).volumes.find(({ name }) => name === "attic");
    const exempt = async (why: string | null) => {
      const patch = { metadata: { annotations: { "holdfast.dev/exempt": why as string } } };
      const where = { namespace, name: "attic" };
      await ground.ground.client.patch(PersistentVolumeClaims, where, { type: "merge", patch });
    };
    await exempt("old things");
    await expect.poll(attic).toMatchObject({ protection: "exempt", exempt: "old things" });
    await exempt(null);
    await expect.poll(attic).toMatchObject({ protection: "no" });
  });

  test("is the snapshots, with whose files can be looked at", async () => {
    const page = (await browser.json("/api/snapshots?namespace=default&text=good")) as SnapshotPage;
    expect(page).toMatchObject({
      total: 1,
      items: [
        {
          claim: "default/data",
          api: "kopiur",
          origin: "manual",
          repository: { kind: "Repository", name: "r" },
          files: { namespace: "default", backup: "good" },
        },
      ],
    });
    expect(await browser.json("/api/snapshots?text=nothing")).toMatchObject({ total: 0, items: [] });
    expect(await browser.json("/api/snapshots?offset=-1", 400)).toMatchObject({
      message: 'offset is "-1", and no number',
    });
  });

  test("is one volume, with what backs it up in words", async () => {
    expect(await browser.json("/api/volume?namespace=default&name=data")).toMatchObject({
      volume: { name: "data", protection: "yes" },
      size: "1Gi",
      plan: [
        {
          object: { api: "kopiur", kind: "BackupConfig", name: "data" },
          says: [
            "It stores snapshots in Repository r.",
            "It reads the volume itself, while the workload may write.",
            "BackupSchedule nightly runs it at 0 3 * * * UTC.",
            "Retention keeps one for each of the last 7 days that have one.",
          ],
        },
      ],
      days: [{ good: 1, failed: 1 }],
      snapshots: [{ object: { name: "good" } }],
    });
    expect(await browser.json("/api/volume?namespace=default&name=gone", 404)).toMatchObject({
      message: "there is no volume default/gone",
    });
  });

  test("is an object as it is, and as it is explained", async () => {
    const resource = "backups.kopiur.home-operations.com";
    const bad = await browser.json(`/api/object?resource=${resource}&namespace=default&name=bad`);
    expect(bad).toMatchObject({
      object: { kind: "Backup", name: "bad" },
      yaml: expect.stringContaining("kind: Backup"),
      explained: expect.arrayContaining(["Backup bad is Failed."]),
    });
    expect(await browser.json("/api/object?resource=secrets&namespace=default&name=x", 400)).toMatchObject({
      message: "the console does not show secrets",
    });
  });

  test("is when schedules run", async () => {
    const [row, ...others] = (await browser.json("/api/schedules")) as readonly {
      readonly next: readonly string[];
    }[];
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      object: { api: "kopiur", name: "nightly" },
      runs: { kind: "BackupConfig", namespace: "default", name: "data" },
    });
    expect(row?.next).toHaveLength(10);
    expect(new Set(row?.next.map((at) => at.slice(10)))).toEqual(new Set(["T03:00:00Z"]));
  });

  test("is what the person may do", async () => {
    expect(await browser.json("/api/may?namespace=default")).toMatchObject({
      backup: { allowed: true },
      files: { allowed: true },
    });
  });
});

describe("a command", () => {
  test("runs as on the command line, and is told line by line", async () => {
    expect(await browser.run("hold good")).toEqual([
      { type: "out", line: expect.stringContaining("good") },
      { type: "done" },
    ]);
    const { metadata } = await ground.ground.client.get(backupResource, {
      namespace: "default",
      name: "good",
    });
    expect(metadata.annotations).toMatchObject({ "kopiur.home-operations.com/hold": "true" });
    expect(await browser.run("unhold good")).toHaveLength(2);
  });

  test("that fails says what, why and what helps", async () => {
    expect((await browser.run("cancel backup/good")).at(-1)).toMatchObject({
      type: "failed",
      message: "Backup good cannot be cancelled",
      why: "It has ended: it is Succeeded.",
    });
  });

  test("that needs a yes does nothing without one", async () => {
    expect((await browser.run("delete backup/good")).at(-1)).toMatchObject({
      type: "failed",
      code: 6,
      fix: "Add --yes when this is meant.",
    });
  });

  test("that shows a plan says what has to be confirmed by name", async () => {
    const plan = await browser.run("restore backup/good --into attic --delete-extra --dry-run");
    const lines = plan.flatMap((event) => (event.type === "out" ? [event.line] : []));
    expect(lines.join("\n")).toContain("WARNING  Nothing backs the volume up");
    expect(plan.filter(({ type }) => type === "plan")).toEqual([{ type: "plan", confirmDeletion: "attic" }]);
    const into = await browser.run("restore backup/good --into attic --dry-run");
    expect(into.filter(({ type }) => type === "plan")).toEqual([{ type: "plan" }]);
  });

  test("is told with who ran it, in which namespace, and how it ended", async () => {
    ground.told.length = 0;
    await browser.run("hold nothing");
    expect(ground.told).toEqual([
      { user: browser.session.user, namespace: "default", line: "hold nothing" },
      expect.objectContaining({ line: "hold nothing", outcome: "failed" }),
    ]);
  });

  test("that only looks ends with the sign-in, also where the page asked for it to go on", async () => {
    const where = { namespace: "default", name: "waits" };
    await put(backupResource, where, { configRef: { name: "data" } });
    const other = await ground.signedIn();
    ground.told.length = 0;
    const words = ["logs", "backup/waits", "--follow"];
    const response = await other.post("/api/run", { namespace: "default", words, detach: true });
    const text = response.text();
    await other.post("/api/sign-out", {});
    expect(await text).toContain('"type":"failed"');
    await expect.poll(() => ground.told.at(-1)).toMatchObject({ line: words.join(" "), outcome: "failed" });
    await ground.ground.client.delete(backupResource, where);
  });

  test("ends when the page goes away", async () => {
    const gone = new AbortController();
    const response = await browser.ask("/api/run", {
      method: "POST",
      body: JSON.stringify({ namespace: "default", words: ["backup", "now", "data", "--name", "left"] }),
      headers: { "x-holdfast-csrf": browser.session.csrf ?? "" },
      signal: gone.signal,
    });
    const reader = response.body?.getReader();
    await reader?.read();
    ground.told.length = 0;
    gone.abort();
    await expect.poll(() => ground.told).toMatchObject([{ outcome: "failed" }]);
    await reader?.cancel().catch(() => {});
  });
});

test("changes are told as they come", async () => {
  await browser.json("/api/view");
  const gone = new AbortController();
  const response = await browser.ask("/api/events", { signal: gone.signal });
  expect(response.headers.get("content-type")).toMatch("text/event-stream");
  const reader = response.body?.getReader();
  const seen: string[] = [];
  const read = (async () => {
    for (;;) {
      const part = await reader?.read();
      if (!part || part.done) return;
      seen.push(Buffer.from(part.value).toString());
    }
  })();
  await expect.poll(() => seen.length).toBeGreaterThan(0);
  await browser.run("hold good");
  await expect.poll(() => seen.join("")).toContain('event: changed\ndata: {"kinds":["Backup"]}\n\n');
  gone.abort();
  await read;
});

test("each person follows the changes with so many pages, and a page that goes away leaves its place", async () => {
  const gone = new AbortController();
  const open = () => browser.ask("/api/events", { signal: gone.signal });
  const streams = await Promise.all(Array.from({ length: 30 }, open));
  expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await browser.json("/api/events", 403)).toMatchObject({
    message: "30 of your pages follow the changes already",
  });
  gone.abort();
  await Promise.all(streams.map((stream) => stream.text()));
  const after = new AbortController();
  const next = await browser.ask("/api/events", { signal: after.signal });
  after.abort();
  expect([next.status, await next.text()]).toEqual([200, expect.any(String)]);
});

describe("the page", () => {
  test("may load nothing but itself, and is in no frame", async () => {
    const { headers } = await ground.ask("/");
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    );
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect((await browser.ask("/api/view")).headers.get("cache-control")).toBe("no-store");
  });

  test.each([
    ["/", 200, "<p>the page</p>", "no-cache"],
    ["/volumes/default/data", 200, "<p>the page</p>", "no-cache"],
    ["/assets/main-abcdef12.js", 200, "1;", "public, max-age=31536000, immutable"],
    ["/assets/none-abcdef12.js", 404, "404 Not Found", null],
    ["/%2e%2e/%2e%2e/etc/passwd", 200, "<p>the page</p>", "no-cache"],
    ["/..%2f..%2fetc%2fpasswd", 404, "404 Not Found", null],
    ["/api/nothing", 401, undefined, "no-store"],
  ])("%s is %s", async (path, status, text, cached) => {
    const response = await ground.ask(path);
    expect([response.status, response.headers.get("cache-control")]).toEqual([status, cached]);
    if (text !== undefined) expect(await response.text()).toBe(text);
  });

  test("is sent packed to whoever can unpack it", async () => {
    const plain = await ground.ask("/");
    const packed = await ground.ask("/", { headers: { "accept-encoding": "br, gzip" } });
    expect([plain, packed].map(({ headers }) => headers.get("content-encoding"))).toEqual([null, "gzip"]);
    expect(packed.headers.get("vary")).toBe("accept-encoding");
    expect(gunzipSync(await packed.arrayBuffer()).toString()).toBe("<p>the page</p>");
  });
});
