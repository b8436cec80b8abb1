import { describe, expect, test } from "vitest";
import { DERIVED_ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { BackupConfig, BackupConfigSpec } from "../../../kinds/kopiur/generated/backup_config.ts";
import { config } from "../testing/samples.ts";
import { type DerivationRequest, derivedDraft, derivedName, isDerivedFrom } from "./derived_config.ts";

const sources: BackupConfigSpec["sources"] = [
  { pvc: { name: "data" }, sourcePathStrategy: "PVCName" },
  {
    pvcSelector: { namespaceSelector: { matchNames: ["billing", "shop"] } },
    sourcePathStrategy: "PVCName",
  },
];
const KEEP = { keepDaily: 7, maxShrinkPercent: 50 };
const recipe = (spec: Partial<BackupConfigSpec> = {}) => config({ spec: { sources, ...spec } });

function specIn(namespace: string, spec: Partial<BackupConfigSpec>, more: Partial<DerivationRequest> = {}) {
  const draft = derivedDraft({ config: recipe(spec), namespace, ...more });
  if (!draft.ok) throw new Error(draft.error.why);
  return draft.value.spec;
}

describe("a BackupConfig that repeats another for the claims of one namespace", () => {
  test("is that namespace's, and says whom it repeats", () => {
    const draft = derivedDraft({ config: recipe(), namespace: "shop" });
    expect(draft).toMatchObject({
      ok: true,
      value: {
        metadata: {
          ...derivedName(recipe(), "shop"),
          annotations: {
            [DERIVED_ANNOTATIONS.from]: "billing/data",
            [DERIVED_ANNOTATIONS.uid]: "uid-data",
          },
        },
      },
    });
    const made = { ...recipe(), ...(draft.ok ? draft.value : {}) } as BackupConfig;
    expect(isDerivedFrom(made, recipe())).toBe(true);
    expect(isDerivedFrom(made, config({ metadata: { uid: "uid-of-a-later-one" } }))).toBe(false);
    expect(isDerivedFrom(recipe(), recipe())).toBe(false);
  });

  test("has the name that it had for a BackupConfig of that name before, and no other BackupConfig's", () => {
    const again = config({ metadata: { uid: "uid-of-a-later-one" } });
    expect(derivedName(again, "shop")).toEqual(derivedName(recipe(), "shop"));
    const elsewhere = config({ metadata: { namespace: "lab" } });
    expect(derivedName(elsewhere, "shop")).not.toEqual(derivedName(recipe(), "shop"));
  });

  test.each([
    ["shop", [{ pvcSelector: {}, sourcePathStrategy: "PVCName" }]],
    ["billing", [sources[0], { pvcSelector: {}, sourcePathStrategy: "PVCName" }]],
  ])("has the sources of %s alone", (namespace, own) => {
    expect(specIn(namespace, {}).sources).toEqual(own);
  });

  test("reads the repository where it is", () => {
    const here = { kind: "Repository", name: "nas" } as const;
    expect(specIn("shop", { repository: here }).repository).toEqual({ ...here, namespace: "billing" });
    expect(specIn("billing", { repository: here }).repository).toEqual(here);
    const shared = { kind: "ClusterRepository", name: "shared" } as const;
    expect(specIn("shop", { repository: shared }).repository).toEqual(shared);
  });

  test("records under the name of the BackupConfig, and the host of its own namespace", () => {
    const identity = { username: "u", hostname: "h" };
    expect(specIn("shop", {}).identity).toEqual({ username: "data" });
    expect(specIn("shop", { identity }).identity).toEqual({ username: "u" });
    expect(specIn("billing", { identity }).identity).toEqual(identity);
    const defaults = { usernameTemplate: "{{ .Namespace }}-{{ .ConfigName }}", hostnameTemplate: "prod" };
    expect(specIn("shop", {}, { defaults }).identity).toEqual({ username: "shop-data" });
  });

  test("lets nobody else have the snapshots of another namespace, whomever the BackupConfig lists", () => {
    const allowedNamespaces = { all: true } as const;
    expect(specIn("shop", { allowedNamespaces })).not.toHaveProperty("allowedNamespaces");
    expect(specIn("billing", { allowedNamespaces })).toMatchObject({ allowedNamespaces });
  });

  test("prunes by the days of the BackupConfig's schedules, unless the BackupConfig names others", () => {
    const timezone = "Europe/Vienna";
    expect(specIn("shop", { retention: KEEP }, { timezone }).retention).toEqual({ ...KEEP, timezone });
    const own = { ...KEEP, timezone: "Asia/Tokyo" };
    expect(specIn("shop", { retention: own }, { timezone }).retention).toEqual(own);
    expect(specIn("shop", {}, { timezone })).not.toHaveProperty("retention");
  });

  test("is refused where its identity could not be recorded", () => {
    const defaults = { usernameTemplate: "{{ .Nonsense }}" };
    expect(derivedDraft({ config: recipe(), namespace: "shop", defaults })).toMatchObject({
      ok: false,
      error: { reason: "InvalidIdentity" },
    });
  });
});
