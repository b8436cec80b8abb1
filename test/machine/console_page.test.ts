import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Backup } from "../../src/kinds/kopiur/generated/backup.ts";
import {
  HttpFailure,
  type HttpRequest,
  type HttpResponse,
  type HttpSender,
  readBody,
} from "../../src/lib/http.ts";
import { EngineError } from "../../src/wire/engine_error.ts";
import { cacheFolder } from "../../tools/cluster/folders.ts";
import { consolePage } from "../../tools/run/console_page.ts";
import { axeFindings } from "../scenarios/axe.ts";
import { openBrowser } from "../scenarios/browser.ts";
import { settled } from "../scenarios/console_sign_in.ts";
import { type MadeUpFiles, madeUpSession } from "../unit/cli/made_up_session.ts";
import { answered } from "../unit/cli/people.ts";
import { MadeUpCluster } from "./made_up_cluster.ts";
import { PageGround } from "./page_ground.ts";

/* The console's page in a real browser, before a server whose cluster is made up: what goes wrong around it, and how it looks. */

const MARKUP = "<img src=x onerror=window.pwned=1>";
const LETTER = "letters/anna.txt";
const FILES: MadeUpFiles = {
  new: {
    [LETTER]: "dear Anna, again\n",
    "letters/bela.txt": "dear Bela\n",
    [`${MARKUP}.txt`]: `${MARKUP}\n`,
  },
  old: { [LETTER]: "dear Anna\n", "letters/bela.txt": "dear Bela\n" },
};
const SCREENS = [
  "/",
  "/volumes",
  "/volumes/home/letters",
  "/snapshots",
  "/files?namespace=home&backup=letters-new",
  "/diff?namespace=home&newer=letters-new",
  "/restore?namespace=home&backup=letters-new",
  "/activity",
  "/schedules",
  "/repositories",
  "/repositories/Repository/home/store",
  "/objects/backups.kopiur.home-operations.com/home/bad",
  "/doctor",
  "/lost",
];
const DARK = { colorScheme: "dark", viewport: { width: 1280, height: 800 } } as const;
const PHONE = { colorScheme: "light", viewport: { width: 360, height: 740 } } as const;

let browser: Browser;
let ground: PageGround;
/** The repository and the API server answer. */
const reached = { repository: true, apiServer: true };
/** So many Backups there are, beside those that are. */
let many = 0;
/** What the page's own scripts and the browser complained of. */
const complaints: string[] = [];

beforeAll(async () => {
  browser = await openBrowser();
  ground = await PageGround.open({
    openSession: async () => madeUpSession(FILES, repositoryAnswers),
    way: (to): HttpSender => ({
      close: () => to.close(),
      send: async (request) => {
        // A server that streams no lists: the list itself is then asked for.
        if (many > 0 && request.path.includes("sendInitialEvents")) return answered(400, {});
        if (many > 0 && isListOf("backups", request)) return manyBackups(await to.send(request));
        if (!reached.apiServer)
          throw new HttpFailure("connection refused", { code: "ECONNREFUSED", sent: false });
        return to.send(request);
      },
    }),
  });
  const cluster = new MadeUpCluster(ground.client);
  await cluster.namespace("home");
  for (const name of ["letters", "attic"]) await cluster.claim("home", name);
  for (const name of ["letters", "gone"]) await cluster.plan("home", name);
  await cluster.backup("home", "letters", 30, "old");
  await cluster.backup("home", "letters", 6, "new");
  await cluster.backup("home", "gone", 8, "old");
  await cluster.failure("home", "letters", "bad", MARKUP);
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await ground?.[Symbol.asyncDispose]();
});

function isListOf(plural: string, { method, path }: HttpRequest): boolean {
  const { pathname, searchParams } = new URL(path, "http://server");
  return method === "GET" && pathname.endsWith(`/${plural}`) && searchParams.get("watch") !== "true";
}

