import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { lookedIn } from "../../../console/src/text/looked_in.ts";
import {
  type ConsoleView,
  OIDC_START,
  type ProtectChoice,
  type Protected,
  type Session,
} from "../../../src/cli/console/contract.ts";
import { Oidc } from "../../../src/cli/console/oidc.ts";
import { backupResource } from "../../../src/kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../../src/kinds/kopiur/generated/backup_config.ts";
import { repositoryResource } from "../../../src/kinds/kopiur/generated/repository.ts";
import { Namespaces, PersistentVolumeClaims } from "../../../src/kube/builtin.ts";
import type { Draft, KubeObject } from "../../../src/kube/object.ts";
import type { Resource } from "../../../src/kube/resource.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import type { HttpSender } from "../../../src/lib/http.ts";
import { systemRandom } from "../../../src/lib/random.ts";
import { ConsoleGround } from "./console_ground.ts";
import { answered, LOOKS, within } from "./people.ts";

let ground: ConsoleGround;
/** People whom the API server no longer knows. */
const expired = new Set<string>();

/** What the provider says of whoever signs in there. */
let issued: object = {};
const ISSUER = "https://id.example.com";

/** A provider that lets everybody in. */
const provider: HttpSender = {
  close() {},
  send: async ({ method }) => {
    const claims = { iss: ISSUER, aud: "holdfast", exp: Date.now() / 1000 + 600, ...issued };
    const token = `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.sig`;
    people[token] = within("by provider", ["default"], expired);
    return answered(
      200,
      method === "POST"
        ? { id_token: token }
        : { issuer: ISSUER, authorization_endpoint: `${ISSUER}/auth`, token_endpoint: `${ISSUER}/token` },
    );
  },
};

const people: Record<string, (sender: HttpSender) => HttpSender> = {
  ada: within("ada", ["default"], expired),
  lea: within("lea", ["default"], expired, LOOKS),
  eve: within("eve", ["away"], expired),
};

const SPEC = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };

async function put(resource: Resource, metadata: object, spec: object, status?: object): Promise<void> {
  const { client } = ground.ground;
  const { metadata: made } = await client.create(resource, { metadata, spec } as Draft<KubeObject>);
  const patch = { type: "merge", patch: { status } as object } as const;
  if (status) await client.patch(resource, made, patch, { subresource: "status" });
}

beforeAll(async () => {
  const ports = { clock: systemClock, random: systemRandom, reach: () => provider };
  const oidc = (address: string) =>
    new Oidc(
      { issuer: ISSUER, clientId: "holdfast", scopes: [], redirect: `${address}/api/oidc/callback` },
      ports,
    );
  ground = await ConsoleGround.open({ people, oidc });
  await ground.ground.client.create(Namespaces, { metadata: { name: "away" } });
  for (const namespace of ["default", "away"])
    await put(PersistentVolumeClaims, { namespace, name: `data-${namespace}` }, SPEC);
}, 60_000);

afterAll(() => ground[Symbol.asyncDispose]());

