import { expect, test } from "vitest";
import { emulatedVersion } from "./emulated_version.ts";

test.each([
  ["kube-apiserver", []],
  ["kube-apiserver-1.34", ["--emulated-version=kube=1.34"]],
])("beside %s the other components are told %j", (apiServer, args) => {
  expect(emulatedVersion(apiServer)).toEqual(args);
});