/** A list with many more of one of its Backups, a minute apart. */
async function manyBackups({ status, headers, body }: HttpResponse): Promise<HttpResponse> {
  const list = JSON.parse((await readBody(body, 2 ** 20)).toString()) as { items: Backup[] };
  const pattern = list.items.find((one) => one.metadata.name === "letters-old");
  const more = Array.from({ length: pattern ? many : 0 }, (_, i) => {
    const at = new Date(Date.UTC(2026, 0) - i * 60_000).toISOString().replace(".000Z", "Z");
    const metadata = { ...pattern?.metadata, name: `letters-${i}`, uid: `many-${i}` };
    return { ...pattern, metadata, status: { ...pattern?.status, timing: { startTime: at, endTime: at } } };
  });
  const text = JSON.stringify({ ...list, items: [...list.items, ...more] });
  return {
    status,
    headers,
    body: (async function* () {
      yield Buffer.from(text);
    })(),
  };
}

function repositoryAnswers(): void {
  if (!reached.repository)
    throw new EngineError("Unreachable", "the repository does not answer", { remedy: "Wake it." });
}

/** A page of somebody who has used the link. */
async function signedIn(look: BrowserContextOptions = {}): Promise<Page> {
  const page = await (await browser.newContext(look)).newPage();
  page.setDefaultTimeout(30_000);
  page.on("pageerror", ({ message }) => complaints.push(message));
  await page.goto(ground.address);
  await settled(page);
  return page;
}

const at = (page: Page, path: string) => page.goto(new URL(path, page.url()).href);

describe.each([
  ["in the dark", DARK],
  ["on a phone", PHONE],
])("%s", (_, look) => {
  test("every screen can be read and used by everybody", { timeout: 180_000 }, async () => {
    const page = await signedIn(look);
    for (const path of SCREENS) {
      await at(page, path);
      await settled(page);
      const wider = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      expect([path, wider, await axeFindings(page)]).toEqual([path, 0, []]);
    }
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});

test("the page is the one for its users, also where tests build it", async () => {
  const page = await consolePage(cacheFolder());
  const scripts = globSync(join(page, "assets/*.js")).map((path) => readFileSync(path, "utf8"));
  // What React says in full only to those who develop a page.
  expect(scripts.filter((script) => script.includes("Maximum update depth exceeded"))).toEqual([]);
  expect(scripts.filter((script) => script.includes("Minified React error"))).not.toEqual([]);
});

test("the version of yesterday is found and taken by keys alone", { timeout: 120_000 }, async () => {
  const page = await signedIn();
  const { keyboard } = page;
  await keyboard.press("g");
  await keyboard.press("f");
  await page.getByRole("heading", { name: "Files", level: 1 }).waitFor();
  await page.getByLabel("Volume").focus();
  await keyboard.type("home/letters");
  const grid = page.getByRole("grid");
  await grid.getByText("letters", { exact: true }).waitFor();
  await grid.focus();
  // Behind the file whose name is markup.
  await keyboard.press("ArrowDown");
  await keyboard.press("Enter");
  await grid.getByText("anna.txt").waitFor();
  await grid.focus();
  await keyboard.press("Enter");
  const drawer = page.getByRole("dialog");
  await drawer.getByText("dear Anna, again").waitFor();
  await drawer.getByRole("button", { name: "Show its versions" }).focus();
  await keyboard.press("Enter");
  // Both are of the same second, and tell themselves apart by their size.
  const older = drawer.getByRole("row", { name: /10 B/ });
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    older.getByRole("link", { name: "Download" }).press("Enter"),
  ]);
  expect([download.suggestedFilename(), await textOf(download)]).toEqual(["anna.txt", "dear Anna\n"]);
  await older.getByRole("link", { name: "Restore…" }).press("Enter");
  await page.getByRole("heading", { name: "Restore", level: 1 }).waitFor();
  await expect(page.getByLabel("Only this file or folder").inputValue()).resolves.toBe(LETTER);
  expect(new URL(page.url()).searchParams.get("backup")).toBe("letters-old");
  await page.context().close();
});

