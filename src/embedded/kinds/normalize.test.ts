import { expect, test } from "vitest";
import { builtinSchema } from "./definitions.ts";
import { normalize } from "./normalize.ts";

const lease = builtinSchema({ group: "coordination.k8s.io", version: "v1", kind: "Lease" });
const job = builtinSchema({ group: "batch", version: "v1", kind: "Job" });
const claim = builtinSchema({ group: "", version: "v1", kind: "PersistentVolumeClaim" });

test("quantities get their one form, numbers too", () => {
  const requests = { storage: "1024Mi", other: 0.5, third: null };
  expect(normalize(claim, { spec: { resources: { requests } } })).toEqual({
    spec: { resources: { requests: { storage: "1Gi", other: "500m", third: null } } },
  });
});

test("what is no quantity cannot be decoded", () => {
  const spec = { resources: { requests: { storage: "much" } } };
  expect(() => normalize(claim, { spec })).toThrow("quantities must match the regular expression");
});

test("times are in UTC and whole seconds, those of leases have six digits", () => {
  const status = { startTime: "2026-01-02T03:04:05.9+02:00" };
  expect(normalize(job, { status })).toEqual({ status: { startTime: "2026-01-02T01:04:05Z" } });
  const spec = { renewTime: "2026-01-02T03:04:05.123456+02:00" };
  expect(normalize(lease, { spec })).toEqual({ spec: { renewTime: "2026-01-02T01:04:05.123456Z" } });
});

test.each(["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.1Z", "2026-01-02T03:04:05.1234567Z"])(
  "a lease's time %s is refused",
  (renewTime) => {
    expect(() => normalize(lease, { spec: { renewTime } })).toThrow(`parsing time "${renewTime}"`);
  },
);

test("bytes are base64, in one line; none are bytes too, and nothing that is empty is kept", () => {
  const secret = builtinSchema({ group: "", version: "v1", kind: "Secret" });
  expect(normalize(secret, { data: { a: "YWJj\nZGVm\n", b: "" }, stringData: {} })).toEqual({
    data: { a: "YWJjZGVm", b: "" },
  });
  expect(() => normalize(secret, { data: { a: "YW!j" } })).toThrow("illegal base64 data at input byte 2");
  expect(() => normalize(secret, { data: { a: "YWJjZ" } })).toThrow("illegal base64 data at input byte 4");
});
