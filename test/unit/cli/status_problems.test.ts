import { expect, test } from "vitest";
import { statusLines } from "../../../src/cli/status/status_lines.ts";
import {
  backupOf,
  claim,
  condition,
  NOW,
  native,
  plain,
  recipe,
  scheduleOf,
} from "../../../src/cli/testing/cli_samples.ts";
import { TARGET_INCOMPLETE } from "../../../src/core/volumes/half_written.ts";
import { STAGED_FOR } from "../../../src/core/volumes/staging/staged_marks.ts";
import { DERIVED_ANNOTATIONS } from "../../../src/kinds/kopiur/annotations.ts";
import type { Backup } from "../../../src/kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../../src/kinds/kopiur/generated/backup_config.ts";
import type { BackupSchedule } from "../../../src/kinds/kopiur/generated/backup_schedule.ts";
import type { Repository } from "../../../src/kinds/kopiur/generated/repository.ts";
import type { Restore } from "../../../src/kinds/kopiur/generated/restore.ts";
import { type Seen, viewOfSeen } from "./view_of_seen.ts";

const overview = (seen: Seen) => viewOfSeen(seen, NOW);
const problems = (seen: Seen) =>
  overview(seen).problems.map(({ object, why }) => `${object.kind} ${object.name}: ${why}`);

const notReady = (reason: string, message: string) => ({
  conditions: [condition("Ready", "False", reason, message)],
});
const named = (...names: readonly string[]) => {
  const config = recipe("data");
  const sources = names.map((name) => ({ pvc: { name } }));
  return { ...config, spec: { ...config.spec, sources } } as unknown as BackupConfig;
};
const selecting = (status: object) => {
  const config = recipe("all", status);
  return { ...config, spec: { ...config.spec, sources: [{ pvcSelector: {} }] } } as unknown as BackupConfig;
};
const none = { phase: "Failed", resolved: {}, ...notReady("NoSources", "No claim matches.") };
const noRecipe = scheduleOf("gone", {}, notReady("ConfigNotFound", "BackupConfig home/gone does not exist."));
const inOps = <T extends BackupConfig | BackupSchedule>(object: T): T => ({
  ...object,
  metadata: { ...object.metadata, namespace: "ops" },
});
/** One that stands beside claims here for the recipe `ops/all`. */
const repeated = (config: BackupConfig): BackupConfig => ({
  ...config,
  metadata: { ...config.metadata, annotations: { [DERIVED_ANNOTATIONS.from]: "ops/all" } },
});
const shelf = native<Repository>("Repository", "store", {
  spec: { engine: "kopia", backend: { filesystem: { pvc: { name: "data" } } } },
  status: { phase: "Ready" },
});
const waiting = (reason: string, message: string) =>
  ({
    ...shelf,
    status: {
      phase: "Initializing",
      conditions: [
        condition("Ready", "False", reason, message),
        condition("Reconciling", "True", reason, message),
      ],
    },
  }) as Repository;
const restoreInto = (name: string, phase: string, creationTimestamp: string) => {
  const made = native<Restore>("Restore", `${name}-${phase}`, {
    spec: { target: { pvcRef: { name } } },
    status: { phase },
  });
  return { ...made, metadata: { ...made.metadata, creationTimestamp } };
};
const failed = recipe("data", { phase: "Failed", ...notReady("Bad", "no such class") });

