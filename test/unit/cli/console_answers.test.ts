import { afterAll, beforeAll, expect, test } from "vitest";
import type {
  DoctorReport,
  ObjectDetail,
  RepositoryDetail,
  RetentionPreview,
} from "../../../src/cli/console/contract.ts";
import { backupResource } from "../../../src/kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../../src/kinds/kopiur/generated/backup_config.ts";
import { repositoryResource } from "../../../src/kinds/kopiur/generated/repository.ts";
import { LABELS } from "../../../src/kinds/kopiur/labels.ts";
import type { Draft, KubeObject } from "../../../src/kube/object.ts";
import type { Resource } from "../../../src/kube/resource.ts";
import { type Clock, systemClock } from "../../../src/lib/clock.ts";
import { type Browser, ConsoleGround } from "./console_ground.ts";

const DAY = 86_400_000;
const MARKUP = "<script>alert(1)</script>\u001b[2J\u001b]0;mine\u0007";
const NAMESPACE = "default";
let ground: ConsoleGround;
let browser: Browser;

async function put(
  resource: Resource,
  name: string,
  spec: object,
  status: object,
  labels: object = {},
): Promise<void> {
  const { client } = ground.ground;
  const draft = { metadata: { namespace: NAMESPACE, name, labels }, spec } as Draft<KubeObject>;
  const { metadata } = await client.create(resource, draft);
  const patch = { status } as object;
  await client.patch(resource, metadata, { type: "merge", patch }, { subresource: "status" });
}

/** The objects are made now: what became of them since is in a console that looks at them later. */
const later: Clock = { ...systemClock, now: () => Date.now() + 10 * DAY };
const begin = later.now();
const daysAgo = (days: number) => `${new Date(begin - days * DAY).toISOString().slice(0, 19)}Z`;

beforeAll(async () => {
  ground = await ConsoleGround.open({ clock: later });
  await put(
    repositoryResource,
    "store",
    {
      backend: { filesystem: { pvc: { name: "disk" } } },
      encryption: { passwordSecretRef: { name: "store", key: "KOPIA_PASSWORD" } },
    },
    {
      phase: "Ready",
      uniqueID: "u",
      storageStats: { storedBytes: 2048, logicalBytes: 4096 },
      catalog: { snapshotCount: 3, identityCount: 1 },
      breaker: { state: "Open", consecutiveFailures: 5 },
      conditions: [
        {
          type: "Ready",
          status: "False",
          reason: "Unreachable",
          message: "dial tcp: no route to host",
          lastTransitionTime: daysAgo(0),
        },
      ],
    },
  );
  const repository = { kind: "Repository", namespace: NAMESPACE, name: "store", uniqueID: "u" };
  await put(
    backupConfigResource,
    "data",
    {
      repository: { name: "store" },
      sources: [{ pvc: { name: "data" } }],
      copyMethod: "Direct",
      retention: { keepLatest: 2 },
    },
    {
      phase: "Ready",
      observedGeneration: 1,
      resolved: {
        repository,
        identity: {
          username: "data",
          hostname: NAMESPACE,
          sources: [{ pvc: "default/data", sourcePath: "/data" }],
        },
      },
    },
  );
  const identity = { username: "data", hostname: NAMESPACE, sourcePath: "/data" };
  for (const [name, days] of [
    ["oldest", 9],
    ["older", 8],
    ["newest", 7],
  ] as const) {
    const at = daysAgo(days);
    const snapshots = [{ kopiaSnapshotID: name, pvc: `${NAMESPACE}/data`, identity, sizeBytes: 1000 }];
    const timing = { startTime: at, endTime: at };
    const stats = { sizeBytes: 1000, bytesNew: 10 };
    const status = { phase: "Succeeded", origin: "scheduled", timing, snapshots, stats };
    const resolved = { repository };
    const scheduled = { [LABELS.backupSchedule]: "nightly" };
    await put(backupResource, name, { configRef: { name: "data" } }, { ...status, resolved }, scheduled);
  }
  const failure = { errorClass: "EngineFailed", message: "it ended", retry: "terminal" };
  await put(
    backupResource,
    "told",
    { configRef: { name: "data" } },
    { phase: "Failed", failure, logTail: MARKUP },
  );
  browser = await ground.signedIn();
}, 60_000);

afterAll(() => ground[Symbol.asyncDispose]());

test("what retention keeps, by which rule, and what it would delete", async () => {
  const preview = (await browser.json("/api/retention?namespace=default&config=data")) as RetentionPreview;
  expect(preview.rules).toEqual(["Retention keeps the newest 2."]);
  expect(preview.kept.map(({ backup, because }) => [backup, because])).toEqual([
    ["newest", ["keepLatest", "newest"]],
    ["older", ["keepLatest"]],
  ]);
  expect(preview.deleted).toEqual([{ backup: "oldest", at: daysAgo(9) }]);
  expect(await browser.json("/api/retention?namespace=default&config=none", 404)).toMatchObject({
    message: expect.stringContaining("none"),
  });
});

test("a repository: how it stands, who uses it, and how it grew", async () => {
  const path = "/api/repository?kind=Repository&namespace=default&name=store";
  const detail = (await browser.json(path)) as RepositoryDetail;
  expect(detail.says).toEqual([
    "It is a kopia repository.",
    "It takes 2.0 KiB of storage for 4.0 KiB in the newest snapshots.",
    "It holds 3 snapshots of 1 identity.",
    "No Maintenance maintains it.",
    "0 runs at work on it, 0 waiting.",
    "Its storage failed 5 times in a row: runs wait.",
  ]);
  expect(detail.conditions).toMatchObject([{ type: "Ready", status: "False", reason: "Unreachable" }]);
  expect(detail.usedBy).toMatchObject([{ kind: "BackupConfig", name: "data" }]);
  expect(detail.volumes).toEqual(["default/data"]);
  expect(detail.sizes).toEqual(
    [9, 8, 7].map((days) => ({ day: daysAgo(days).slice(0, 10), logical: 1000, added: 10 })),
  );
  expect(await browser.json(path.replace("store", "none"), 404)).toMatchObject({
    message: "there is no Repository none",
  });
});

test("what the doctor finds: what, why and what helps", async () => {
  const findings = (await browser.json("/api/doctor")) as DoctorReport;
  const bad = findings.flatMap((one) => (one.level === "ok" ? [] : [one]));
  expect(findings.length - bad.length).toBeGreaterThan(0);
  // Whatever is not well says why, and what helps.
  for (const { what, why, fix } of bad) expect([what, why, fix]).not.toContain("");
  expect(bad.find(({ what }) => what === "PVC default/data is gone")).toEqual({
    level: "error",
    what: "PVC default/data is gone",
    why: "A BackupConfig names it, and there is a good backup.",
    fix: expect.stringContaining("holdfast restore config/data"),
  });
});

test("markup and orders to a terminal in a log are text", async () => {
  const resource = "backups.kopiur.home-operations.com";
  const path = `/api/object?resource=${resource}&namespace=default&name=told`;
  const response = await browser.ask(path);
  // It is never a page of its own, and the page itself shows it as text.
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  expect(((await response.json()) as ObjectDetail).log).toBe(MARKUP);
  const said = await browser.run("logs backup/told");
  const lines = said.flatMap((event) => (event.type === "out" ? [event.line] : []));
  expect(lines.join("\n")).toContain("<script>alert(1)</script>\ufffd[2J\ufffd]0;mine\ufffd");
});
