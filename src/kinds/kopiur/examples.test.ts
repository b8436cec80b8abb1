import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import type { KubeObject } from "../../kube/object.ts";
import { admit } from "../../kube/schema/admit.ts";
import { celEvaluator } from "../../kube/schema/cel.ts";
import { problemText } from "../../kube/schema/problem.ts";
import { API_VERSION } from "./group.ts";
import { KINDS } from "./kinds.ts";

const root = join(import.meta.dirname, "../../..");
const files = globSync("examples/**/*.yaml", { cwd: root }).sort();
const documents = files.flatMap((file) =>
  parseAllDocuments(readFileSync(join(root, file), "utf8")).map((document) => ({
    file,
    object: document.toJS() as KubeObject,
  })),
);
/** What a ConfigMap of an example holds, for a Job of it to create. */
const held = documents.flatMap(({ file, object }) =>
  Object.values((object as { readonly data?: Readonly<Record<string, string>> }).data ?? {}).map((text) => ({
    file,
    object: parseAllDocuments(text)[0]?.toJS() as KubeObject,
  })),
);
const ours = [...documents, ...held].filter(({ object }) => object.apiVersion === API_VERSION);
const cel = celEvaluator();

describe("the examples", () => {
  test("are the eight of the README, and one for each further walkthrough", () => {
    expect(files.map((file) => basename(file)).filter((name) => /^\d/.test(name))).toEqual([
      "01-single-pvc-scheduled.yaml",
      "02-cluster-repository.yaml",
      "03-restore-by-backup.yaml",
      "04-multi-pvc-selector.yaml",
      "05-deploy-or-restore-gitops.yaml",
      "06-manual-backup.yaml",
      "07-restore-discovered.yaml",
      "08-maintenance.yaml",
      "09-suspended-schedule.yaml",
    ]);
  });

  test("have a drill that fails where there is nothing to restore", () => {
    const drills = held.map(({ object }) => object).filter(({ kind }) => kind === "Restore");
    expect(drills).toMatchObject([{ spec: { policy: { onMissingSnapshot: "Fail" } } }]);
  });

  test("show every kind", () => {
    expect(new Set(ours.map(({ object }) => object.kind))).toEqual(
      new Set(KINDS.map(({ resource }) => resource.kind)),
    );
  });

  test.each(
    ours.map(({ file, object }) => ({ file, kind: object.kind, name: object.metadata.name, object })),
  )("$file: $kind $name is taken as it is", ({ kind, object }) => {
    const known = KINDS.find(({ resource }) => resource.kind === kind);
    const { problems, unknown } = admit(known?.schema ?? {}, object, { cel });
    expect(problems.map(problemText)).toEqual([]);
    expect(unknown).toEqual([]);
    expect(object.metadata.namespace !== undefined).toBe(known?.resource.namespaced);
  });
});
