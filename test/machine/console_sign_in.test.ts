import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Oidc } from "../../src/cli/console/oidc.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { HttpSender } from "../../src/lib/http.ts";
import { listen, type RunningServer } from "../../src/lib/https_server.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { axeFindings } from "../scenarios/axe.ts";
import { openBrowser } from "../scenarios/browser.ts";
import { opened, settled, signedIn, signIn, toldWhatIsMissing } from "../scenarios/console_sign_in.ts";
import { madeUpSession } from "../unit/cli/made_up_session.ts";
import { answered, LOOKS, within } from "../unit/cli/people.ts";
import { MadeUpCluster } from "./made_up_cluster.ts";
import { PageGround } from "./page_ground.ts";

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

const at = (path: string) => new URL(path, ground.address);

test("a token that the cluster does not know is refused; one that it knows leads to the page that was asked for", async () => {
  const page = await opened(browser, at("/volumes?ns=home&text=letters"));
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
  const page = await opened(browser, at("/schedules?ns=home"));
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Schedules and policies", level: 1 }).waitFor();
  await page.getByText("BackupSchedule home/letters").waitFor();
  await page.context().close();
});

describe("two people with different rights", () => {
  test("see a namespace each, and of the other's why they do not", async () => {
    const [ada, eve] = await Promise.all([
      signedIn(browser, at("/volumes?ns=home"), "ada"),
      signedIn(browser, at("/volumes?ns=away"), "eve"),
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
    const page = await signedIn(browser, at("/volumes/home/letters?ns=home"), "lea");
    await toldWhatIsMissing(page, {
      namespace: "home",
      claim: "letters",
      unprotected: "of-home",
      backup: "letters-new",
    });
    await page.goto(new URL("/lost?ns=home", page.url()).href);
    await settled(page);
    expect(await axeFindings(page)).toEqual([]);
    await page.context().close();
  });
});

test("a person whose namespace is unknown is asked for it", async () => {
  const page = await signedIn(browser, at("/"), "eve");
  await page.getByText("Type the name of a namespace").waitFor();
  await page.getByLabel("Namespace").fill("away");
  await page.keyboard.press("Enter");
  await page.getByText(/1 of 2 volumes is safe/).waitFor();
  await page.context().close();
});

test("a link that names no namespace shows that of the person, who opens it", {
  timeout: 60_000,
}, async () => {
  const page = await signedIn(browser, at("/"), "eve");
  const complaints: string[] = [];
  page.on("pageerror", ({ message }) => complaints.push(message));
  for (const path of ["/volumes/away/letters", "/schedules", "/snapshots", "/activity"]) {
    await page.goto(at(path).href);
    await page.waitForURL(/[?&]ns=default/);
    await settled(page);
  }
  expect(complaints).toEqual([]);
  await page.context().close();
});

test("an open page asks to sign in when the token has expired, untouched", { timeout: 120_000 }, async () => {
  const page = await signedIn(browser, at("/volumes?ns=home"), tokenOfAda(5));
  await page.getByText("home/of-home").first().waitFor();
  await page.getByRole("heading", { name: "With a token" }).waitFor({ timeout: 60_000 });
  await signIn(page, "ada");
  await page.getByText("home/of-home").first().waitFor();
  await page.context().close();
});
