import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { backupConfigResource } from "../../src/kinds/kopiur/generated/backup_config.ts";
import { backupScheduleResource } from "../../src/kinds/kopiur/generated/backup_schedule.ts";
import { repositoryResource } from "../../src/kinds/kopiur/generated/repository.ts";
import { embeddedCan } from "../scenarios/embedded_world.ts";
import { withWorld } from "../scenarios/with_world.ts";
import { guideCommands, steady, wordsOf } from "./cli_guide.ts";
import { CliPlace } from "./cli_place.ts";
import { runPage } from "./page_run.ts";

const GUIDE = "docs/guides/cli.md";

/** What happens in the meantime, before a command of the guide. */
const MEANWHILE: Readonly<Record<string, (place: CliPlace) => Promise<void>>> = {
  "backup now documents --name tuesday": (place) =>
    place.put("guide", "documents", [
      { path: "letters/anna.txt", file: { text: "dear Anna, once more\n" } },
      { path: "letters/carl.txt", file: { text: "dear Carl\n" } },
    ]),
};

/** All that `status` shows is known: the repository, the recipe, and when the schedule runs next. */
async function settled({ client }: CliPlace): Promise<void> {
  const at = (name: string) => ({ namespace: "guide", name });
  const known = async () => {
    const [repository, recipe, schedule] = await Promise.all([
      client.get(repositoryResource, at("repository")),
      client.get(backupConfigResource, at("documents")),
      client.get(backupScheduleResource, at("nightly")),
    ]);
    const ready = [repository, recipe].every(({ status }) => status?.phase === "Ready");
    return ready && schedule.status?.nextSchedule?.at !== undefined;
  };
  while (!(await known())) await pause(100);
}

describe.runIf(embeddedCan)("the guides", () => {
  let place: CliPlace;

  withWorld(CliPlace.open, (opened) => {
    place = opened;
  });

  test("to start with lead to a backup that is restored", { timeout: 300_000 }, async () => {
    const commands = await runPage("docs/start.md", { state: place.folder, holdfast: place.program });
    expect(commands.length).toBeGreaterThan(12);
    const failed = commands.find(({ code }) => code !== 0);
    expect(failed && `${failed.line}: ${failed.code} ${failed.aside}`).toBeUndefined();
    const printed = commands.map((one) => `$ ${one.line}\n${steady(one.printed)}`);
    expect(printed.join("\n")).toBe(commands.map((one) => `$ ${one.line}\n${steady(one.says)}`).join("\n"));
  });

  test("of the command line print what the program prints", { timeout: 400_000 }, async () => {
    symlinkSync(join(process.cwd(), "examples"), join(place.folder, "examples"));
    await place.furnish("guide", "kopia", [
      { path: "letters", folder: {} },
      { path: "letters/anna.txt", file: { text: "dear Anna\n" } },
      { path: "letters/bela.txt", file: { text: "dear Bela\n" } },
    ]);
    await place.create(backupScheduleResource, "guide", "nightly", {
      configRef: { name: "documents" },
      schedule: { cron: "0 3 1 1 *" },
    });
    await settled(place);
    const commands = guideCommands(readFileSync(GUIDE, "utf8"));
    expect(commands.length).toBeGreaterThan(15);
    for (const { line, prints } of commands) {
      await MEANWHILE[line]?.(place);
      const { code, stdout, stderr } = await place.run([...wordsOf(line), "-n", "guide"]);
      expect(`${code} ${stderr}`, `holdfast ${line}`).toMatch(/^0 /);
      expect(steady(stdout), `holdfast ${line}`).toBe(steady(prints));
    }
  });
});
