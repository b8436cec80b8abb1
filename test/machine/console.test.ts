import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeTree } from "../../src/engines/testing/tree.ts";
import { PersistentVolumeClaims } from "../../src/kube/builtin.ts";
import { axeFindings } from "../scenarios/axe.ts";
import { openBrowser } from "../scenarios/browser.ts";
import { embeddedCan } from "../scenarios/embedded_world.ts";
import { withWorld } from "../scenarios/with_world.ts";
import { CliPlace } from "./cli_place.ts";

/* The console as a person meets it: npm start's link, a real browser, real engines, and nothing but clicks. */

const NAMESPACE = "home";
const SLOW = { timeout: 60_000 };
/** Where the documentation's pictures are written, such as docs/pictures. */
const PICTURES = process.env.HOLDFAST_PICTURES;
const TREE = [
  { path: "letters", folder: {} },
  { path: "letters/anna.txt", file: { text: "dear Anna\n" }, uid: 1234, gid: 4321, mode: 0o640 },
  { path: "letters/bela.txt", file: { text: "dear Bela\n" }, xattrs: { "user.mood": "cheerful" } },
  { path: "photo.raw", file: { random: { bytes: 300_000, seed: 1 } } },
] as const;

describe.runIf(embeddedCan)("the console", () => {
  let place: CliPlace;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];

  withWorld(CliPlace.open, async (opened) => {
    place = opened;
    await place.furnish(NAMESPACE, "kopia", []);
    await place.claim(NAMESPACE, "letters");
    await place.put(NAMESPACE, "letters", TREE);
  });

  beforeAll(async () => {
    browser = await openBrowser();
    page = await browser.newPage();
    page.on("pageerror", ({ message }) => complaints.push(message));
    page.on("console", (said) => {
      if (said.type() === "error") complaints.push(said.text());
    });
    await page.goto(place.console);
    await heading("Overview");
  }, 120_000);
  afterAll(() => browser?.close());

  const click = (role: "button" | "link", name: string | RegExp) =>
    page.getByRole(role, { name }).first().click(SLOW);
  const heading = (name: string | RegExp) => page.getByRole("heading", { name, level: 1 }).waitFor(SLOW);

  const backUpNow = async () => {
    await page.goto(new URL(`/volumes/${NAMESPACE}/letters`, page.url()).href);
    await heading(`${NAMESPACE}/letters`);
    await page.getByRole("heading", { name: "Snapshots" }).waitFor(SLOW);
    const rows = page.getByRole("table", { name: "Snapshots" }).getByRole("row");
    const before = await rows.count();
    await click("button", "Back up now");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Back up now" }).click(SLOW);
    // One is the cross, and the other comes when it is over.
    await dialog.getByRole("button", { name: "Close", exact: true }).nth(1).click({ timeout: 120_000 });
    // The page is told of it, and so has it a moment later; the first one comes with a head.
    await expect.poll(() => rows.count()).toBe(Math.max(2, before + 1));
  };
  /** For the documentation, where that is asked for: each time it is another day. */
  const picture = async (name: string) => {
    if (PICTURES) await page.screenshot({ path: join(PICTURES, `${name}.png`) });
  };

  test("lets a person find an unprotected volume, protect it, lose files, and have them back by clicks alone", {
    timeout: 300_000,
  }, async () => {
    await click("link", `Protect ${NAMESPACE}/letters`);
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("What is read").selectOption("Direct", SLOW);
    await click("button", "Show what it writes");
    await dialog.getByText("kind: BackupSchedule").waitFor(SLOW);
    await click("button", "Write it");
    await dialog.getByText("Written").waitFor(SLOW);
    await dialog.getByRole("button", { name: "Close" }).first().click();

    await backUpNow();

    const volume = await place.volume(NAMESPACE, "letters");
    const before = await describeTree(volume);
    rmSync(join(volume, "letters", "anna.txt"));
    writeFileSync(join(volume, "letters", "bela.txt"), "nothing of that\n");
    expect(await describeTree(volume)).not.toEqual(before);

    const main = page.getByRole("main");
    await main.getByRole("link", { name: "Files", exact: true }).first().click(SLOW);
    await page.getByRole("grid").getByText("letters", { exact: true }).dblclick({ timeout: 120_000 });
    await page.getByRole("grid").getByText("anna.txt", { exact: true }).dblclick(SLOW);
    await page.getByText("dear Anna").waitFor(SLOW);
    await page.keyboard.press("Escape");

    await page.goto(new URL(`/volumes/${NAMESPACE}/letters`, page.url()).href);
    await main.getByRole("link", { name: "Restore", exact: true }).first().click(SLOW);
    await page.getByRole("radio", { name: /In place/ }).check(SLOW);
    await click("button", "Show the plan");
    const confirmed = page.getByLabel(/to confirm/);
    await confirmed.waitFor(SLOW);
    await expect(page.getByRole("button", { name: "Restore now" }).isDisabled()).resolves.toBe(true);
    await confirmed.fill("letters");
    await picture("console-restore");
    await click("button", "Restore now");
    await page.getByText("Came back").waitFor({ timeout: 120_000 });
    expect(await describeTree(volume)).toEqual(before);
    expect(complaints).toEqual([]);
  });

  test("finds the version of a file from before, and has that alone back", { timeout: 300_000 }, async () => {
    const volume = await place.volume(NAMESPACE, "letters");
    const before = await filesIn(volume);
    writeFileSync(join(volume, "letters", "bela.txt"), "nothing of that any more\n");
    await backUpNow();
    await page.getByRole("main").getByRole("link", { name: "Files", exact: true }).first().click(SLOW);
    await page.getByRole("grid").getByText("letters", { exact: true }).dblclick({ timeout: 120_000 });
    await page.getByRole("grid").getByText("bela.txt", { exact: true }).dblclick(SLOW);
    await page.getByText("nothing of that any more").waitFor(SLOW);
    await click("button", "Show its versions in all snapshots");
    const older = page.getByRole("dialog").getByRole("row", { name: /10 B/ });
    await older.waitFor({ timeout: 120_000 });
    await picture("console-files");
    await older.getByRole("link", { name: "Restore…" }).click(SLOW);
    await click("button", "Show the plan");
    await page.getByLabel(/to confirm/).fill("letters", SLOW);
    await click("button", "Restore now");
    await page.getByText("Came back").waitFor({ timeout: 120_000 });
    expect(await filesIn(volume)).toEqual(before);
    expect(complaints).toEqual([]);
  });

  test("brings a volume that is gone back, byte for byte", { timeout: 300_000 }, async () => {
    const before = await describeTree(await place.volume(NAMESPACE, "letters"));
    await backUpNow();
    const named = { namespace: NAMESPACE, name: "letters" };
    await place.client.delete(PersistentVolumeClaims, named);
    await expect.poll(() => place.client.get(PersistentVolumeClaims, named).catch(() => "gone")).toBe("gone");
    await page.goto(new URL("/", page.url()).href);
    await page.getByText(`${NAMESPACE}/letters is lost`).waitFor(SLOW);
    await picture("console-overview");
    await click("link", `Restore ${NAMESPACE}/letters`);
    await click("button", /^Restore 1 of 1/);
    await page.getByRole("heading", { name: "They are back" }).waitFor({ timeout: 120_000 });
    expect(await describeTree(await place.volume(NAMESPACE, "letters"))).toEqual(before);
    expect(complaints).toEqual([]);
  });

  test.each([
    "/",
    "/volumes",
    `/volumes/${NAMESPACE}/letters`,
    "/snapshots",
    "/files",
    "/diff",
    "/restore",
    "/activity",
    "/schedules",
    "/repositories",
    `/repositories/Repository/${NAMESPACE}/repository`,
    "/doctor",
    "/lost",
  ])("can be read and used by everybody: %s", { timeout: 120_000 }, async (path) => {
    await page.goto(new URL(path, page.url()).href);
    await heading(/./);
    await page
      .locator(".loading")
      .first()
      .waitFor({ state: "detached", ...SLOW });
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

/** All but folders, whose times tell that something in them was written. */
async function filesIn(volume: string) {
  return (await describeTree(volume)).filter(({ kind }) => kind !== "folder");
}
