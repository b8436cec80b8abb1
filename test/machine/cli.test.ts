import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { type Backup, backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../src/kinds/kopiur/generated/backup_config.ts";
import { backupScheduleResource } from "../../src/kinds/kopiur/generated/backup_schedule.ts";
import { repositoryResource } from "../../src/kinds/kopiur/generated/repository.ts";
import { restoreResource } from "../../src/kinds/kopiur/generated/restore.ts";
import { Jobs, PersistentVolumeClaims } from "../../src/kube/builtin.ts";
import type { KubeObject } from "../../src/kube/object.ts";
import type { Resource } from "../../src/kube/resource.ts";
import type { Ended } from "../scenarios/cli_program.ts";
import { embeddedCan } from "../scenarios/embedded_world.ts";
import { SCENARIO_ENGINES } from "../scenarios/scenario_engines.ts";
import { withWorld } from "../scenarios/with_world.ts";
import { migratesFromVolsync } from "./cli_migrate.ts";
import { CliPlace } from "./cli_place.ts";

/* The command line as people use it: the bundled program, a kubeconfig, and real engines behind the API. */

const TREE = [
  { path: "letters", folder: {} },
  { path: "letters/anna.txt", file: { text: "dear Anna\n" } },
  { path: "letters/bela.txt", file: { text: "dear Bela\n" } },
  { path: "photo.raw", file: { random: { bytes: 300_000, seed: 1 } } },
] as const;

describe.runIf(embeddedCan)("holdfast", () => {
  let place: CliPlace;

  withWorld(CliPlace.open, (opened) => {
    place = opened;
  });

  const holdfast = (line: string) => place.run(line.split(" "));

  /** What it prints; it must succeed. */
  const done = async (line: string): Promise<string> => {
    const { code, stdout, stderr } = await holdfast(line);
    expect(`${code}\n${stderr}`, `holdfast ${line}`).toMatch(/^0\n/);
    return stdout;
  };

  /** The command line's own sessions that nobody has taken away. */
  const sessions = async (namespace: string): Promise<readonly string[]> => {
    const labelSelector = "holdfast.dev/cli-session";
    const { items } = await place.client.list(Jobs, { namespace, labelSelector });
    return items.filter(({ metadata }) => !metadata.deletionTimestamp).map(({ metadata }) => metadata.name);
  };

  describe.each(SCENARIO_ENGINES)("with %s", (engine) => {
    const in_ = (line: string) => `${line} -n ${engine}`;

    test("goes from no backup at all to a volume that is back", { timeout: 240_000 }, async () => {
      await place.furnish(engine, engine, TREE);
      await place.claim(engine, "forgotten");
      const before = await done(in_("status"));
      expect(before).toContain(`0 of 2 volumes in namespace ${engine} are protected`);
      expect(before).toMatch(/^forgotten +no .*no BackupConfig names it$/m);
      expect(before).toMatch(/^documents +not yet/m);

      const saved = await holdfast(in_("backup now documents --name first --tag why=test"));
      expect(saved).toMatchObject({ code: 0 });
      expect(saved.stdout).toMatch(/^backup\/first succeeded: .*\d files/);
      expect(saved.stderr).toMatch(/^backup\/first is made\n(.*\n)*Running(.*\n)*Succeeded\n$/);
      expect(await done(in_("list"))).toMatch(/^first +Succeeded +manual +documents +documents/m);
      expect(await done(in_("list backups -o name"))).toBe("backup.kopiur.home-operations.com/first\n");
      const shown = JSON.parse(await done(in_("list backups -o json"))) as {
        readonly items: readonly Backup[];
      };
      expect(shown).toMatchObject({
        kind: "List",
        items: [{ kind: "Backup", spec: { tags: { why: "test" } } }],
      });
      expect(await done(in_("list backups -o yaml"))).toContain("kind: Backup\n");
      expect(await done(in_("status"))).toMatch(/^documents +by hand +(\d+[ms])+ ago/m);

      const plan = in_("restore config/documents --to copy --privileged");
      const asked = await holdfast(plan);
      expect(asked).toMatchObject({ code: 6, stdout: "" });
      expect(asked.stderr).toMatch(
        /from {2}the newest snapshot of volume \S+\/documents of config documents: backup first, /,
      );
      expect(asked.stderr).toContain(`to    a new claim ${engine}/copy of 100Mi, ReadWriteOnce`);
      expect(await done(in_("list restores"))).toBe(`There are no restores in namespace ${engine}.\n`);

      expect(await done(`${plan} --yes --name back`)).toMatch(/^restore\/back is done: /);
      const copy = await place.volume(engine, "copy");
      expect(readFileSync(join(copy, "letters/anna.txt"), "utf8")).toBe("dear Anna\n");
      expect(await done(in_("explain restore/back"))).toMatch(/^Restore back is Completed/);

      const again = await holdfast(`${plan} --yes --name again`);
      expect(again).toMatchObject({ code: 2, stdout: "" });
      expect(again.stderr).toContain("is there already, and --to makes a new one");
      expect(await done(in_("list restores -o name"))).toBe("restore.kopiur.home-operations.com/back\n");
    });

    test("looks into backups without restoring them", { timeout: 240_000 }, async () => {
      await place.put(engine, "documents", [
        { path: "letters/anna.txt", file: { text: "dear Anna, once more\n" } },
        { path: "letters/carl.txt", file: { text: "dear Carl\n" } },
      ]);
      await done(in_("backup now documents --name second"));
      expect(await done(in_("ls first letters -o name"))).toBe("anna.txt\nbela.txt\n");
      expect(await done(in_("ls config/documents"))).toMatch(/^-rw.* 293\.0 KiB .* photo\.raw$/m);
      expect(await done(in_("cat first /letters/anna.txt"))).toBe("dear Anna\n");
      expect(await done(in_("cat config/documents letters/anna.txt"))).toBe("dear Anna, once more\n");
      const changes = await done(in_("diff first second"));
      expect(changes).toContain("~ letters/anna.txt (size");
      expect(changes).toContain("+ letters/carl.txt\n");
      expect(changes).not.toContain("bela");
      const found = await done(in_("find documents anna.*"));
      expect(found).toMatch(/^letters\/anna\.txt +10 B .* first +first +1$/m);
      expect(found).toMatch(/^letters\/anna\.txt +21 B .* second +second +1$/m);
      const missing = await holdfast(in_("cat first nothing.txt"));
      expect(missing).toMatchObject({ code: 3, stdout: "" });
      expect(missing.stderr).toMatch(/^error: .*nothing.*\n(.*\n)* {2}fix: /);
      const nowhere = await holdfast(in_("find documents nothing* -o json"));
      expect(nowhere).toMatchObject({ code: 3, stdout: "[]\n" });
      expect(nowhere.stderr).toContain("nothing* is in none of 2 backups");
      const target = `fetched-${engine}`;
      expect(await done(in_(`download second / --to ${target}`))).toMatch(/^4 files, /);
      const photo = readFileSync(join(place.folder, target, "photo.raw"));
      expect(photo.equals(readFileSync(join(await place.volume(engine, "documents"), "photo.raw")))).toBe(
        true,
      );
      const again = await holdfast(in_(`download second photo.raw --to ${target}/photo.raw`));
      expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("is there already") });
      expect(await sessions(engine)).toEqual([]);
    });

    test("does not let a mistake cost a backup", { timeout: 240_000 }, async () => {
      const { client } = place;
      const store = { namespace: engine, name: "repository" };
      await expect(client.delete(PersistentVolumeClaims, store)).rejects.toThrow(
        /holds the repository of Repository/,
      );
      expect(await done(in_("hold first"))).toContain("cannot be deleted");
      const first = { namespace: engine, name: "first" };
      await expect(client.delete(backupResource, first)).rejects.toThrow(/is held by the annotation/);
      const refused = await holdfast(in_("delete first --yes"));
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("Backup first is held") });
      await done(in_("unhold first"));
      expect(await done(in_("describe first"))).toMatch(/^Backup first in namespace .*: Succeeded/);
      const retried = await holdfast(in_("retry first"));
      expect(retried).toMatchObject({ code: 2, stderr: expect.stringContaining("is not tried again") });
    });

    test("restores one folder in place, with a backup first, and undoes it", {
      timeout: 240_000,
    }, async () => {
      const volume = await place.volume(engine, "documents");
      const letters = () => readdirSync(join(volume, "letters")).toSorted();
      rmSync(join(volume, "letters/bela.txt"));
      writeFileSync(join(volume, "letters/new.txt"), "new\n");
      writeFileSync(join(volume, "other.txt"), "other\n");
      const folder = in_(
        "restore backup/second --into documents --path /letters --delete-extra --name folder",
      );
      const plan = await done(`${folder} --dry-run`);
      expect(plan).toContain(
        "only letters, to the place where it was; the rest of the volume stays as it is",
      );
      expect(plan).toContain("DELETED, below letters alone");
      expect(plan).toContain("a backup of documents is made, by config documents");
      expect(await done(`${folder} --yes`)).toMatch(/^restore\/folder is done: /);
      expect(letters()).toEqual(["anna.txt", "bela.txt", "carl.txt"]);
      expect(readFileSync(join(volume, "other.txt"), "utf8")).toBe("other\n");
      expect(await done(in_("cat config/documents letters/bela.txt"))).toBe("dear Bela\n");

      expect(await done(in_("restore --undo --yes --name undo"))).toMatch(/^restore\/undo is done: /);
      expect(letters()).toEqual(["anna.txt", "carl.txt", "new.txt"]);
      const upwards = await holdfast(in_("restore backup/second --into documents --path ../etc --yes"));
      expect(upwards).toMatchObject({ code: 2, stderr: expect.stringContaining("lead out of the volume") });
      const store = await holdfast(in_("restore backup/second --into repository --delete-extra --yes"));
      expect(store).toMatchObject({ code: 2, stderr: expect.stringContaining("holds the backups of") });
    });

    test("ends, and takes its session away, when its output is lost", { timeout: 240_000 }, async () => {
      const cat = in_("cat first photo.raw").split(" ");
      expect(await place.runInto("closed", cat)).toEqual({ code: 0, stderr: "" });
      expect(await sessions(engine)).toEqual([]);
      const full = await place.runInto("full", cat);
      expect(full).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("the output cannot be written"),
      });
      expect(await sessions(engine)).toEqual([]);
    });

    test("maintains and checks the repository", { timeout: 240_000 }, async () => {
      expect(await done(in_("maintenance run repository --mode full"))).toMatch(
        /^maintenance\/repository: the full run is done/,
      );
      expect(await done(in_("verify repository"))).toMatch(
        /^the structure of the repository is sound: the check of \d{4}-.*read none of the stored data/,
      );
      expect(await done(in_("verify repository --data-percent 100"))).toMatch(/read all stored data\n$/);
      expect(await done(in_("verify backup/first"))).toMatch(/^backup\/first of .* can be read: /);
      expect(await done(in_("list maintenances"))).toMatch(/^repository +Ready .* healthy, (\d+[ms])+ ago/m);
    });
  });

  test("suspends a schedule, and resumes it", { timeout: 120_000 }, async () => {
    const schedule = { configRef: { name: "documents" }, schedule: { cron: "0 3 * * *" } };
    await place.furnish("scheduled", "kopia", []);
    await place.create(backupScheduleResource, "scheduled", "nightly", schedule);
    expect(await done("suspend schedule/nightly -n scheduled")).toContain("begins no more runs");
    expect(await done("status -n scheduled")).toContain("schedule/nightly: it is suspended");
    expect(await done("resume nightly -n scheduled")).toContain("begins runs again");
    const { spec } = await place.client.get(backupScheduleResource, {
      namespace: "scheduled",
      name: "nightly",
    });
    expect(spec.schedule.suspend).toBe(false);
  });

  test("cancels a backup, and says of one that has ended that it cannot be", {
    timeout: 120_000,
  }, async () => {
    // The repository is not made, so it waits.
    await place.furnish("cancelled", "kopia", [], { locked: true });
    expect(await done("backup now documents -n cancelled --name waits --no-wait")).toBe(
      "backup/waits is made\n",
    );
    expect(await done("cancel backup/waits -n cancelled")).toBe("Backup waits is asked to end.\n");
    const name = { namespace: "cancelled", name: "waits" };
    while ((await place.client.get(backupResource, name)).status?.phase !== "Failed") await pause(50);
    const again = await holdfast("cancel backup/waits -n cancelled");
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("It has ended: it is Failed.") });
    expect(await done("explain backup/waits -n cancelled")).toMatch(/^Backup waits is Failed/);
  });

  test("finds nothing broken in a world that works", { timeout: 120_000 }, async () => {
    const findings = await done("doctor -n default");
    expect(findings).toMatch(/^ok +all 7 kinds of kopiur are served$/m);
    expect(findings).toMatch(/^ok +the validating webhooks holdfast-kopiur are in place$/m);
    expect(findings).not.toMatch(/^error/m);
    expect(JSON.parse(await done("doctor -n default -o json"))).toContainEqual({
      level: "ok",
      what: "every storage class has a snapshot class",
    });
  });

  test("migrates from VolSync: what it prints can be applied", { timeout: 120_000 }, async () => {
    const file = join(place.folder, "volsync.yaml");
    writeFileSync(
      file,
      `apiVersion: v1
kind: Secret
metadata: {name: photos-restic, namespace: default}
stringData: {RESTIC_REPOSITORY: "s3:http://127.0.0.1:1/backups/photos", RESTIC_PASSWORD: hush}
---
apiVersion: volsync.backube/v1alpha1
kind: ReplicationSource
metadata: {name: photos, namespace: default}
spec:
  sourcePVC: photos
  trigger: {schedule: "17 3 * * *"}
  restic: {repository: photos-restic, copyMethod: Direct, retain: {daily: 7}, pruneIntervalDays: 7}
---
apiVersion: volsync.backube/v1alpha1
kind: ReplicationDestination
metadata: {name: photos-dst, namespace: default}
spec:
  trigger: {manual: restore-once}
  restic: {repository: photos-restic, copyMethod: Snapshot, capacity: 5Gi}
`,
    );
    const { code, stdout, stderr } = await holdfast(`migrate volsync ${file}`);
    expect(code).toBe(0);
    expect(stderr).toContain("✗ spec.restic.pruneIntervalDays is left out:");
    expect(stdout + stderr).not.toContain("hush");
    const manifests = parseAllDocuments(stdout).map((one) => one.toJS() as KubeObject);
    expect(manifests.map(({ kind }) => kind)).toEqual([
      "Repository",
      "BackupConfig",
      "BackupSchedule",
      "Restore",
    ]);
    const kinds = [repositoryResource, backupConfigResource, backupScheduleResource, restoreResource];
    for (const [index, manifest] of manifests.entries()) {
      const resource = kinds[index] as Resource;
      const warnings: string[] = [];
      await place.client.create(resource, manifest, {
        fieldValidation: "Strict",
        dryRun: true,
        onWarning: (text) => warnings.push(text),
      });
      expect(warnings.filter((text) => text.includes("unknown field"))).toEqual([]);
    }
    expect(await holdfast("migrate volsync -n default")).toMatchObject({ code: 3 });
  });

  migratesFromVolsync(() => place, done);

  test.each<[line: string, code: number, says: string]>([
    ["statsu", 2, "there is no command statsu"],
    ["status --tag a=b", 2, "status has no option --tag"],
    ["backup now", 2, "backup now needs <config>"],
    ["list shoes", 2, 'there is no kind "shoes"'],
    ["backup now nothing -n default", 3, 'backupconfigs.kopiur.home-operations.com "nothing" not found'],
    ["status --kubeconfig /nowhere", 5, "cannot load the kubeconfig"],
    ["status --context other", 5, "cannot load the kubeconfig"],
  ])("holdfast %s ends with %i", { timeout: 120_000 }, async (line, code, says) => {
    const ended: Ended = await holdfast(line);
    expect(ended).toMatchObject({ code, stdout: "" });
    expect(ended.stderr).toContain(`error: ${says}`);
    expect(ended.stderr).toContain("\n  fix: ");
  });
});
