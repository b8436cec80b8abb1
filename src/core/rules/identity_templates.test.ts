import { expect, test } from "vitest";
import { templatesTellApart, templateViolations } from "./identity_templates.ts";

test.each([
  [undefined, true],
  [{ hostnameTemplate: "{{ .Namespace }}", usernameTemplate: "{{ .Namespace }}-{{ .ConfigName }}" }, true],
  [{ hostnameTemplate: "cluster" }, false],
  [{ hostnameTemplate: "cluster", usernameTemplate: "{{ .Namespace }}-{{ .ConfigName }}" }, true],
  [{ usernameTemplate: "{{ .Namespace }}" }, false],
])("%j tell recipes apart: %s", (defaults, apart) => {
  expect(templatesTellApart(defaults)).toBe(apart);
  expect(templateViolations(defaults, "spec.identityDefaults")).toEqual([]);
});

test("each template is told of by itself", () => {
  const fields = templateViolations(
    { hostnameTemplate: "{{", usernameTemplate: "a b" },
    "spec.identityDefaults",
  ).map(({ field }) => field);
  expect(fields).toEqual([
    "spec.identityDefaults.usernameTemplate",
    "spec.identityDefaults.hostnameTemplate",
  ]);
});