test.each<[what: string, seen: Seen, told: readonly string[]]>([
  [
    "a claim that was backed up is gone",
    {
      configs: [recipe("data")],
      schedules: [scheduleOf("data")],
      backups: [backupOf("data", "good", {})],
    },
    [],
  ],
  [
    "a repository waits for its Secret",
    { repositories: [waiting("SecretMissing", "no Secret")] },
    ["Repository store: no Secret"],
  ],
  ["a repository is being connected to", { repositories: [waiting("Running", "connecting")] }, []],
  [
    "a repository's list cannot be read",
    {
      repositories: [
        {
          ...shelf,
          status: {
            phase: "Ready",
            conditions: [condition("CatalogCurrent", "False", "Unschedulable", "no claim")],
          },
        } as Repository,
      ],
    },
    ["Repository store: no claim"],
  ],
  [
    "a Restore failed, and a later one into the same claim did not",
    {
      restores: [
        restoreInto("data", "Failed", "2026-05-24T00:00:00Z"),
        restoreInto("data", "Completed", "2026-05-24T01:00:00Z"),
      ],
    },
    [],
  ],
  [
    "a Restore failed after another one",
    {
      restores: [
        restoreInto("data", "Completed", "2026-05-24T00:00:00Z"),
        restoreInto("data", "Failed", "2026-05-24T01:00:00Z"),
      ],
    },
    ["Restore data-Failed: no reason is known"],
  ],
  [
    "one of the claims of a recipe is gone",
    { claims: [claim("data")], configs: [named("data", "more", "most")] },
    ["BackupConfig data: not there: home/more, home/most"],
  ],
  ["the claims of a recipe are there", { claims: [claim("data")], configs: [recipe("data")] }, []],
  [
    "a claim that a recipe names is there and on no row",
    { claims: [claim("data", { [STAGED_FOR]: "uid" })], configs: [recipe("data")] },
    [],
  ],
  ["a claim that was selected is gone, and the next Backup does without", { configs: [selecting({})] }, []],
  ["a selector matches nothing", { configs: [selecting(none)] }, ["BackupConfig all: No claim matches."]],
  [
    "a recipe over several namespaces has nothing in one",
    { configs: [inOps(selecting({ resolved: {} })), repeated(selecting(none))] },
    [],
  ],
  [
    "what repeats such a recipe is broken",
    { configs: [repeated(selecting({ ...none, ...notReady("Bad", "no such class") }))] },
    ["BackupConfig all: no such class"],
  ],
  [
    "a recipe over several namespaces can be run in some",
    {
      configs: [
        selecting({
          phase: "Degraded",
          resolved: {},
          conditions: [condition("Ready", "True", "ResolvedInPart", "Not in lab.")],
        }),
      ],
    },
    ["BackupConfig all: Not in lab."],
  ],
  ["a broken recipe is in the row of its volume", { claims: [claim("data")], configs: [failed] }, []],
  [
    "a broken recipe is of a claim that holds a repository",
    { claims: [claim("data")], configs: [failed], repositories: [shelf] },
    ["BackupConfig data: no such class"],
  ],
  [
    "a schedule names no recipe",
    { schedules: [noRecipe] },
    ["BackupSchedule gone-nightly: BackupConfig home/gone does not exist."],
  ],
  [
    "a broken schedule is in the row of its volume",
    {
      claims: [claim("data")],
      configs: [recipe("data")],
      schedules: [scheduleOf("data", {}, notReady("Bad", "no such zone"))],
    },
    [],
  ],
  [
    "a schedule only says that its recipe is broken",
    {
      configs: [selecting(none)],
      schedules: [scheduleOf("all", {}, notReady("ConfigNotReady", "BackupConfig home/all cannot be run."))],
    },
    ["BackupConfig all: No claim matches."],
  ],
  [
    "a schedule is of a namespace that was asked only for the schedules of a repeated recipe",
    { claims: [claim("all")], configs: [repeated(selecting({}))], schedules: [inOps(noRecipe)] },
    [],
  ],
  [
    "a schedule is of a namespace that such a recipe is of and that is on the screen",
    {
      claims: [claim("all")],
      configs: [repeated(selecting({})), inOps(selecting({ resolved: {} }))],
      schedules: [inOps(noRecipe)],
    },
    ["BackupSchedule gone-nightly: BackupConfig home/gone does not exist."],
  ],
])("%s", (_, seen, told) => {
  expect(problems(seen)).toEqual(told);
});

test("where no volume is left, the first line says that something is wrong", () => {
  const options = { now: NOW, paint: plain, all: false, wide: false, place: "namespace home" };
  expect(statusLines(overview({ configs: [recipe("data")], schedules: [noRecipe] }), options)).toEqual([
    "There are no volumes to protect in namespace home; 2 things need a look.",
    "",
    "wrong: BackupConfig data: not there: home/data",
    "wrong: BackupSchedule gone-nightly: BackupConfig home/gone does not exist.",
  ]);
  expect(statusLines(overview({}), options)).toEqual(["There are no volumes to protect in namespace home."]);
});

test("a volume that is well does not hide that another is gone", () => {
  const lines = statusLines(
    overview({
      claims: [claim("data")],
      configs: [recipe("data"), recipe("attic")],
      schedules: [scheduleOf("data")],
      backups: [backupOf("data", "good", {})],
    }),
    { now: NOW, paint: plain, all: true, wide: false, place: "all namespaces" },
  );
  expect(lines[0]).toBe("1 of 1 volume in all namespaces is protected; 1 thing needs a look.");
  expect(lines.at(-1)).toBe("wrong: BackupConfig home/attic: not there: home/attic");
});

test("a claim that is gone has a row, with the command that brings it back", () => {
  const view = overview({ configs: [recipe("data")], backups: [backupOf("data", "good", {})] });
  expect(view.lost).toMatchObject([
    {
      claim: "home/data",
      lastGood: { object: { name: "good" } },
      restore: "holdfast restore config/data --to data -n home",
    },
  ]);
  const lines = statusLines(view, {
    now: NOW,
    paint: plain,
    all: false,
    wide: false,
    place: "namespace home",
  });
  expect(lines[0]).toBe("There are no volumes to protect in namespace home; 1 thing needs a look.");
  expect(lines[2]).toMatch(/^LOST VOLUME +LAST GOOD BACKUP +SIZE +BRING IT BACK/);
  expect(lines[3]).toMatch(/^data .* holdfast restore config\/data --to data -n home$/);
});

