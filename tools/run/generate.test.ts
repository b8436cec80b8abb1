import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sampleKind } from "../../src/kube/schema/sample_kind.ts";
import { generate } from "./generate.ts";
import { kinds } from "./kinds.ts";

const entries = [{ kind: sampleKind, folder: "kinds/sample", reference: "docs" }];
const crd = "kinds/sample/generated/samples.crd.yaml";
let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "generate-"));
});
afterEach(() => rm(root, { recursive: true }));

describe("generate", () => {
  test("writes CRD, module, page and a list of CRDs, and then finds nothing to do", async () => {
    const first = await generate(entries, { root });
    expect(first.drift.map((line) => line.split(":")[0])).toEqual([
      "kinds/sample/generated/sample.ts",
      crd,
      "docs/sample.md",
      "kinds/sample/generated/crds.json",
    ]);
    expect(await generate(entries, { root, check: true })).toEqual({
      findings: [],
      failed: false,
      drift: [],
    });
  });

  test("puts the labels of a kind on its CRD", async () => {
    await generate(
      entries.map((entry) => ({ ...entry, labels: { "app.kubernetes.io/part-of": "sample" } })),
      { root },
    );
    expect(await readFile(join(root, crd), "utf8")).toContain(
      "metadata:\n  name: samples.sample.test.holdfast.dev\n  labels:\n    app.kubernetes.io/part-of: sample\n",
    );
  });

  test("with check fails on a changed file, says where, and leaves it", async () => {
    await generate(entries, { root });
    const text = await readFile(join(root, crd), "utf8");
    const changed = text.replace("kind: CustomResourceDefinition", "kind: Other");
    await writeFile(join(root, crd), changed);
    const result = await generate(entries, { root, check: true });
    expect(result.failed).toBe(true);
    expect(result.drift).toEqual([
      `${crd}: line 3 is "kind: Other", should be "kind: CustomResourceDefinition"`,
    ]);
    expect(await readFile(join(root, crd), "utf8")).toBe(changed);
  });

  test("removes what no kind generates any more", async () => {
    await generate(entries, { root });
    const old = join(root, "kinds/sample/generated/old.ts");
    await writeFile(old, "");
    expect((await generate(entries, { root, check: true })).failed).toBe(true);
    await generate(entries, { root });
    await expect(readFile(old)).rejects.toThrow("ENOENT");
  });

  test("writes nothing for a kind that the checker refuses", async () => {
    const broken = [{ kind: { ...sampleKind, plural: "Samples" }, folder: "kinds/sample" }];
    const result = await generate(broken, { root });
    expect(result.failed).toBe(true);
    expect(result.findings.join("\n")).toContain("Samples is not a DNS label");
    expect(result.drift).toEqual([]);
  });
});

test("the checked-in files are what the kinds generate", async () => {
  const result = await generate(kinds, { root: join(import.meta.dirname, "../.."), check: true });
  expect(result.drift).toEqual([]);
});