describe("the sign-in with a token", () => {
  test("is a cookie for TLS alone, and never the token", async () => {
    const response = await ground.ask("/api/sign-in", { method: "POST", body: '{"token":"ada"}' });
    expect(response.headers.get("set-cookie")).toMatch(
      /^__Host-holdfast-console=[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    const session = (await response.json()) as Session;
    expect(session).toMatchObject({ user: "ada", signIn: ["oidc", "token"], namespace: "default" });
    expect(ground.told.at(-1)).toEqual({ user: "ada", way: "token" });
  });

  test.each([
    ["a token that nobody knows", '{"token":"mallory"}', {}, 401],
    ["no token", "{}", {}, 400],
    ["a token with a line in it", '{"token":"a\\nb"}', {}, 400],
    ["what is no JSON", "token=ada", {}, 400],
    ["a request of another site", '{"token":"ada"}', { origin: "https://evil.example.com" }, 403],
  ])("is refused with %s", async (_, body, headers, status) => {
    ground.told.length = 0;
    const response = await ground.ask("/api/sign-in", { method: "POST", body, headers });
    expect([response.status, response.headers.get("set-cookie")]).toEqual([status, null]);
    // A token that was tried leaves a trace, and is not in it.
    expect(ground.told).toEqual(status === 401 ? [{ way: "token", message: expect.any(String) }] : []);
    expect(JSON.stringify(ground.told)).not.toContain("mallory");
  });

  test("is over when the API server no longer takes the token", async () => {
    const browser = await ground.signedIn("ada");
    expect((await browser.ask("/api/may?namespace=default")).status).toBe(200);
    expired.add("ada");
    expect((await browser.ask("/api/may?namespace=default")).status).toBe(401);
    expired.delete("ada");
    // What was kept for the sign-in went with it.
    expect((await browser.ask("/api/may?namespace=default")).status).toBe(401);
  });
});

describe("a person of one namespace", () => {
  test("sees that one, and nothing of another's", async () => {
    const names = async (token: string) => {
      const browser = await ground.signedIn(token);
      return ((await browser.json("/api/view?namespace=away")) as ConsoleView).volumes.map(
        ({ name }) => name,
      );
    };
    expect(await names("eve")).toEqual(["data-away"]);
    const ada = await ground.signedIn("ada");
    // Without a namespace it is the one that may be looked at.
    const own = (await ada.json("/api/view")) as ConsoleView;
    expect(own.volumes.map(({ name }) => name)).toEqual(["data-default"]);
    expect(await ada.json("/api/view?namespace=away", 403)).toMatchObject({
      message: "you may not look at namespace away",
      fix: "Type the name of a namespace that you may look at into the field at the top.",
    });
    for (const path of [
      "/api/volume?namespace=away&name=data-away",
      "/api/object?resource=persistentvolumeclaims&namespace=away&name=data-away",
      "/api/files/entries?namespace=away&backup=x",
      "/api/protect?namespace=away&name=data-away",
      "/api/schedules?namespace=away",
    ])
      expect([path, (await ada.ask(path)).status]).toEqual([path, 403]);
  });

  test("finds the snapshots of a volume that is not where they begin", async () => {
    const identity = { username: "data", hostname: "away", sourcePath: "/data" };
    const snapshots = [{ kopiaSnapshotID: "k", pvc: "away/data-away", identity }];
    const status = { phase: "Succeeded", timing: { endTime: "2026-05-24T03:00:00Z" }, snapshots };
    await put(backupResource, { namespace: "away", name: "monday" }, { configRef: { name: "c" } }, status);
    const eve = await ground.signedIn("eve");
    expect(eve.session.namespace).toBe("default");
    const asked = lookedIn(eve.session.namespace, { volume: "away/data-away" });
    const found = await eve.json(`/api/snapshots?namespace=${asked}&volume=away/data-away`);
    expect(found).toMatchObject({ total: 1, items: [{ files: { namespace: "away", backup: "monday" } }] });
    // What they may not look at is not taken instead.
    await eve.json("/api/snapshots?volume=away/data-away", 403);
  });

  test("is told which right is missing", async () => {
    const ada = await ground.signedIn("ada");
    expect(await ada.json("/api/may?namespace=away")).toMatchObject({
      backup: {
        allowed: false,
        why: "you may not create backups.kopiur.home-operations.com in namespace away",
      },
    });
  });

  test("runs nothing in another's", async () => {
    const ada = await ground.signedIn("ada");
    expect((await ada.run("backup now x", "away")).at(-1)).toMatchObject({
      type: "failed",
      message: "you may not do that",
    });
    expect((await ada.run("status", "default")).at(-1)).toEqual({ type: "done" });
  });
});

test("the sign-in at a provider is good where the browser remembers that it began, and there alone", async () => {
  const started = await ground.ask(OIDC_START);
  const [remembered = ""] = (started.headers.get("set-cookie") ?? "").split(";");
  expect([started.status, started.headers.get("set-cookie")]).toEqual([
    302,
    expect.stringMatching(
      /^__Host-holdfast-state=[0-9a-f]{140}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=600$/,
    ),
  ]);
  const { searchParams } = new URL(started.headers.get("location") ?? "");
  issued = { nonce: searchParams.get("nonce") };
  const back = `/api/oidc/callback?code=x&state=${searchParams.get("state")}`;
  const headers = { "sec-fetch-site": "cross-site" };
  const stranger = await ground.ask(back, { headers });
  expect([stranger.status, stranger.headers.get("set-cookie")]).toEqual([403, null]);
  const again = await ground.ask(OIDC_START);
  const next = new URL(again.headers.get("location") ?? "").searchParams;
  issued = { nonce: next.get("nonce") };
  const [cookie = remembered] = (again.headers.get("set-cookie") ?? "").split(";");
  const signedIn = await ground.ask(`/api/oidc/callback?code=x&state=${next.get("state")}`, {
    headers: { ...headers, cookie },
  });
  expect([signedIn.status, await signedIn.text()]).toEqual([200, expect.stringContaining("url=/")]);
  const [own = ""] = (signedIn.headers.get("set-cookie") ?? "").split(";");
  const session = await (await ground.ask("/api/session", { headers: { cookie: own } })).json();
  expect(session).toMatchObject({ user: "by provider", signIn: ["oidc", "token"] });
});

test("who signs in at a provider again is no longer who they were in that browser", async () => {
  const ada = await ground.signedIn("ada");
  const started = await ada.ask(OIDC_START);
  const [cookie = ""] = (started.headers.get("set-cookie") ?? "").split(";");
  const { searchParams } = new URL(started.headers.get("location") ?? "");
  issued = { nonce: searchParams.get("nonce") };
  expect((await ada.ask("/api/view")).status).toBe(200);
  const back = `/api/oidc/callback?code=x&state=${searchParams.get("state")}`;
  // From the provider's page, a browser shows nothing that is for this site alone.
  const headers = { "sec-fetch-site": "cross-site", cookie };
  expect((await ground.ask(back, { headers })).status).toBe(200);
  expect((await ada.ask("/api/view")).status).toBe(401);
});

test("a path that climbs is refused before anything is opened", async () => {
  const ada = await ground.signedIn("ada");
  const path = encodeURIComponent("../../etc/passwd");
  expect(await ada.json(`/api/files/content?namespace=default&backup=x&path=${path}`, 400)).toMatchObject({
    message: '"../../etc/passwd" leads out of the backup',
  });
});

describe("to protect a volume", () => {
  const where = { namespace: "default", name: "data-default" };
  const choices = async () => {
    const ada = await ground.signedIn("ada");
    return (await ada.json("/api/protect?namespace=default&name=data-default")) as readonly ProtectChoice[];
  };

  test("needs a repository, and says so", async () => {
    const [first] = await choices();
    expect(first).toMatchObject({
      api: "kopiur",
      missing: "there is no Repository in namespace default, and no ClusterRepository: create one first",
    });
    const ada = await ground.signedIn("ada");
    const response = await ada.post("/api/protect", { ...where, api: "kopiur", options: {}, dryRun: false });
    expect(response.status).toBe(400);
  });

  test("is shown first, and written when it is meant", async () => {
    await put(
      repositoryResource,
      { namespace: "default", name: "store" },
      {
        backend: { filesystem: { pvc: { name: "disk" } } },
        encryption: { passwordSecretRef: { name: "store", key: "KOPIA_PASSWORD" } },
      },
      { phase: "Ready" },
    );
    const ada = await ground.signedIn("ada");
    const asked = { ...where, api: "kopiur", options: { often: "weekly", capture: "Direct", often2: "x" } };
    const post = async (dryRun: boolean) => {
      const response = await ada.post("/api/protect", { ...asked, dryRun });
      if (response.status !== 200) throw new Error(await response.text());
      return (await response.json()) as Protected;
    };
    const shown = await post(true);
    expect(shown.objects.map(({ kind, name }) => [kind, name])).toEqual([
      ["BackupConfig", "data-default"],
      ["BackupSchedule", "data-default"],
    ]);
    expect(shown.yaml).toContain("cron: H H(1-5) * * 0");
    // What the server adds would keep anybody from applying it.
    for (const own of [
      "uid",
      "resourceVersion",
      "creationTimestamp",
      "managedFields",
      "status",
      "generation",
    ])
      expect(shown.yaml).not.toContain(`${own}:`);
    expect(parseAllDocuments(shown.yaml).map((one) => one.toJS())).toMatchObject([
      { apiVersion: expect.any(String), kind: "BackupConfig", spec: { copyMethod: "Direct" } },
      { kind: "BackupSchedule", metadata: { namespace: "default", name: "data-default" } },
    ]);
    const { client } = ground.ground;
    expect((await client.list(backupConfigResource)).items).toEqual([]);
    await post(false);
    const [config] = (await client.list(backupConfigResource)).items;
    expect(config?.spec).toMatchObject({
      repository: { kind: "Repository", name: "store" },
      sources: [{ pvc: { name: "data-default" } }],
      copyMethod: "Direct",
    });
    expect((await choices()).map(({ api }) => api)).not.toContain("kopiur");
  });

  test("says of each way which right is missing", async () => {
    const lea = await ground.signedIn("lea");
    const ways = (await lea.json(
      "/api/protect?namespace=default&name=data-default",
    )) as readonly ProtectChoice[];
    expect(ways.map(({ api, denied }) => [api, denied])).toEqual([
      ["plumber", "you may not patch namespaces in namespace default"],
      ["exempt", "you may not patch persistentvolumeclaims in namespace default"],
    ]);
    expect((await choices()).map(({ denied }) => denied)).toEqual([undefined, undefined]);
  });

  test("writes nothing unless that is said, and nothing of another's namespace", async () => {
    const ada = await ground.signedIn("ada");
    const options = { reason: "a cache" };
    const tried = await ada.post("/api/protect", { ...where, api: "exempt", options });
    // Of a PVC that is there, what changes.
    expect(parse(((await tried.json()) as Protected).yaml)).toEqual({
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { ...where, annotations: { "holdfast.dev/exempt": "a cache" } },
    });
    const claim = await ground.ground.client.get(PersistentVolumeClaims, where);
    expect(claim.metadata.annotations?.["holdfast.dev/exempt"]).toBeUndefined();
    const away = { namespace: "away", name: "data-away", api: "exempt", options, dryRun: false };
    ground.told.length = 0;
    expect((await ada.post("/api/protect", away)).status).toBe(403);
    const told = { user: "ada", namespace: "away", line: "protect data-away with exempt" };
    expect(ground.told).toEqual([told, { ...told, outcome: "failed", message: "you may not do that" }]);
    await ada.post("/api/protect", { ...where, api: "exempt", options, dryRun: false });
    const after = await ground.ground.client.get(PersistentVolumeClaims, where);
    expect(after.metadata.annotations?.["holdfast.dev/exempt"]).toBe("a cache");
  });
});
