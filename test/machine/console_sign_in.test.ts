import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Oidc } from "../../src/cli/console/oidc.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { HttpSender } from "../../src/lib/http.ts";
import { listen, type RunningServer } from "../../src/lib/https_server.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { axeFindings } from "../scenarios/axe.ts";
import { openBrowser } from "../scenarios/browser.ts";
import { madeUpSession } from "../unit/cli/made_up_session.ts";
import { answered, LOOKS, within } from "../unit/cli/people.ts";
import { MadeUpCluster } from "./made_up_cluster.ts";
import { PageGround, settled } from "./page_ground.ts";

/* The console as on a cluster: several people sign in with a browser each, over TLS, and see what their rights allow. */

const ISSUER = "https://id.example.com";
const expired = new Set<string>();
const people: Record<string, (sender: HttpSender) => HttpSender> = {
  ada: within("ada", ["home"], expired),
  eve: within("eve", ["away"], expired),
  lea: within("lea", ["home"], expired, LOOKS),
};

let browser: Browser;
let ground: PageGround;
/** Where the provider asks people who they are. */
let door: RunningServer;
/** What it was told when it was asked to let somebody in. */
let asked = new URLSearchParams();

/** A token of Ada's that says when it expires. */
function tokenOfAda(seconds: number, claims: object = {}): string {
  const said = { exp: Math.floor(Date.now() / 1000) + seconds, ...claims };
  const token = `e30.${Buffer.from(JSON.stringify(said)).toString("base64url")}.sig`;
  people[token] = within("ada", ["home"], expired);
  return token;
}

const provider: HttpSender = {
  close() {},
  send: async ({ method }) => {
    const claims = { iss: ISSUER, aud: "holdfast", nonce: asked.get("nonce") };
    const found = {
      issuer: ISSUER,
      authorization_endpoint: `http://localhost:${door.port}/auth`,
      token_endpoint: `${ISSUER}/token`,
    };
    return answered(200, method === "POST" ? { id_token: tokenOfAda(600, claims) } : found);
  },
};

beforeAll(async () => {
  browser = await openBrowser();
  door = await listen({
    host: "127.0.0.1",
    port: 0,
    handler: ({ query }) => {
      asked = query;
      const back = `${query.get("redirect_uri")}?code=c&state=${query.get("state")}`;
      return { status: 302, headers: { location: back }, body: "" };
    },
  });
  ground = await PageGround.open({
    people,
    oidc: (address) =>
      new Oidc(
        { issuer: ISSUER, clientId: "holdfast", scopes: [], redirect: `${address}/api/oidc/callback` },
        { clock: systemClock, random: systemRandom, reach: () => provider },
      ),
    openSession: async () => madeUpSession({ new: { "a.txt": "a\n" } }),
  });
  const cluster = new MadeUpCluster(ground.client);
  for (const name of ["home", "away"]) {
    await cluster.namespace(name);
    for (const claim of ["letters", `of-${name}`]) await cluster.claim(name, claim);
    await cluster.plan(name, "letters");
    await cluster.backup(name, "letters", 6, "new");
  }
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await door?.close();
  await ground?.[Symbol.asyncDispose]();
});

async function opened(path: string): Promise<Page> {
  const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage();
  page.setDefaultTimeout(30_000);
  await page.goto(new URL(path, ground.address).href);
  return page;
}

async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
}

async function signedIn(token: string, path: string): Promise<Page> {
  const page = await opened(path);
  await signIn(page, token);
  await settled(page);
  return page;
}

test("a token that the cluster does not know is refused; one that it knows leads to the page that was asked for", async () => {
  const page = await opened("/volumes?ns=home&text=letters");
  await page.getByRole("heading", { name: "With a token" }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await signIn(page, "mallory");
  await page.getByRole("alert").waitFor();
  await signIn(page, "ada");
  await page.getByRole("heading", { name: "Volumes", level: 1 }).waitFor();
  await page.getByText("1 of 2 volumes").waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "With a token" }).waitFor();
  await page.context().close();
});

test("a sign-in at the organisation's provider comes back to the page that was asked for", async () => {
  const page = await opened("/schedules?ns=home");
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Schedules and policies", level: 1 }).waitFor();
  await page.getByText("BackupSchedule home/letters").waitFor();
  await page.context().close();
});

describe("two people with different rights", () => {
  test("see a namespace each, and of the other's why they do not", async () => {
    const [ada, eve] = await Promise.all([
      signedIn("ada", "/volumes?ns=home"),
      signedIn("eve", "/volumes?ns=away"),
    ]);
    await ada.getByText("home/of-home").first().waitFor();
    await eve.getByText("away/of-away").first().waitFor();
    for (const path of [
      "/volumes?ns=away",
      "/volumes/away/letters",
      "/files?namespace=away&backup=letters-new",
    ]) {
      await ada.goto(new URL(path, ada.url()).href);
      await ada.getByRole("alert").first().waitFor();
      expect([path, await ada.getByText("of-away").count()]).toEqual([path, 0]);
    }
    await Promise.all([ada, eve].map((page) => page.context().close()));
  });

  test("and one who only looks is told which right is missing, action by action", {
    timeout: 120_000,
  }, async () => {
    const page = await signedIn("lea", "/volumes/home/letters?ns=home");
    const dialog = page.getByRole("dialog");
    for (const [name, right] of [
      [/^Back up now/, "create backups.kopiur.home-operations.com"],
      [/^Prove it/, "create restores.kopiur.home-operations.com"],
    ] as const) {
      await page.getByRole("button", { name }).click();
      await dialog.getByText(`you may not ${right} in namespace home`).waitFor();
      await page.keyboard.press("Escape");
    }
    await page.goto(new URL("/volumes?ns=home&protect=home/of-home", page.url()).href);
    await dialog.getByText("you may not create backupconfigs").waitFor();
    await page.goto(new URL("/files?ns=home&namespace=home&backup=letters-new", page.url()).href);
    await page.getByText("you may not create jobs.batch in namespace home").waitFor();
    await page.goto(new URL("/lost?ns=home", page.url()).href);
    await settled(page);
    expect(await axeFindings(page)).toEqual([]);
    await page.context().close();
  });
});

test("a person whose namespace is unknown is asked for it", async () => {
  const page = await signedIn("eve", "/");
  await page.getByText("Type the name of a namespace").waitFor();
  await page.getByLabel("Namespace").fill("away");
  await page.keyboard.press("Enter");
  await page.getByText(/1 of 2 volumes is safe/).waitFor();
  await page.context().close();
});

test("an open page asks to sign in when the token has expired, untouched", { timeout: 120_000 }, async () => {
  const page = await signedIn(tokenOfAda(5), "/volumes?ns=home");
  await page.getByText("home/of-home").first().waitFor();
  await page.getByRole("heading", { name: "With a token" }).waitFor({ timeout: 60_000 });
  await signIn(page, "ada");
  await page.getByText("home/of-home").first().waitFor();
  await page.context().close();
});
