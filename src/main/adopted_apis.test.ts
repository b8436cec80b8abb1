import { afterEach, beforeEach, expect, test } from "vitest";
import { kopiur } from "../apis/kopiur/api.ts";
import { ControlPlane } from "../embedded/control_plane.ts";
import { MemoryStore } from "../embedded/store/memory_store.ts";
import { kopiurCrds as crds } from "../kinds/kopiur/crds.ts";
import { type Repository, repositoryResource } from "../kinds/kopiur/generated/repository.ts";
import { KINDS } from "../kinds/kopiur/kinds.ts";
import { CustomResourceDefinitions, Namespaces } from "../kube/builtin.ts";
import { HttpClient } from "../kube/client/http_client.ts";
import type { Draft } from "../kube/object.ts";
import { grantedRules } from "../kube/policy_rules.ts";
import { resourceName } from "../kube/resource.ts";
import type { Crd } from "../kube/schema/crd.ts";
import { LimitedSender } from "../kube/testing/limited_sender.ts";
import { systemClock as clock, sleep } from "../lib/clock.ts";
import { seededRandom } from "../lib/random.ts";
import { silentLogger as log } from "../observe/log.ts";
import { adoptedApis } from "./adopted_apis.ts";
import { operatorRules } from "./operator_rights.ts";
import type { AdoptSettings, OperatorSettings } from "./operator_settings.ts";

const APIS = [kopiur];

/* An operator before CRDs that it did not install, with the rights that it then has. */

const random = seededRandom(3);
const HOME = "holdfast";
const REPOSITORIES = resourceName(repositoryResource);

let plane: ControlPlane;
let client: HttpClient;
let stack: AsyncDisposableStack;

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  plane = new ControlPlane({ store: new MemoryStore({ clock }), crds, clock, random, log });
  client = new HttpClient({ sender: plane.sender, clock, random, userAgent: "other-controller" });
  const stop = new AbortController();
  const running = plane.run(stop.signal);
  stack.defer(async () => {
    stop.abort(new Error("the test is over"));
    await running;
    plane.sender.close();
  });
  for (const name of [HOME, "elsewhere"]) await client.create(Namespaces, { metadata: { name } });
});
afterEach(() => stack.disposeAsync());

interface Start {
  readonly adopt?: AdoptSettings;
  readonly namespace?: string;
  /** What the API server refuses, such as `get …`. */
  readonly withheld?: readonly string[];
}

/** Starts as the operator does; `turns` are the reasons to start again. */
async function start({ adopt = {}, namespace, withheld = [] }: Start = {}) {
  const rules = grantedRules(operatorRules(APIS), {
    scope: namespace === undefined ? "cluster" : "namespaced",
    namespace: HOME,
    clusterReads: false,
    lending: false,
    pausingGitOps: false,
    webhooks: false,
    ownCertificates: false,
    ownAccounts: true,
    volsync: false,
    adopting: true,
    removingCrds: false,
  });
  const limited = new LimitedSender(plane.sender, { rules, home: HOME });
  for (const one of withheld) limited.withheld.add(one);
  const turns: string[] = [];
  const settings: Pick<OperatorSettings, "apis" | "adopt" | "namespace"> = {
    apis: APIS,
    adopt,
    ...(namespace === undefined ? {} : { namespace }),
  };
  const { apis, watches, checks } = await adoptedApis({
    client: new HttpClient({ sender: limited, clock, random }),
    clock,
    log,
    settings,
    startAgain: (reason) => turns.push(reason),
    period: 20,
  });
  const stop = new AbortController();
  const running = Promise.all(watches.map((watch) => watch.run(stop.signal, () => {})));
  stack.defer(async () => {
    stop.abort(new Error("the test is over"));
    await running;
  });
  return { apis, turns, limited, problems: () => watches.flatMap((watch) => watch.problems), checks };
}

const turned = (turns: readonly string[]) => expect.poll(() => turns, { timeout: 10_000 });

/** What others do to the CRD of repositories. */
async function change(edit: (schema: Record<string, unknown>) => void): Promise<void> {
  const crd = structuredClone(await client.get(CustomResourceDefinitions, { name: REPOSITORIES }));
  const [version] = (crd as unknown as Crd).spec.versions;
  edit(version?.schema.openAPIV3Schema as unknown as Record<string, unknown>);
  await client.update(CustomResourceDefinitions, crd);
}

const statusOf = (schema: Record<string, unknown>) =>
  (schema as { properties: { status: { properties: Record<string, unknown> } } }).properties.status
    .properties;

/** Takes a field away that the operator keeps its knowledge in. */
async function cripple(): Promise<() => Promise<void>> {
  let taken: unknown;
  await change((schema) => {
    taken = statusOf(schema).uniqueID;
    delete statusOf(schema).uniqueID;
  });
  return () =>
    change((schema) => {
      statusOf(schema).uniqueID = taken;
    });
}

