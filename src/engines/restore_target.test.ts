import { execFileSync } from "node:child_process";
import { chmod, chown, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { kopia } from "../../test/engines/kopia_engine.ts";
import { VirtualClock } from "../lib/virtual_clock.ts";
import { besideOthers, lookAtTarget, UNFINISHED_MARK } from "./restore_target.ts";
import { asNobody, NOBODY } from "./testing/as_user.ts";
import { Ground, snapshotOf } from "./testing/ground.ts";

let ground: Ground;
let target: string;
let number = 0;

beforeAll(async () => {
  ground = await Ground.make(kopia);
});
afterAll(() => ground[Symbol.asyncDispose]());
beforeEach(async () => {
  number += 1;
  target = ground.path(`target-${number}`);
  await mkdir(target);
});

describe("lookAtTarget()", () => {
  const look = (more: object = {}) => lookAtTarget({ target, existing: "Overwrite", ...more }, "looking");

  test("takes what a killed look at the target left for nothing", async () => {
    await writeFile(`${target}/.holdfast-probe-1`, "");
    expect(await look()).toEqual({ type: "Empty" });
  });

  test.each([undefined, ""])("takes nothing for its own without a name: %j", async (own) => {
    await writeFile(`${target}/${UNFINISHED_MARK}`, "");
    await writeFile(`${target}/theirs`, "");
    expect(await look(own === undefined ? {} : { own })).toEqual({ type: "Occupied", interrupted: true });
  });

  test.each([
    ["its own mark", "mine", true],
    ["the mark of an attempt that went on with it", "beside others, interrupted before: one", true],
    ["the mark of another restore", "theirs", false],
    ["a mark beside somebody's files", "beside others: one", false],
    ["the mark of a run that nobody knows", "beside others, interrupted before: two", false],
    ["no mark", undefined, false],
  ])("of a volume that has to be empty: %s", async (_, mark, goesOn) => {
    if (mark !== undefined) await writeFile(`${target}/${UNFINISHED_MARK}`, mark);
    await writeFile(`${target}/half`, "");
    const found = look({
      existing: "Refuse",
      own: "mine",
      resume: true,
      fence: { run: "three", ended: ["one"] },
    });
    if (goesOn) expect(await found).toMatchObject({ type: "Occupied", interrupted: true });
    else await expect(found).rejects.toMatchObject({ class: "TargetExists" });
  });

  test("knows of an ended run how long it was at work, and of no other", async () => {
    await writeFile(`${target}/${UNFINISHED_MARK}`, "beside others: one");
    await writeFile(`${target}/theirs`, "");
    const { birthtimeNs: since, mtimeNs: until } = await stat(`${target}/${UNFINISHED_MARK}`, {
      bigint: true,
    });
    const found = { type: "Occupied", interrupted: false };
    expect(await look({ fence: { run: "two", ended: ["one"] } })).toEqual({
      ...found,
      left: { since, until },
    });
    expect(await look({ fence: { run: "two", ended: [] } })).toEqual(found);
  });
});

test("a mark says for as long as work goes on until when it did, and another's is left alone", async () => {
  const clock = new VirtualClock();
  const mark = `${target}/${UNFINISHED_MARK}`;
  const written = async () => (await stat(mark, { bigint: true })).mtimeNs;
  const options = { snapshot: "k1", target, fence: { run: "one", ended: [] } };
  await besideOthers(options, { what: "writing", clock }, async () => {
    const first = await written();
    // The time of a file is that of the last tick of the system's clock.
    await new Promise((wake) => setTimeout(wake, 50));
    expect(await written()).toBe(first);
    await clock.advance(1000);
    await expect.poll(written).toBeGreaterThan(first);
    await rm(mark);
    await writeFile(mark, "another's");
    await clock.advance(1000);
  });
  expect(await readFile(mark, "utf8")).toBe("another's");
});

test.skipIf(process.getuid?.() !== 0)(
  "whoever may not read a mark restores all the same, and into a file that may not be written",
  { timeout: 60_000 },
  async () => {
    const own = { uid: NOBODY, gid: NOBODY };
    const source = await ground.tree("src", [
      { path: "", folder: {}, ...own },
      { path: "a", file: { text: "restored" }, ...own },
    ]);
    const repository = await ground.repository();
    const { snapshot } = await repository.snapshot(snapshotOf(source));
    await writeFile(`${target}/${UNFINISHED_MARK}`, "another's", { mode: 0o600 });
    await writeFile(`${target}/a`, "theirs");
    await chmod(`${target}/a`, 0o400);
    for (const path of [target, `${target}/a`]) await chown(path, NOBODY, NOBODY);
    const { ino } = await stat(`${target}/a`);
    execFileSync("chown", ["-R", `${NOBODY}:${NOBODY}`, ground.path("repository")]);
    const restore = { snapshot: snapshot.id, target, existing: "Overwrite", atomic: false } as const;
    const outcome = await asNobody(ground, ground.location(), { restore });
    expect(outcome).toMatchObject({ result: { files: 1 } });
    expect(await readFile(`${target}/a`, "utf8")).toBe("restored");
    expect((await stat(`${target}/a`)).ino).toBe(ino);
    expect(await readdir(target)).toEqual(["a"]);
  },
);
