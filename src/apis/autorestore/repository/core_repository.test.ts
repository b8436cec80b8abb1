import { expect, test } from "vitest";
import { sampleRepository } from "../testing/samples.ts";
import { coreRepository } from "./core_repository.ts";

const secret = (name: string, key = "k") => ({ name, valueFrom: { secretKeyRef: { name: "s", key } } });

test("coreRepository() takes credentials and a password from the environment", () => {
  const { passwordSecretRef: _, ...spec } = sampleRepository().spec;
  const env = [
    secret("RESTIC_PASSWORD", "pw"),
    secret("AWS_ACCESS_KEY_ID", "id"),
    secret("AWS_SECRET_ACCESS_KEY"),
  ];
  expect(coreRepository({ ...sampleRepository(), spec: { ...spec, env } })).toMatchObject({
    ok: true,
    value: {
      spec: {
        engine: "restic",
        create: { enabled: true },
        encryption: { passwordSecretRef: { name: "s", key: "pw" } },
        backend: {
          s3: {
            auth: {
              keys: [
                { name: "s", key: "id", as: "AWS_ACCESS_KEY_ID" },
                { name: "s", key: "k", as: "AWS_SECRET_ACCESS_KEY" },
              ],
            },
          },
        },
      },
    },
  });
});

test("a repository that answered before and does not now has not failed", () => {
  const status = { phase: "Unknown" as const, uniqueID: "id" };
  expect(coreRepository({ ...sampleRepository(), status })).toMatchObject({
    value: { status: { phase: "Degraded", uniqueID: "id" } },
  });
});

test.each([
  ["PasswordMissing", { passwordSecretRef: undefined as never }, "Set passwordSecretRef."],
  ["SecretInSpec", { env: [{ name: "AWS_SECRET_ACCESS_KEY", value: "oops" }] }, "Put it into a Secret"],
  ["EnvUnsupported", { env: [{ name: "RESTIC_CACHE_DIR", value: "/x" }] }, "Remove it, or use one of"],
  ["ExtraArgForbidden", { additionalFlags: ["--host=x"] }, "set tags in the ResticBackup"],
  ["InvalidSchedule", { maintenanceSchedule: { check: "often", verificationPercent: 5 } }, "five fields"],
  ["UrlUnsupported", { repository: "rest:http://h/" }, "Use s3:"],
])("coreRepository() refuses with %s", (reason, spec, message) => {
  const result = coreRepository(sampleRepository(spec));
  expect(result).toMatchObject({
    ok: false,
    error: { class: "terminal", reason, message: expect.stringContaining(message) },
  });
  expect(JSON.stringify(result)).not.toContain("oops");
});
