import { expect, test } from "vitest";
import { otlpSettings } from "./otlp_settings.ts";

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" };

test("without an endpoint nothing is pushed", () => {
  expect(otlpSettings({ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" })).toBeUndefined();
});

test("endpoint and headers are taken", () => {
  const OTEL_EXPORTER_OTLP_HEADERS = "Authorization=Bearer%20a=b, x-tenant = shop";
  expect(otlpSettings({ ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS })).toEqual({
    endpoint: "http://collector:4318",
    headers: { authorization: "Bearer a=b", "x-tenant": "shop" },
  });
  expect(otlpSettings(ENDPOINT)?.headers).toEqual({});
  expect(otlpSettings({ ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: "a=100%" })?.headers).toEqual({ a: "100%" });
});

test.each([
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, /is "grpc": only http\/json is spoken.*4318/],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317" }, /must be such as http:\/\/collector:4318/],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:99999" }, /must be such as http:\/\/collector:4318/],
  [{ OTEL_EXPORTER_OTLP_HEADERS: "hush" }, /must be such as name=value/],
])("%j is refused", (change, message) => {
  expect(() => otlpSettings({ ...ENDPOINT, ...change })).toThrow(message);
});

test("the message about a wrong header does not repeat it", () => {
  expect(() => otlpSettings({ ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: "hush" })).not.toThrow(/hush/);
});
