import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { EngineError } from "../wire/engine_error.ts";
import { foreignData, unlessOther } from "./other_engine.ts";

test.each([
  [
    "restic",
    [".shards", "kopia.blobcfg.f", "kopia.repository.f"],
    "a repository of kopia, and not of restic",
  ],
  ["kopia", ["config", "data", "index", "keys"], "a repository of restic, and not of kopia"],
  ["kopia", ["config"], "holds config, and is not a repository"],
  ["restic", ["a", "b", "c", "d"], "holds a, b, c, and is not a repository"],
] as const)("%s finds %j", (own, names, message) => {
  const error = foreignData("/repository", names, own);
  expect(error).toMatchObject({ class: "ForeignData", message: expect.stringContaining(message) });
  expect(error.remedy).toContain(message.startsWith("a repository") ? "Set the engine" : "empty");
});

test("a repository of the other engine is not taken for none, whoever may create one", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "other-engine-"));
  const { path } = folder;
  const none = new EngineError("NotARepository", "there is none");
  const backend = { filesystem: { path } };
  expect(await unlessOther(none, backend, "restic")).toBe(none);
  await writeFile(join(path, "kopia.repository.f"), "");
  expect(await unlessOther(none, backend, "restic")).toMatchObject({ class: "ForeignData" });
  expect(await unlessOther(none, backend, "kopia")).toBe(none);
  const away = new EngineError("Unreachable", "it is away");
  expect(await unlessOther(away, backend, "restic")).toBe(away);
});
