import { describe, expect, test } from "vitest";
import { AT, GROUP, NOW } from "../testing/samples.ts";
import { refreshDue } from "./refresh_due.ts";
import { catalogNas } from "./testing/samples.ts";

const MINUTE = 60_000;
const at = (minutes: number) => `${new Date(NOW + minutes * MINUTE).toISOString().slice(0, 19)}Z`;
const asking = (value: string) => ({ annotations: { [`${GROUP}/refresh-catalog`]: value } });
const connected = (reason: string) => ({
  conditions: [{ type: "Connected", status: "True", reason, message: "", lastTransitionTime: at(-1) }],
});
const shrunk = { type: "CatalogShrunk", status: "True", reason: "SnapshotsMissing", message: "" };

describe("refreshDue()", () => {
  const known = { nextRefreshAt: at(4), lastRefreshAt: at(-1), observedGeneration: 1 };
  test.each<[string, Parameters<typeof catalogNas>[0], number]>([
    ["at once, where it was never read", {}, 0],
    ["at once, where the repository was there before", { status: connected("ConnectFromConfig") }, 0],
    ["after its interval, where it was just created", { status: connected("Created") }, 4],
    ["when it said", { status: { catalog: known } }, 4],
    ["at once after an edit", { metadata: { generation: 2 }, status: { catalog: known } }, 0],
    ["at once on demand", { metadata: asking("now"), status: { catalog: known } }, 0],
    [
      "not again for the same demand",
      { metadata: asking("now"), status: { catalog: { ...known, handledRefreshRequest: "now" } } },
      4,
    ],
    [
      "in a quarter of an hour at most, when the clock was set back",
      { status: { catalog: { ...known, nextRefreshAt: at(600) } } },
      15,
    ],
    [
      "when it said, when a shrinkage is acknowledged and the list cannot be read",
      {
        metadata: { annotations: { [`${GROUP}/acknowledge-catalog-shrink`]: AT } },
        status: { catalog: { ...known, failures: 1 }, conditions: [{ ...shrunk, lastTransitionTime: AT }] },
      },
      4,
    ],
    [
      "not at once when a shrinkage is acknowledged that was seen less than a minute ago",
      {
        metadata: { annotations: { [`${GROUP}/acknowledge-catalog-shrink`]: AT } },
        status: {
          catalog: { ...known, lastRefreshAt: AT },
          conditions: [{ ...shrunk, lastTransitionTime: AT }],
        },
      },
      1,
    ],
  ])("%s", (_, sample, minutes) => {
    expect((refreshDue(catalogNas(sample), NOW) - NOW) / MINUTE).toBe(minutes);
  });
});
