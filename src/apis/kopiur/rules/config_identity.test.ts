import { describe, expect, test } from "vitest";
import { ANNOTATIONS, DERIVED_ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import { config, readyConfig } from "../testing/samples.ts";
import { configHolder, wantedHolder } from "./config_identity.ts";

const defaults = { usernameTemplate: "{{ .Namespace }}-{{ .ConfigName }}", hostnameTemplate: "prod" };

describe("wantedHolder()", () => {
  test.each([
    [{}, undefined, { username: "data", hostname: "billing" }],
    [{}, defaults, { username: "billing-data", hostname: "prod" }],
    [{ username: "own" }, defaults, { username: "own", hostname: "prod" }],
  ])("with %j and templates %j is %j", (identity, templates, holder) => {
    expect(wantedHolder(config({ spec: { identity } }), templates)).toEqual({ ok: true, value: holder });
  });

  test("has the name of the BackupConfig that it repeats for another namespace", () => {
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

test("configHolder() keeps the identity that was resolved, until another is acknowledged", () => {
  expect(configHolder(config(), defaults)).toMatchObject({ value: { username: "billing-data" } });
  expect(configHolder(readyConfig(), defaults)).toMatchObject({ error: { reason: "IdentityChanged" } });
  const annotations = { [ANNOTATIONS.acknowledgeIdentity]: "billing-data@prod" };
  expect(configHolder(readyConfig({ metadata: { annotations } }), defaults).ok).toBe(true);
});
