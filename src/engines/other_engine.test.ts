import { expect, test } from "vitest";
import { foreignData } from "./other_engine.ts";

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
