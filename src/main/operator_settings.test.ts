import { expect, test } from "vitest";
import { APIS } from "./apis.ts";
import { operatorSettings, telemetryResource } from "./operator_settings.ts";

test("operatorSettings() has defaults for all", () => {
  expect(operatorSettings({}, "1.2.3")).toEqual({
    apis: [APIS.find(({ name }) => name === "kopiur")],
    shared: { moverImage: "holdfast/mover:1.2.3" },
    logLevel: "info",
    logFormat: "text",
    healthPort: 8080,
    telemetry: { type: "off" },
  });
});

test("operatorSettings() takes what the environment says", () => {
  const env = {
    HOLDFAST_MOVER_IMAGE: "example.org/mover:2",
    HOLDFAST_MOVER_PULL_POLICY: "Never",
    HOLDFAST_LOG_LEVEL: "debug",
    HOLDFAST_LOG_FORMAT: "json",
    HOLDFAST_HEALTH_PORT: "0",
    HOLDFAST_DEBUG_PORT: "0",
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318",
    HOLDFAST_NAMESPACE: "backups",
    HOLDFAST_LEND_SECRETS: "on",
    HOLDFAST_PAUSE_GITOPS: "on",
    HOLDFAST_ARGOCD_NAMESPACE: "gitops",
    HOLDFAST_CREATE_REPOSITORIES: "on",
    HOLDFAST_HOOKS_TO_LOCAL_ADDRESSES: "on",
    HOLDFAST_MAX_RUNS: "20",
    HOLDFAST_MOVER_PULL_SECRETS: "mirror, mirror.old",
    HOLDFAST_STANDSTILL_SECONDS: "300",
    HOLDFAST_WEBHOOK_SERVICE: "holdfast-webhook",
    HOLDFAST_WEBHOOK_CERTIFICATES: "/certificates",
    HOLDFAST_WEBHOOK_CERTIFICATE: "holdfast/webhook",
    HOLDFAST_APIS: "none",
    HOLDFAST_ADOPT_CRDS: "on",
    HOLDFAST_PREVIOUS_CONTROLLER_STOPPED_AT: "2026-01-31T18:30:00Z",
  };
  expect(operatorSettings(env, "1.2.3")).toEqual({
    apis: [],
    shared: {
      moverImage: "example.org/mover:2",
      imagePullPolicy: "Never",
      lendSecrets: true,
      pauseGitOps: { argoCdNamespace: "gitops" },
      createRepositories: true,
      hooksMayCallLocalAddresses: true,
      maxRuns: 20,
      moverAccount: { type: "own", pullSecrets: ["mirror", "mirror.old"] },
      standstillSeconds: 300,
      moverDebug: true,
      guarded: true,
    },
    logLevel: "debug",
    logFormat: "json",
    healthPort: 0,
    debugPort: 0,
    telemetry: { type: "push", otlp: { endpoint: "http://collector:4318", headers: {} } },
    namespace: "backups",
    webhook: {
      reach: { service: "holdfast-webhook" },
      port: 9443,
      certificateFolder: "/certificates",
      certificate: "holdfast/webhook",
    },
    adopt: { previousControllerStoppedAt: Date.UTC(2026, 0, 31, 18, 30) },
  });
});

test("operatorSettings() has webhooks by URL, too", () => {
  const env = { HOLDFAST_WEBHOOK_URL: "https://127.0.0.1:9000", HOLDFAST_WEBHOOK_PORT: "9000" };
  expect(operatorSettings(env, "1.2.3").webhook).toEqual({
    reach: { url: "https://127.0.0.1:9000" },
    port: 9000,
  });
});

test("operatorSettings() takes whom to trust in base64, and wants to know about which certificate", () => {
  const pem = "-----BEGIN CERTIFICATE-----\nMII=\n-----END CERTIFICATE-----\n";
  const bundle = { HOLDFAST_WEBHOOK_CA_BUNDLE: Buffer.from(pem).toString("base64") };
  const env = { ...bundle, HOLDFAST_WEBHOOK_SERVICE: "s", HOLDFAST_WEBHOOK_CERTIFICATES: "/certificates" };
  expect(operatorSettings(env, "1.2.3").webhook).toMatchObject({ authority: pem });
  expect(() => operatorSettings(bundle, "1.2.3")).toThrow(/without HOLDFAST_WEBHOOK_CERTIFICATES/);
  expect(() => operatorSettings({ ...env, HOLDFAST_WEBHOOK_CA_BUNDLE: pem }, "1.2.3")).toThrow(/in base64/);
});

test("operatorSettings() takes CRDs along only where all namespaces are let go of", () => {
  const env = { HOLDFAST_REMOVE_CRDS_OF: "backups/holdfast" };
  expect(operatorSettings(env, "1.2.3").removeCrdsOf).toEqual({ namespace: "backups", name: "holdfast" });
  expect(() => operatorSettings({ ...env, HOLDFAST_NAMESPACE: "backups" }, "1.2.3")).toThrow(
    /HOLDFAST_REMOVE_CRDS_OF and HOLDFAST_NAMESPACE are both set/,
  );
});

