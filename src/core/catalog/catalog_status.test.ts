import { describe, expect, test } from "vitest";
import { blocked, refused, waits } from "../reconcile/problem.ts";
import { AT, GROUP, NOW } from "../testing/samples.ts";
import type { CatalogedState } from "./catalog_repository.ts";
import { catalogNews, refreshedStatus, switchedOffStatus, unreadStatus } from "./catalog_status.ts";
import { refreshDue } from "./refresh_due.ts";
import type { Survey } from "./survey.ts";
import { catalogNas } from "./testing/samples.ts";

const MINUTE = 60_000;
const at = (minutes: number) => `${new Date(NOW + minutes * MINUTE).toISOString().slice(0, 19)}Z`;
const asking = (value: string) => ({ annotations: { [`${GROUP}/refresh-catalog`]: value } });

const SURVEY: Survey = {
  total: 3,
  logicalBytes: 500,
  identities: [{ identity: "data@billing:/pvc/data", snapshots: 3, newestAt: "2026-05-24T02:12:00.5Z" }],
  shown: [],
  hidden: 1,
  listed: new Set(),
  missing: new Map(),
  pinned: new Set(),
};

describe("refreshedStatus()", () => {
  const asked = catalogNas({ metadata: asking("now"), status: { catalog: { failures: 3 } } });
  const status = (more: object = {}, repository = asked) =>
    refreshedStatus(repository, { asked, survey: SURVEY, shown: 2, hidden: 1, ...more }, NOW);

  test("says what there is, and when it is looked at again", () => {
    expect(status()).toMatchObject({
      phase: "Ready",
      uniqueID: "id-1",
      storageStats: { snapshotCount: 3, logicalBytes: 500 },
      catalog: {
        discoveredBackupCount: 2,
        hiddenSnapshotCount: 1,
        identityCount: 1,
        identities: [{ identity: "data@billing:/pvc/data", snapshots: 3, newestAt: "2026-05-24T02:12:00Z" }],
        lastRefreshAt: AT,
        nextRefreshAt: at(5),
        handledRefreshRequest: "now",
        observedGeneration: 1,
      },
    });
    expect(status().catalog?.failures).toBeUndefined();
    expect(status().conditions).toContainEqual(
      expect.objectContaining({
        type: "CatalogCurrent",
        status: "True",
        message: "The repository holds 3 snapshots of 1 identity; 2 are shown as backups, 1 are not.",
      }),
    );
  });

  test("leaves it to the contacts to say when the repository was measured", () => {
    const contact = { lastContactAt: at(-30), storageStats: { storedBytes: 9, lastObservedAt: at(-30) } };
    expect(status({}, catalogNas({ status: contact }))).toMatchObject(contact);
  });

  test("an edit that came meanwhile has its own turn", () => {
    const edited = catalogNas({ metadata: { ...asking("again"), generation: 2 } });
    const written = catalogNas({ metadata: edited.metadata, status: status({}, edited) });
    expect(refreshDue(written, NOW)).toBe(NOW);
  });

  test("says what to do about a shrinkage, and goes on saying it of the same moment", () => {
    const first = status({ shrunk: { missing: 6, known: 8 } });
    const condition = first.conditions?.find(({ type }) => type === "CatalogShrunk");
    expect(condition).toMatchObject({ status: "True", lastTransitionTime: AT });
    expect(condition?.message).toContain(`set the annotation ${GROUP}/acknowledge-catalog-shrink to ${AT}.`);
    const later = refreshedStatus(
      catalogNas({ status: first }),
      { asked, survey: SURVEY, shown: 2, hidden: 1, shrunk: { missing: 7, known: 8 } },
      NOW + 5 * MINUTE,
    );
    expect(later.conditions?.find(({ type }) => type === "CatalogShrunk")?.message).toContain(AT);
    const over = status({}, catalogNas({ status: first }));
    expect(over.conditions?.map(({ type }) => type)).toEqual(["CatalogCurrent"]);
  });

  test("lists a dozen identities, those with the most snapshots", () => {
    const identities = Array.from({ length: 40 }, (_, n) => ({
      identity: `${"x".repeat(300)}${n}`,
      snapshots: n,
      newestAt: "never",
    }));
    const { catalog } = status({ survey: { ...SURVEY, identities } });
    expect(catalog?.identities?.map(({ snapshots }) => snapshots)).toEqual([
      39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28,
    ]);
    expect(catalog?.identities?.every(({ identity }) => identity.length === 256)).toBe(true);
    expect(catalog?.identityCount).toBe(40);
  });
});

describe("unreadStatus()", () => {
  const kept = { discoveredBackupCount: 7, lastRefreshAt: at(-10) };
  test.each([
    [waits("Unreachable", "away"), 0, 0.5],
    [waits("Unreachable", "away"), 3, 4],
    [waits("Unreachable", "away"), 40, 15],
    [blocked("Forbidden", "no"), 3, 5],
    [refused("WrongPassword", "wrong"), 3, 5],
  ])("keeps what was known, and tries again: %o after %i failures", (problem, failures, minutes) => {
    const asked = catalogNas({ status: { catalog: { ...kept, failures } } });
    const status = unreadStatus(asked, { asked, problem }, NOW);
    expect(status.catalog).toEqual({
      ...kept,
      failures: failures + 1,
      nextRefreshAt: at(minutes),
      observedGeneration: 1,
    });
    expect(status).toMatchObject({ phase: "Ready", uniqueID: "id-1" });
    expect(status.conditions).toContainEqual(
      expect.objectContaining({ type: "CatalogCurrent", status: "False", reason: problem.reason }),
    );
  });

  test("is told once", () => {
    const asked = catalogNas();
    const problem = waits("Unreachable", "away");
    const first = unreadStatus(asked, { asked, problem }, NOW);
    expect(catalogNews(asked, first)).toEqual({ type: "Warning", reason: "Unreachable", message: "away" });
    const after = catalogNas({ status: first });
    expect(catalogNews(after, unreadStatus(after, { asked, problem }, NOW))).toBeUndefined();
  });
});

test("switchedOffStatus() says nothing of the list any more", () => {
  const asked = catalogNas();
  const read: CatalogedState = refreshedStatus(
    asked,
    { asked, survey: SURVEY, shown: 2, hidden: 1, shrunk: { missing: 6, known: 8 } },
    NOW,
  );
  const status = switchedOffStatus(catalogNas({ status: read }));
  expect(status.catalog).toBeUndefined();
  expect(status.conditions).toEqual([]);
  expect(status.uniqueID).toBe("id-1");
});
