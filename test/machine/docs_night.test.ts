import { describe, expect, test } from "vitest";
import { EXIT } from "../../src/cli/frame/exit_codes.ts";
import { restoreResource } from "../../src/kinds/kopiur/generated/restore.ts";
import { embeddedCan } from "../scenarios/embedded_world.ts";
import { withWorld } from "../scenarios/with_world.ts";
import { pages } from "../unit/docs/pages.ts";
import { drill } from "./docs_drill.ts";
import { DocsNight } from "./docs_night.ts";
import { nightCommands } from "./docs_words.ts";

const known = new Set<string>();
/** The commands of each page that no page before it has, in whichever order their words stand. */
const told = pages()
  .map((page) => ({
    path: page.path,
    commands: nightCommands(page).filter((words) => {
      const command = words.toSorted().join(" ");
      return !known.has(command) && known.add(command);
    }),
  }))
  .filter(({ commands }) => commands.length > 0);

/** `doctor` may well find something broken here, and ends with another code then. */
const isDone = (words: readonly string[], code: number) =>
  code === EXIT.done || (words[0] === "doctor" && code === EXIT.failed);

test("a word that stands for nothing on its page is not run", () => {
  const page = { path: "docs/other.md", text: "`holdfast explain config/NAME`" };
  expect(() => nightCommands(page)).toThrow("nobody knows what NAME is on docs/other.md");
});

describe.runIf(embeddedCan)("what the documentation tells to do with holdfast", () => {
  let night: DocsNight;

  withWorld(DocsNight.open, (opened) => {
    night = opened;
  });

  test.each(told)("on $path can be done", { timeout: 120_000 }, async ({ path, commands }) => {
    await night.leadsTo(path);
    for (const words of commands) {
      const { code, stdout, stderr } = await night.run(words);
      const line = `holdfast ${words.join(" ")}`;
      expect(isDone(words, code) || `${code} ${stderr}`, line).toBe(true);
      expect(stdout, line).not.toBe("");
    }
  });

  test("is much, on many pages", () => {
    expect(known.size).toBeGreaterThan(40);
    expect(told.filter(({ path }) => path.startsWith("docs/runbooks/")).length).toBeGreaterThan(8);
  });

  test.each([
    ["explain schedule/documents -n night", EXIT.notFound],
    ["maintenance run keeper -n night", EXIT.notFound],
    ["suspend schedule/nightly -n holdfast", EXIT.notFound],
    ["logs backup/documents -n night", EXIT.notFound],
  ])("%s could not be: it is another's name", async (line, code) => {
    expect(await night.run(line.split(" "))).toMatchObject({ code, stdout: "" });
  });

  test("about the drill proves a restore, and fails at once where there is none", {
    timeout: 120_000,
  }, async () => {
    const { place } = night;
    const left = async () => (await place.client.list(restoreResource, { namespace: "billing" })).items;
    const failed = await drill(place);
    expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining("holds no snapshot") });
    expect(await left()).toMatchObject([{ status: { phase: "Failed" } }]);
    const saved = await place.run(["backup", "now", "postgres-data", "-n", "billing"]);
    expect(`${saved.code} ${saved.stderr}`).toMatch(/^0 /);
    const done = await drill(place);
    expect(`${done.code} ${done.stderr}`).toMatch(/^0 /);
    expect(await left()).toEqual([]);
  });
});
