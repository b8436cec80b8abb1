import type { Browser, Page } from "playwright-core";
import { expect, test } from "vitest";
import { CSRF_HEADER } from "../../src/cli/console/contract.ts";
import type { TreeEntry } from "../../src/engines/testing/tree.ts";
import { backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../src/kinds/kopiur/generated/backup_config.ts";
import { restoreResource } from "../../src/kinds/kopiur/generated/restore.ts";
import { ClusterRoles } from "../../src/kube/builtin.ts";
import type { Client } from "../../src/kube/client.ts";
import type { PolicyRule } from "../../src/kube/policy_rules.ts";
import type { Resource } from "../../src/kube/resource.ts";
import type { Verb } from "../../src/kube/rights.ts";
import { APIS } from "../../src/main/apis.ts";
import type { Account } from "../scenarios/account.ts";
import { openBrowser } from "../scenarios/browser.ts";
import { capturedDifferences } from "../scenarios/captured_differences.ts";
import { clusterWorld } from "../scenarios/cluster_world.ts";
import { signedIn, toldWhatIsMissing } from "../scenarios/console_sign_in.ts";
import { ConsoleVisit } from "../scenarios/console_visit.ts";
import { Stage } from "../scenarios/stage.ts";
import { withWorld } from "../scenarios/with_world.ts";
import type { ScenarioWorld } from "../scenarios/world.ts";
import { ConsoleProgram } from "./console_program.ts";

/*
 * What of the console only a real cluster proves, in order: people sign in with tokens of its own, and have the rights
 * that its own roles give. The rest is in test/machine/console*.test.ts.
 */

const LONG = { timeout: 240_000 };
const READS: readonly Verb[] = ["get", "list", "watch"];
const WRITES: readonly Verb[] = [...READS, "create", "update", "patch", "delete", "deletecollection"];
const TREE: readonly TreeEntry[] = [
  { path: "letters", folder: {} },
  { path: "letters/anna.txt", file: { text: "dear Anna\n" }, uid: 1234, gid: 4321, mode: 0o640 },
  { path: "letters/bela.txt", file: { text: "dear Bela\n" } },
  { path: "photo.raw", file: { random: { bytes: 300_000, seed: 1 } } },
];
const DAMAGE: readonly TreeEntry[] = [
  { path: "letters/bela.txt", file: { text: "nothing of that any more\n" } },
];

/**
 * People of the namespace, who may do nothing elsewhere: what the cluster's own role `admin` or `view` allows, with what
 * the chart adds to it. An auditor may view, and look at Backups and BackupConfigs, too.
 */
const PEOPLE = ["admin", "auditor", "viewer"] as const;
type Who = (typeof PEOPLE)[number];

interface Ground extends AsyncDisposable {
  readonly world: ScenarioWorld;
  readonly stage: Stage;
  readonly console: ConsoleProgram;
  readonly browser: Browser;
  readonly people: Readonly<Record<Who, Account>>;
}

let ground: Ground;

withWorld(open, (opened) => {
  ground = opened;
});

async function open(): Promise<Ground> {
  await using stack = new AsyncDisposableStack();
  const world = stack.use(await clusterWorld());
  const stage = stack.use(await Stage.enter(world, "kopia"));
  const account = async (who: Who) => {
    const rules = { cluster: [], home: await rulesOf(world.client, who) };
    return stack.use(await world.account({ rules, home: stage.namespace }));
  };
  const people = {
    admin: await account("admin"),
    auditor: await account("auditor"),
    viewer: await account("viewer"),
  };
  const console = stack.use(await ConsoleProgram.start());
  const browser = await openBrowser();
  stack.defer(() => browser.close());
  await Promise.all([stage.repositoryOnVolume(), stage.filledClaim("letters", TREE), stage.claim("spare")]);
  const kept = stack.move();
  return { world, stage, console, browser, people, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

async function rulesOf(client: Client, who: Who): Promise<readonly PolicyRule[]> {
  const { rules = [] } = await client.get(ClusterRoles, { name: who === "admin" ? "admin" : "view" });
  const view = APIS.flatMap(({ people }) => people.view);
  const edit = APIS.flatMap(({ people }) => people.edit);
  const added = (kinds: readonly Resource[], verbs: readonly Verb[]) =>
    kinds.map(({ group, plural }) => ({ apiGroups: [group], resources: [plural], verbs }));
  return [
    ...(rules as readonly PolicyRule[]),
    ...added(who === "viewer" ? view : [...view, ...edit], READS),
    ...(who === "admin" ? added(edit, WRITES) : []),
  ];
}

function signedInAs(who: Who): Promise<Page> {
  const { browser, console, people } = ground;
  return signedIn(browser, new URL(console.address), people[who].credentials.token);
}

/** What differs in all but folders, whose times tell that something in them was written. */
async function differences(before: Awaited<ReturnType<Stage["describe"]>>) {
  const files = (all: typeof before) => all.filter(({ kind }) => kind !== "folder");
  return capturedDifferences(ground.world, files(before), files(await ground.stage.describe("letters")));
}

/** What people have written, by kind. */
function written(): Promise<readonly (readonly string[])[]> {
  const { world, stage } = ground;
  return Promise.all(
    [backupResource, backupConfigResource, restoreResource].map(async (kind) => {
      const { items } = await world.client.metadata.list(kind, { namespace: stage.namespace });
      return items.map(({ metadata }) => metadata.name).toSorted();
    }),
  );
}

/** Sends what the page would if it did not know what the person lacks. */
function send(page: Page, path: string, body: object): Promise<string> {
  return page.evaluate(
    async ([to = "", body = "", header = ""]) => {
      const { csrf } = (await (await fetch("/api/session")).json()) as { csrf: string };
      return (await fetch(to, { method: "POST", headers: { [header]: csrf }, body })).text();
    },
    [path, JSON.stringify(body), CSRF_HEADER],
  );
}

test(
  "an admin of a namespace protects a volume there, and has a file's earlier version back, by clicks",
  LONG,
  async () => {
    const { stage, world } = ground;
    const { namespace } = stage;
    const before = await stage.describe("letters");
    const page = await signedInAs("admin");
    const visit = new ConsoleVisit(page, { namespace, claim: "letters" });
    await visit.protect();
    await visit.backUpNow();

    await world.put({ namespace, name: "letters" }, DAMAGE);
    expect(await differences(before)).not.toEqual([]);
    await visit.backUpNow();
    await visit.openFile("letters", "bela.txt", "nothing of that any more");
    await visit.restoreVersion("10 B");
    expect(await differences(before)).toEqual([]);
    expect(visit.complaints).toEqual([]);
    await page.context().close();
  },
);

test("whoever only looks is told which right each action lacks", LONG, async () => {
  const page = await signedInAs("auditor");
  const [[backup = ""] = []] = await written();
  const { namespace } = ground.stage;
  await toldWhatIsMissing(page, { namespace, claim: "letters", unprotected: "spare", backup });
  await page.context().close();
});

test("whoever may not look at Backups is told that, and not that there are none", LONG, async () => {
  const page = await signedInAs("viewer");
  const { namespace } = ground.stage;
  await page.goto(new URL(`/volumes/${namespace}/letters`, page.url()).href);
  await page.getByText("Nothing that you may look at backs it up.").waitFor();
  await page.getByText("you may not look at the objects of kopiur").waitFor();
  await page.context().close();
});

test("whoever asks for more all the same is refused by the API server itself", LONG, async () => {
  const { stage, console, people } = ground;
  const { namespace } = stage;
  const refused = /is forbidden: User .*system:serviceaccount:.* cannot (create|get|patch) resource/;
  const before = await written();
  for (const who of ["auditor", "viewer"] as const) {
    const page = await signedInAs(who);
    const words = ["backup", "now", "letters"];
    const plan = { namespace, name: "spare", api: "kopiur", options: {}, dryRun: false };
    expect(await send(page, "/api/run", { namespace, words })).toMatch(refused);
    expect(await send(page, "/api/protect", plan)).toMatch(refused);
    await page.context().close();
  }
  expect(await written()).toEqual(before);
  const log = console.log.join("\n");
  expect(log).toMatch(/"user":"system:serviceaccount:.*"line":"backup now letters","outcome":"failed"/);
  for (const who of PEOPLE) expect(log).not.toContain(people[who].credentials.token);
});
