import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Repository } from "../engine.ts";
import { all, failureOf } from "../testing/ground.ts";
import { listing, printingKopia } from "./testing/printing_kopia.ts";

const MADE = {
  ...{ id: "1", startTime: "2026-01-01T00:00:01Z", source: { userName: "u", host: "h", path: "/p" } },
  rootEntry: { type: "d", obj: "k1" },
};

const SAID: Readonly<Record<string, string>> = {
  "maintenance info": '{"owner":"holdfast@holdfast"}',
  "show k1": '{"stream":"kopia:directory","entries":[]}',
};

type Work = (repository: Repository, second: Repository, signal: AbortSignal) => Promise<unknown>;

test.each<[string, Work]>([
  ["snapshot list", (one, _, signal) => all(one.list({}, { signal }))],
  ["snapshot delete", (one, _, signal) => one.delete(["1"], { signal })],
  ["maintenance info", (one, _, signal) => one.maintain({ mode: "Quick", signal })],
  ["maintenance run", (one, _, signal) => one.maintain({ mode: "Full", signal })],
  ["content verify", (one, _, signal) => one.check({ signal })],
  ["snapshot verify", (one, _, signal) => one.check({ signal })],
  ["snapshot verify 1", (one, _, signal) => one.verify({ snapshot: "1", signal })],
  ["blob stats", (one, _, signal) => one.stats({ signal })],
  ["show k1", (one, _, signal) => all(one.browse("1", "", { signal }))],
  ["show k1", (one, _, signal) => all(one.read("1", "a", { signal }))],
  ["blob stats", (one, _, signal) => one.changePassword("new", { signal })],
  ["snapshot migrate", (one, second, signal) => second.copyTo(one, { signal })],
])("kopia %s ends when it is cancelled, and says so", async (command, work) => {
  const folder = await mkdtemp(join(tmpdir(), "hf-cancelling-"));
  try {
    const print = (asked: string) => SAID[asked] ?? listing([MADE]);
    const { kopia, commands } = await printingKopia(
      folder,
      (asked) => (command === "snapshot migrate" && asked === "snapshot list" ? "[]" : print(asked)),
      command,
    );
    const second = await printingKopia(folder, print);
    const controller = new AbortController();
    const failing = failureOf(work(kopia, second.kopia, controller.signal));
    while (!commands.at(-1)?.startsWith(command)) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    expect(await failing).toMatchObject({ class: "Cancelled" });
    expect(commands.at(-1)).toMatch(command);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("kopia is not stopped between the two objects that it writes for a new password", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hf-cancelling-"));
  try {
    const controller = new AbortController();
    const { kopia, commands } = await printingKopia(folder, (asked) => {
      if (asked === "repository change-password") controller.abort();
      return "";
    });
    await kopia.changePassword("new", { signal: controller.signal });
    expect(commands).toEqual(["blob stats", "repository change-password"]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