test("operatorSettings() refuses two ways to the webhooks", () => {
  const env = { HOLDFAST_WEBHOOK_URL: "https://h", HOLDFAST_WEBHOOK_SERVICE: "s" };
  expect(() => operatorSettings(env, "1.2.3")).toThrow(/both set: name one of them/);
});

test("operatorSettings() adopts CRDs without a time, and takes no time without adoption", () => {
  const env = { HOLDFAST_ADOPT_CRDS: "on" };
  expect(operatorSettings(env, "1.2.3").adopt).toEqual({});
  expect(operatorSettings({ HOLDFAST_ADOPT_CRDS: "off" }, "1.2.3")).not.toHaveProperty("adopt");
  const since = { HOLDFAST_PREVIOUS_CONTROLLER_STOPPED_AT: "2026-01-31T18:30:00Z" };
  expect(() => operatorSettings(since, "1.2.3")).toThrow(/without HOLDFAST_ADOPT_CRDS=on/);
});

test("operatorSettings() goes on without telemetry that cannot be, unless it is told not to", () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4317", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" };
  expect(operatorSettings(env, "1.2.3").telemetry).toEqual({
    type: "problem",
    problem: expect.stringContaining("only http/json is spoken"),
  });
  expect(() => operatorSettings({ ...env, HOLDFAST_OTEL_STRICT: "on" }, "1.2.3")).toThrow(/http\/json/);
});

test.each([
  [
    "HOLDFAST_LOG_LEVEL",
    "loud",
    'HOLDFAST_LOG_LEVEL is "loud": it must be one of debug, info, warn, error, silent',
  ],
  ["HOLDFAST_LOG_FORMAT", "xml", /must be one of text, json/],
  ["HOLDFAST_MOVER_PULL_POLICY", "never", /must be one of Always, IfNotPresent, Never/],
  ["HOLDFAST_HEALTH_PORT", "70000", /must be a port/],
  ["HOLDFAST_HEALTH_PORT", "http", /must be a port/],
  ["HOLDFAST_WEBHOOK_PORT", "-1", /must be a port/],
  ["HOLDFAST_WEBHOOK_URL", "http://h", /must be such as https/],
  ["HOLDFAST_WEBHOOK_URL", "https://h/path", /without a path/],
  ["HOLDFAST_WEBHOOK_CERTIFICATE", "webhook", /must be such as namespace\/name/],
  ["HOLDFAST_LEND_SECRETS", "yes", /must be one of on, off/],
  ["HOLDFAST_MOVER_PULL_SECRETS", "mirror,", /has "": the name of a Kubernetes object/],
  ["HOLDFAST_MOVER_SERVICE_ACCOUNT", "Movers", /has "Movers": the name of a Kubernetes object/],
  ["HOLDFAST_MAX_RUNS", "0", /must be a number from 1/],
  ["HOLDFAST_REMOVE_CRDS_OF", "holdfast", /must be a release, as namespace\/name/],
  ["HOLDFAST_ADOPT_CRDS", "adopt", /must be one of on, off/],
  ["HOLDFAST_PREVIOUS_CONTROLLER_STOPPED_AT", "yesterday", /must be a time such as 2026-01-31T18:30:00Z/],
  ["HOLDFAST_PREVIOUS_CONTROLLER_STOPPED_AT", "2026-13-31T18:30:00Z", /must be a time such as/],
  ["HOLDFAST_PREVIOUS_CONTROLLER_STOPPED_AT", "2026-02-30T18:30:00Z", /must be a time such as/],
  ["HOLDFAST_APIS", "plumber", /plumber needs kopiur, too/],
  ["HOLDFAST_API_SETTINGS", "mode: strict", /is no JSON/],
  ["HOLDFAST_API_SETTINGS", "[]", /must be an object/],
  ["HOLDFAST_API_SETTINGS", '{"kopiur":{}}', /the API kopiur has no settings/],
  ["HOLDFAST_API_SETTINGS", '{"plumber":{"mode":"lax"}}', /plumber.mode is "lax"/],
  [
    "HOLDFAST_APIS",
    "kopiur,volsync",
    /must be none, or some of kopiur, plumber, autorestore, cozystack, velero/,
  ],
])("operatorSettings() refuses %s=%s", (name, value, message) => {
  expect(() => operatorSettings({ [name]: value }, "1.2.3")).toThrow(message);
});

test("operatorSettings() leaves movers to an account that is given, and that has its own pull secrets", () => {
  const given = { HOLDFAST_MOVER_SERVICE_ACCOUNT: "movers" };
  expect(operatorSettings(given, "1.2.3").shared.moverAccount).toEqual({ type: "given", name: "movers" });
  const both = { ...given, HOLDFAST_MOVER_PULL_SECRETS: "mirror" };
  expect(() => operatorSettings(both, "1.2.3")).toThrow(/give the pull secrets to that/);
});

test("what is pushed says from which namespace, where the pod knows it", () => {
  const pusher = { service: "holdfast-operator", version: "1.0.0", instance: "holdfast-a" };
  const own = {
    "service.name": "holdfast-operator",
    "service.version": "1.0.0",
    "service.instance.id": "holdfast-a",
  };
  expect(telemetryResource({}, pusher)).toEqual(own);
  const there = telemetryResource({ POD_NAMESPACE: "backups" }, pusher);
  expect(there).toEqual({ ...own, "k8s.namespace.name": "backups" });
});
