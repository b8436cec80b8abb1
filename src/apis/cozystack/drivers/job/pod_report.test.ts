import { expect, test } from "vitest";
import { readReport } from "./pod_report.ts";

test.each<[string, string | undefined, object]>([
  ["nothing", undefined, {}],
  ["words", "dumped 3 tables", {}],
  ["another value of JSON", "[1]", {}],
  [
    "the artifact",
    '{"uri":"s3://b/1","sizeBytes":12,"checksum":"sha256:ab"}',
    { uri: "s3://b/1", sizeBytes: 12, checksum: "sha256:ab" },
  ],
  ["a part of it, and more", '{"sizeBytes":0,"rows":5}', { sizeBytes: 0 }],
  ["values that no Backup can hold", '{"uri":"","sizeBytes":-1,"checksum":7}', {}],
  ["fractions and texts that are too long", `{"sizeBytes":1.5,"checksum":"${"x".repeat(257)}"}`, {}],
])("a pod that leaves %s", (_, text, report) => {
  expect(readReport(text)).toEqual(report);
});