/** A repository whose status somebody wrote. */
async function writtenBy(fieldManager: string, name: string, namespace = HOME): Promise<string> {
  const spec = {
    backend: { filesystem: { pvc: { name: "store" } } },
    encryption: { passwordSecretRef: { name: "store" } },
  };
  const draft = { metadata: { namespace, name }, spec } as unknown as Draft<Repository>;
  await client.create(repositoryResource, draft).catch(() => {});
  const patch = { status: { uniqueID: `${fieldManager} ${clock.now()}` } };
  const options = { subresource: "status", fieldManager };
  const { metadata } = await client.patch(
    repositoryResource,
    { namespace, name },
    { type: "merge", patch },
    options,
  );
  return metadata.managedFields?.find(({ manager }) => manager === fieldManager)?.time ?? "";
}

const versions = async () =>
  (await client.metadata.list(CustomResourceDefinitions)).items.map(
    ({ metadata }) => metadata.resourceVersion,
  );

test("without adoption nothing is looked at", async () => {
  const reader = { get: () => Promise.reject(new Error("asked")) } as unknown as HttpClient;
  const settings = { apis: APIS };
  const served = await adoptedApis({ client: reader, clock, log, settings, startAgain: () => {} });
  expect(served).toEqual({ apis: APIS, watches: [], checks: [] });
});

test("CRDs that hold what is needed are worked with, and left as they are", async () => {
  await writtenBy("holdfast-operator", "nas");
  await writtenBy("kubectl-edit", "nas");
  const before = await versions();
  const { apis, turns, limited, checks } = await start();
  expect(apis).toEqual(APIS);
  expect(checks.map(({ name, check }) => [name, check()])).toEqual([["adoption of kopiur", { ok: true }]]);
  await expect.poll(() => limited.used.has(`watch ${REPOSITORIES}`), { timeout: 10_000 }).toBe(true);
  await sleep(clock, 100);
  expect(await versions()).toEqual(before);
  const verbs = new Set([...limited.used].map((access) => access.split(" ")[0]));
  expect(verbs).toEqual(new Set(["get", "list", "watch"]));
  expect([...limited.refused, ...turns]).toEqual([]);
});

test("a CRD that lacks a field keeps its API closed and says so, and opens it once the field is there", async () => {
  const mend = await cripple();
  const { apis, turns, checks } = await start();
  expect(apis).toEqual([]);
  const text = `${REPOSITORIES} does not fit: status.uniqueID is missing`;
  expect(checks.map(({ check }) => check())).toEqual([{ ok: true, warning: `not served: ${text}` }]);
  expect(turns).toEqual([]);
  await mend();
  await turned(turns).toEqual([expect.stringContaining("nothing stands against it any more")]);
});

test("a CRD that falls short later closes its API", async () => {
  const { apis, turns, problems } = await start();
  expect(apis).toEqual(APIS);
  await cripple();
  await turned(turns).toEqual([expect.stringContaining("cannot be worked with any more")]);
  expect(problems()).toEqual([`${REPOSITORIES} does not fit: status.uniqueID is missing`]);
});

test("a CRD that is gone is named, and the others are still looked at", async () => {
  await client.delete(CustomResourceDefinitions, { name: REPOSITORIES });
  await expect.poll(() => client.serves(repositoryResource), { timeout: 10_000 }).toBe(false);
  expect((await start()).problems()).toEqual([`${REPOSITORIES} is not there`]);
});

test("objects whose status another controller wrote are left to it, until it is said to be gone", async () => {
  const time = await writtenBy("old-controller", "nas");
  const { apis, problems } = await start();
  expect(apis).toEqual([]);
  expect(problems()).toEqual([
    expect.stringMatching(`^old-controller wrote the status of ${REPOSITORIES} ${HOME}/nas at ${time}: `),
  ]);
  const later = await start({ adopt: { previousControllerStoppedAt: Date.parse(time) } });
  expect(later.apis).toEqual(APIS);
});

test("another controller that writes while the API is served closes it at once", async () => {
  const { apis, turns, problems } = await start();
  expect(apis).toEqual(APIS);
  await writtenBy("holdfast-operator", "nas");
  expect(turns).toEqual([]);
  await writtenBy("old-controller", "nas");
  await turned(turns).toEqual([expect.stringContaining("another controller works on the same objects")]);
  expect(problems()).toEqual([expect.stringContaining("old-controller wrote the status of")]);
});

test("an operator of one namespace looks at that one alone, and needs no kind of the cluster", async () => {
  const cluster = KINDS.find(({ resource }) => !resource.namespaced)?.resource;
  if (!cluster) throw new Error("there is no such kind");
  await client.delete(CustomResourceDefinitions, { name: resourceName(cluster) });
  await writtenBy("old-controller", "nas", "elsewhere");
  const { apis, limited } = await start({ namespace: HOME });
  expect([apis, [...limited.refused]]).toEqual([APIS, []]);
});

test("what may not be looked at is not worked with, and is once it may", async () => {
  const right = "get customresourcedefinitions.apiextensions.k8s.io";
  const { apis, turns, limited, problems } = await start({ withheld: [right] });
  expect(apis).toEqual([]);
  expect(problems()).toEqual([
    expect.stringMatching(/^the CRDs and objects could not be looked at: .*forbidden/),
  ]);
  limited.withheld.delete(right);
  await turned(turns).toHaveLength(1);
});
