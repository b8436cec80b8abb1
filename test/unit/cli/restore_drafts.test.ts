import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { restoreResource } from "../../../src/kinds/kopiur/generated/restore.ts";
import { CliGround } from "./cli_ground.ts";

/* Every kind of Restore that the command line writes is shown to an API server, which has the schema and its rules. */

let ground: CliGround;

beforeAll(async () => {
  ground = await CliGround.open();
}, 60_000);

afterAll(() => ground[Symbol.asyncDispose]());

const IDENTITY = "u@h:/d --repository r";
const whose = { username: "u", hostname: "h", sourcePath: "/d" };
const overwrite = { existingFiles: "Overwrite" };

test.each<[line: string, spec: object]>([
  [
    `${IDENTITY} --to copy --capacity 1Gi`,
    {
      repository: { kind: "Repository", name: "r" },
      source: { identity: whose },
      target: { pvc: { name: "copy", capacity: "1Gi", accessModes: ["ReadWriteOnce"] } },
      policy: { onMissingSnapshot: "Fail" },
    },
  ],
  [
    `${IDENTITY} --into old --snapshot k1 --from-namespace away`,
    {
      repository: { name: "r", namespace: "away" },
      source: { identity: { ...whose, snapshotID: "k1" } },
      options: overwrite,
    },
  ],
  [
    "u@h:/d --repository clusterrepository/all --for-claims --as-of 2026-01-01T00:00:00Z --offset 2",
    {
      repository: { kind: "ClusterRepository", name: "all" },
      source: { identity: { ...whose, asOf: "2026-01-01T00:00:00Z", offset: 2 } },
    },
  ],
  [
    "config/c --for-claims --pvc /data --ownership Exact --privileged",
    {
      source: { fromConfig: { name: "c", sourcePath: "/data" } },
      options: { ...overwrite, ownership: "Exact" },
      mover: { privilegedMode: true },
    },
  ],
])("restore %s is what an API server takes", async (line, spec) => {
  const { code, stdout, stderr } = await ground.run(`restore ${line} --dry-run -o yaml`);
  expect([code, stderr]).toEqual([0, ""]);
  const shown = parse(stdout);
  expect(shown).toMatchObject({ kind: "Restore", spec });
  expect("target" in shown.spec).toBe(!line.includes("--for-claims"));
  expect((await ground.run(`restore ${line} --dry-run`)).code).toBe(0);
  expect((await ground.client.list(restoreResource, { namespace: "default" })).items).toEqual([]);
});

test("what the schema refuses is refused before anybody is asked", async () => {
  const { code, stderr } = await ground.run(`restore ${IDENTITY} --to copy --capacity much --yes`);
  expect([code, stderr]).toEqual([2, expect.stringContaining('--capacity is "much", which is no size')]);
});
