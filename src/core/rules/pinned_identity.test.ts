import { describe, expect, test } from "vitest";
import { problemOf } from "../reconcile/violation.ts";
import { backup, GROUP } from "../testing/samples.ts";
import { pathsChanged, pinnedHolder } from "./pinned_identity.ts";

const acknowledging = (text: string) =>
  backup({ metadata: { annotations: { [`${GROUP}/acknowledge-identity-change`]: text } } });
const holder = { username: "data", hostname: "billing" };

describe("pinnedHolder()", () => {
  const wanted = { username: "billing-data", hostname: "prod" };

  test("is what is wanted until it has been resolved", () => {
    expect(pinnedHolder(backup(), { wanted }, "identity")).toEqual({ ok: true, value: wanted });
  });

  test("does not change by itself", () => {
    const changed = pinnedHolder(backup(), { wanted, pinned: holder }, "identity");
    expect(changed.ok || problemOf(changed.error)).toEqual({
      class: "terminal",
      reason: "IdentityChanged",
      message: `The identity cannot become billing-data@prod: the snapshots so far are recorded as data@billing, and none of them would be found. Set the identity back, or accept the change with the annotation ${GROUP}/acknowledge-identity-change=billing-data@prod.`,
    });
  });

  test("changes once exactly that change is acknowledged", () => {
    const pinned = { wanted, pinned: holder };
    expect(pinnedHolder(acknowledging("billing-data@prod"), pinned, "identity").ok).toBe(true);
    expect(pinnedHolder(acknowledging("data@prod"), pinned, "identity").ok).toBe(false);
  });
});

describe("pathsChanged()", () => {
  const sources = (paths: Readonly<Record<string, string>>) =>
    Object.entries(paths).map(([name, sourcePath]) => ({ pvc: `billing/${name}`, sourcePath }));
  const before = sources({ data: "/pvc/data", logs: "/pvc/logs" });
  const changed = (paths: Readonly<Record<string, string>>, acknowledged = "", by = holder) =>
    pathsChanged(
      acknowledging(acknowledged),
      { ...holder, sources: before },
      { holder: by, sources: sources(paths) },
      "sources",
    );

  test("is nothing while the claims keep their paths, come and go", () => {
    expect(changed({ data: "/pvc/data", logs: "/pvc/logs" })).toBeUndefined();
    expect(changed({ logs: "/pvc/logs", films: "/films" })).toBeUndefined();
    expect(
      pathsChanged(backup(), undefined, { holder, sources: sources({ data: "/data" }) }, "sources"),
    ).toBeUndefined();
  });

  test("says which snapshots would not be found, and how to accept that", () => {
    const violation = changed({ data: "/data", logs: "/pvc/logs" });
    expect(violation && problemOf(violation)).toEqual({
      class: "terminal",
      reason: "IdentityChanged",
      message: `The identity cannot become data@billing:/data: the snapshots so far are recorded as data@billing:/pvc/data, and none of them would be found. Set the path back, or accept the change with the annotation ${GROUP}/acknowledge-identity-change=data@billing:/data.`,
    });
  });

  test("is accepted where all of them are acknowledged, in any order", () => {
    const paths = { data: "/data", logs: "/logs" };
    const both = "data@billing:/data,data@billing:/logs";
    expect(changed(paths)?.fix).toContain(`acknowledge-identity-change=${both}`);
    expect(changed(paths, both)).toBeUndefined();
    expect(changed(paths, "data@billing:/logs,data@billing:/data")).toBeUndefined();
    expect(changed(paths, "data@billing:/logs")?.fix).toContain(`acknowledge-identity-change=${both}`);
  });

  test.each(["data@billing", "data@billing:/data2", "other@billing:/data", "/data"])(
    "is not accepted by an acknowledgement of %s",
    (acknowledged) => {
      expect(changed({ data: "/data" }, acknowledged)).toMatchObject({ reason: "IdentityChanged" });
    },
  );

  test("is no question any more once another holder is accepted", () => {
    const by = { username: "other", hostname: "billing" };
    expect(changed({ data: "/data" }, "other@billing", by)).toBeUndefined();
  });
});