test("a backup that was made after damage was found is not the last good one", () => {
  const damaged = {
    ...shelf,
    metadata: { ...shelf.metadata, uid: "uid-store" },
    status: {
      phase: "Degraded",
      conditions: [
        {
          ...condition("Intact", "False", "DataMissing", "lost"),
          lastTransitionTime: "2026-05-24T02:00:00Z",
        },
      ],
    },
  } as Repository;
  const made = (name: string, endTime: string) =>
    backupOf("data", name, {
      timing: { endTime },
      resolved: { repository: { kind: "Repository", name: "store", uid: "uid-store", uniqueID: "id" } },
    });
  const { volumes } = overview({
    claims: [claim("data")],
    configs: [recipe("data")],
    repositories: [
      {
        ...damaged,
        spec: { ...damaged.spec, backend: { filesystem: { pvc: { name: "shelf" }, path: "/" } } },
      } as Repository,
    ],
    backups: [made("before", "2026-05-24T01:00:00Z"), made("after", "2026-05-24T03:00:00Z")],
  });
  expect(volumes[0]?.lastGood?.object.name).toBe("before");
  expect(volumes[0]?.wrong.join()).toContain("backup/after does not count as good: it was made after damage");
});

test("a Backup from before a restore is not the last good one, and no trouble either", () => {
  const at = (name: string, time: string, tags: object = {}) => {
    const made = backupOf("data", name, { timing: { startTime: time, endTime: time } });
    return { ...made, spec: { ...made.spec, ...tags } } as Backup;
  };
  const safety = at("before-r", "2026-05-24T03:00:00Z", { tags: { "before-restore": "r" } });
  const backups = [at("good", "2026-05-24T01:00:00Z"), safety];
  const { volumes } = overview({ claims: [claim("data")], configs: [recipe("data")], backups });
  expect(volumes[0]).toMatchObject({ lastGood: { object: { name: "good" } }, wrong: [] });
  const { lost } = overview({ configs: [recipe("data")], backups });
  expect(lost[0]?.lastGood.object.name).toBe("good");
});

test("a Backup of an emptied volume is not the last good one, also where retention says nothing", () => {
  const of = (name: string, at: string, sizeBytes: number) => {
    const made = backupOf("data", name, { timing: { startTime: at, endTime: at } });
    const [snapshot] = made.status?.snapshots ?? [];
    return { ...made, status: { ...made.status, snapshots: [{ ...snapshot, sizeBytes }] } } as Backup;
  };
  const backups = [of("full", "2026-05-24T01:00:00Z", 1000), of("empty", "2026-05-24T03:00:00Z", 0)];
  const { volumes } = overview({ claims: [claim("data")], configs: [recipe("data")], backups });
  expect(volumes[0]?.lastGood?.object.name).toBe("full");
  expect(volumes[0]?.wrong).toEqual([
    "backup/empty does not count as good: the source had shrunk to 0 bytes, from 1000 before",
  ]);
  const { lost } = overview({ configs: [recipe("data")], backups });
  expect(lost[0]?.lastGood.object.name).toBe("full");
});

test("the row of a volume says that it is half written when the restore is gone, and not while one works", () => {
  const uid = "uid-back";
  const annotations = { [TARGET_INCOMPLETE]: `restore/back 2026-05-24T02:00:00Z ${uid}` };
  const data = claim("data");
  const claims = [{ ...data, metadata: { ...data.metadata, annotations } }];
  const rows = (restores: readonly Restore[]) => overview({ claims, configs: [recipe("data")], restores });
  const said = expect.stringContaining("HALF WRITTEN: restore/back did not complete");
  expect(rows([]).volumes[0]?.wrong).toContainEqual(said);
  const working = native<Restore>("Restore", "back", { spec: { target: { pvcRef: { name: "data" } } } });
  const known = { ...working, metadata: { ...working.metadata, uid } };
  expect(rows([known]).volumes[0]?.wrong).not.toContainEqual(said);
});

test.each([
  ["with a BackupConfig", [recipe("data")]],
  ["without one", []],
])("the row of a volume %s says that a restore left it half written", (_, configs) => {
  const broken = native<Restore>("Restore", "back", {
    spec: { target: { pvcRef: { name: "data" } } },
    status: {
      phase: "Failed",
      conditions: [condition("TargetIncomplete", "True", "RestoreBrokenOff", "half")],
    },
  });
  const [row] = overview({ claims: [claim("data")], configs, restores: [broken] }).volumes;
  expect(row?.wrong).toContain(
    "HALF WRITTEN: restore/back did not complete; use nothing of the volume before a restore into it does",
  );
});