test("markup in names, failures and files is shown as it is, and does nothing", async () => {
  const page = await signedIn();
  for (const path of [
    "/activity",
    "/objects/backups.kopiur.home-operations.com/home/bad",
    "/files?namespace=home&backup=letters-new",
    `/files?namespace=home&backup=letters-new&file=${encodeURIComponent(`${MARKUP}.txt`)}`,
    `/volumes?text=${encodeURIComponent(MARKUP)}`,
  ]) {
    await at(page, path);
    await settled(page);
    if (!path.startsWith("/volumes")) await page.getByText(MARKUP).first().waitFor();
    expect([path, await page.evaluate("window.pwned")]).toEqual([path, undefined]);
  }
  await page.context().close();
});

test("a repository that is away says so, and what helps; it is asked again by hand", async () => {
  const page = await signedIn();
  reached.repository = false;
  // Also where a session is open already.
  await at(page, "/files?namespace=home&backup=letters-old");
  await page.getByText("the repository does not answer").waitFor();
  await page.getByText("Wake it.").waitFor();
  reached.repository = true;
  await page.getByRole("button", { name: "Try again" }).first().click();
  await page.getByRole("grid").getByText("letters", { exact: true }).waitFor();
  await page.context().close();
});

test("a cluster that does not answer leaves what was known, and comes back by itself", {
  timeout: 120_000,
}, async () => {
  const page = await signedIn();
  await at(page, "/volumes");
  await page.getByRole("link", { name: "home/letters", exact: true }).first().waitFor();
  reached.apiServer = false;
  await page.getByRole("link", { name: "Doctor", exact: true }).click();
  await page.getByText("the API server does not answer").first().waitFor();
  await page.getByRole("link", { name: "Volumes", exact: true }).click();
  await page.getByRole("link", { name: "home/letters", exact: true }).first().waitFor();
  reached.apiServer = true;
  await page.getByRole("link", { name: "Doctor", exact: true }).click();
  await page
    .getByText(/checks/)
    .first()
    .waitFor({ timeout: 60_000 });
  await page.context().close();
});

test("a console that was started anew asks an open page to sign in, and leads on from there", {
  timeout: 120_000,
}, async () => {
  const page = await signedIn();
  await at(page, "/volumes");
  await settled(page);
  await ground.end();
  await page.getByText("Not live: connecting again").waitFor();
  await ground.start();
  // Nobody has touched it.
  await page.getByRole("heading", { name: "From this machine" }).waitFor({ timeout: 60_000 });
  await page.goto(ground.address);
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  await page.context().close();
});

test("50,000 snapshots are scrolled to their end, of which a few are in the page", {
  timeout: 180_000,
}, async () => {
  many = 50_000 - 3;
  await ground.end();
  await ground.start();
  const page = await signedIn();
  await at(page, "/snapshots");
  await page.getByText("50,000 snapshots").waitFor({ timeout: 120_000 });
  await page.getByText("letters-new").first().waitFor();
  const longest = (await page.evaluate(SCROLLED)) as number;
  await page.getByText(`letters-${many - 1}`, { exact: true }).waitFor({ timeout: 60_000 });
  const table = page.getByRole("table", { name: "Snapshots" });
  expect(await table.getByRole("row").count()).toBeLessThan(100);
  // A stutter that a person sees takes far longer than a frame, also on a machine that has much to do.
  expect(longest).toBeLessThan(1000);
  await page.context().close();
  many = 0;
});

/** Scrolls the list to its end in steps, and tells the longest time that a step kept the page from drawing. */
const SCROLLED = `(async () => {
  const list = document.querySelector(".snapshots");
  let longest = 0;
  for (let step = 1; step <= 50; step++) {
    const begun = performance.now();
    list.scrollTop = (list.scrollHeight * step) / 50;
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    longest = Math.max(longest, performance.now() - begun);
  }
  return longest;
})()`;

async function textOf(download: { createReadStream(): Promise<AsyncIterable<Uint8Array>> }): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
