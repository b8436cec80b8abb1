import { describe, expect, test } from "vitest";
import { ANNOTATIONS, DERIVED_ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import { config, readyConfig } from "../testing/samples.ts";
import { pathsChanged, pinnedHolder, wantedHolder } from "./config_identity.ts";
import { problemOf } from "./violation.ts";

const defaults = { usernameTemplate: "{{ .Namespace }}-{{ .ConfigName }}", hostnameTemplate: "prod" };

describe("wantedHolder()", () => {
  test.each([
    [{}, undefined, { username: "data", hostname: "billing" }],
    [{}, defaults, { username: "billing-data", hostname: "prod" }],
    [{ username: "own" }, defaults, { username: "own", hostname: "prod" }],
  ])("with %j and templates %j is %j", (identity, templates, holder) => {
    expect(wantedHolder(config({ spec: { identity } }), templates)).toEqual({ ok: true, value: holder });
  });

  test("has the name of the recipe that it repeats for another namespace", () => {
    const annotations = { [DERIVED_ANNOTATIONS.from]: "platform/all" };
    const repeating = config({ metadata: { name: "all-1234", annotations } });
    const templates = { ...defaults, hostnameTemplate: "{{ .ConfigName }}.{{ .Namespace }}" };
    expect(wantedHolder(repeating, templates)).toMatchObject({ value: { hostname: "all.billing" } });
  });

  test("says what is wrong with a template", () => {
    expect(wantedHolder(config(), { usernameTemplate: "{{ .Cluster }}" })).toMatchObject({
      error: { reason: "InvalidIdentity", field: "spec.identity", why: expect.stringContaining(".Cluster") },
    });
  });
});

describe("pinnedHolder()", () => {
  test("is what is wanted until it has been resolved", () => {
    expect(pinnedHolder(config(), defaults)).toMatchObject({ value: { username: "billing-data" } });
  });

  test("does not change by itself when templates do", () => {
    const changed = pinnedHolder(readyConfig(), defaults);
    expect(changed.ok || problemOf(changed.error)).toEqual({
      class: "terminal",
      reason: "IdentityChanged",
      message:
        "The identity cannot become billing-data@prod: the snapshots so far are recorded as data@billing, and none of them would be found. Set the identity back, or accept the change with the annotation kopiur.home-operations.com/acknowledge-identity-change=billing-data@prod.",
    });
  });

  test("changes once exactly that change is acknowledged", () => {
    const acknowledged = (text: string) =>
      readyConfig({ metadata: { annotations: { [ANNOTATIONS.acknowledgeIdentity]: text } } });
    expect(pinnedHolder(acknowledged("billing-data@prod"), defaults).ok).toBe(true);
    expect(pinnedHolder(acknowledged("data@prod"), defaults).ok).toBe(false);
  });
});

describe("pathsChanged()", () => {
  const holder = { username: "data", hostname: "billing" };
  const sources = (paths: Readonly<Record<string, string>>) =>
    Object.entries(paths).map(([name, sourcePath]) => ({ pvc: `billing/${name}`, sourcePath }));
  const before = sources({ data: "/pvc/data", logs: "/pvc/logs" });
  const changed = (paths: Readonly<Record<string, string>>, acknowledged = "", by = holder) =>
    pathsChanged(
      readyConfig({
        metadata: { annotations: { [ANNOTATIONS.acknowledgeIdentity]: acknowledged } },
        status: { resolved: { identity: { ...holder, sources: before } } },
      }),
      by,
      sources(paths),
    );

  test("is nothing while the claims keep their paths, come and go", () => {
    expect(changed({ data: "/pvc/data", logs: "/pvc/logs" })).toBeUndefined();
    expect(changed({ logs: "/pvc/logs", films: "/films" })).toBeUndefined();
    expect(pathsChanged(config(), holder, sources({ data: "/data" }))).toBeUndefined();
  });

  test("says which snapshots would not be found, and how to accept that", () => {
    const violation = changed({ data: "/data", logs: "/pvc/logs" });
    expect(violation && problemOf(violation)).toEqual({
      class: "terminal",
      reason: "IdentityChanged",
      message:
        "The identity cannot become data@billing:/data: the snapshots so far are recorded as data@billing:/pvc/data, and none of them would be found. Set the path back, or accept the change with the annotation kopiur.home-operations.com/acknowledge-identity-change=data@billing:/data.",
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
