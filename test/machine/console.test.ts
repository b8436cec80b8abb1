import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeTree } from "../../src/engines/testing/tree.ts";
import { PersistentVolumeClaims } from "../../src/kube/builtin.ts";
import { axeFindings } from "../scenarios/axe.ts";
import { openBrowser } from "../scenarios/browser.ts";
import { ConsoleVisit } from "../scenarios/console_visit.ts";
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
  let visit: ConsoleVisit;

  withWorld(CliPlace.open, async (opened) => {
    place = opened;
    await place.furnish(NAMESPACE, "kopia", []);
    await place.claim(NAMESPACE, "letters");
    await place.put(NAMESPACE, "letters", TREE);
  });

  beforeAll(async () => {
    browser = await openBrowser();
    const page = await browser.newPage();
    visit = new ConsoleVisit(page, { namespace: NAMESPACE, claim: "letters" });
    await page.goto(place.console);
    await visit.heading("Overview");
  }, 120_000);
  afterAll(() => browser?.close());

  /** For the documentation, where that is asked for: each time it is another day. */
  const picture = async (name: string) => {
    if (PICTURES) await visit.page.screenshot({ path: join(PICTURES, `${name}.png`) });
  };

  test("lets a person find an unprotected volume, protect it, lose files, and have them back by clicks alone", {
    timeout: 300_000,
  }, async () => {
    const { page } = visit;
    await visit.protect({ read: "Direct" });
    await visit.backUpNow();

    const volume = await place.volume(NAMESPACE, "letters");
    const before = await describeTree(volume);
    rmSync(join(volume, "letters", "anna.txt"));
    writeFileSync(join(volume, "letters", "bela.txt"), "nothing of that\n");
    expect(await describeTree(volume)).not.toEqual(before);

    await visit.openFile("letters", "anna.txt", "dear Anna");
    await page.keyboard.press("Escape");

    await visit.openVolume();
    await page.getByRole("main").getByRole("link", { name: "Restore", exact: true }).first().click(SLOW);
    await page.getByRole("radio", { name: /In place/ }).check(SLOW);
    await visit.restorePlanned(() => picture("console-restore"));
    expect(await describeTree(volume)).toEqual(before);
    expect(visit.complaints).toEqual([]);
  });

  test("finds the version of a file from before, and has that alone back", { timeout: 300_000 }, async () => {
    const volume = await place.volume(NAMESPACE, "letters");
    const before = await filesIn(volume);
    writeFileSync(join(volume, "letters", "bela.txt"), "nothing of that any more\n");
    await visit.backUpNow();
    await visit.openFile("letters", "bela.txt", "nothing of that any more");
    await visit.restoreVersion("10 B", () => picture("console-files"));
    expect(await filesIn(volume)).toEqual(before);
    expect(visit.complaints).toEqual([]);
  });

  test("brings a volume that is gone back, byte for byte", { timeout: 300_000 }, async () => {
    const before = await describeTree(await place.volume(NAMESPACE, "letters"));
    await visit.backUpNow();
    const named = { namespace: NAMESPACE, name: "letters" };
    await place.client.delete(PersistentVolumeClaims, named);
    await expect.poll(() => place.client.get(PersistentVolumeClaims, named).catch(() => "gone")).toBe("gone");
    const { page } = visit;
    await visit.open("/");
    await page.getByText(`${NAMESPACE}/letters is lost`).waitFor(SLOW);
    await picture("console-overview");
    await visit.click("link", `Restore ${NAMESPACE}/letters`);
    await visit.click("button", /^Restore 1 of 1/);
    await page.getByRole("heading", { name: "They are back" }).waitFor({ timeout: 120_000 });
    expect(await describeTree(await place.volume(NAMESPACE, "letters"))).toEqual(before);
    expect(visit.complaints).toEqual([]);
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
    await visit.open(path);
    await visit.heading(/./);
    await visit.page
      .locator(".loading")
      .first()
      .waitFor({ state: "detached", ...SLOW });
    expect(await axeFindings(visit.page)).toEqual([]);
    expect(visit.complaints).toEqual([]);
  });
});

/** All but folders, whose times tell that something in them was written. */
async function filesIn(volume: string) {
  return (await describeTree(volume)).filter(({ kind }) => kind !== "folder");
}
