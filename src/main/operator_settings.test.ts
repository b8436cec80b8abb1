import { expect, test } from "vitest";
import { operatorSettings } from "./operator_settings.ts";

test("operatorSettings() has defaults for all", () => {
  expect(operatorSettings({}, "1.2.3")).toEqual({
    kopiur: { moverImage: "holdfast/mover:1.2.3" },
    logLevel: "info",
    healthPort: 8080,
  });
});

test("operatorSettings() takes what the environment says", () => {
  const env = {
    HOLDFAST_MOVER_IMAGE: "example.org/mover:2",
    HOLDFAST_MOVER_PULL_POLICY: "Never",
    HOLDFAST_LOG_LEVEL: "debug",
    HOLDFAST_HEALTH_PORT: "0",
    HOLDFAST_NAMESPACE: "backups",
  };
  expect(operatorSettings(env, "1.2.3")).toEqual({
    kopiur: { moverImage: "example.org/mover:2", imagePullPolicy: "Never" },
    logLevel: "debug",
    healthPort: 0,
    namespace: "backups",
  });
});

test.each([
  [
    "HOLDFAST_LOG_LEVEL",
    "loud",
    'HOLDFAST_LOG_LEVEL is "loud": it must be one of debug, info, warn, error, silent',
  ],
  ["HOLDFAST_MOVER_PULL_POLICY", "never", /must be one of Always, IfNotPresent, Never/],
  ["HOLDFAST_HEALTH_PORT", "70000", /must be a port/],
  ["HOLDFAST_HEALTH_PORT", "http", /must be a port/],
])("operatorSettings() refuses %s=%s", (name, value, message) => {
  expect(() => operatorSettings({ [name]: value }, "1.2.3")).toThrow(message);
});
