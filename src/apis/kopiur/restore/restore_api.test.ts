import { expect, test } from "vitest";
import type { RestoreSpec } from "../../../kinds/kopiur/generated/restore.ts";
import { restore } from "../testing/samples.ts";
import { RESTORES } from "./restore_api.ts";

const options = (existingFiles: RestoreSpec["options"]["existingFiles"]) => {
  const { spec } = restore();
  return { ...spec, options: { ...spec.options, existingFiles } };
};

test.each(["path", "targetPath"] as const)("a %s that leads out of the volume is refused", (field) => {
  const { spec } = restore();
  const asked = { ...spec, options: { ...spec.options, [field]: "letters/../../etc" } };
  const refused = RESTORES.limit(asked, "kopia", undefined);
  expect(refused).toMatchObject({ reason: "PathRefused", field: `spec.options.${field}` });
});

test("what an engine cannot do is refused", () => {
  expect(RESTORES.limit(options("Keep"), "restic", undefined)).toBeUndefined();
  expect(RESTORES.limit(options("Keep"), "kopia", undefined)).toMatchObject({ reason: "Unsupported" });
});

test.each(["Engine", "Degraded"] as const)(
  "what kopia can do with full fidelity alone is refused: %s",
  (fidelity) => {
    const changed = options("OverwriteChanged");
    const refused = RESTORES.limit(changed, "kopia", fidelity);
    expect(refused).toMatchObject({ reason: "Unsupported", why: expect.stringContaining(fidelity) });
    expect(RESTORES.limit(changed, "kopia", "Full")).toBeUndefined();
    expect(RESTORES.limit(changed, "restic", fidelity)).toBeUndefined();
    expect(RESTORES.limit(options("Overwrite"), "kopia", fidelity)).toBeUndefined();
  },
);
