import { expect, test } from "vitest";
import { renderTemplate } from "./identity_template.ts";

const values = { Namespace: "billing", ConfigName: "postgres" };

test.each([
  ["plain", "plain"],
  ["", ""],
  ["{{ .Namespace }}", "billing"],
  ["{{.Namespace}}-{{ .ConfigName }}", "billing-postgres"],
  ["a {{- .Namespace -}} b", "abillingb"],
])("renderTemplate(%j) is %j", (template, text) => {
  expect(renderTemplate(template, values)).toEqual({ ok: true, value: text });
});

test.each([
  ["{{ .Cluster }}", /uses \{\{ \.Cluster \}\}; only .* are known/],
  ["{{ upper .Namespace }}", /uses \{\{ upper \.Namespace \}\}/],
  ["{{ .constructor }}", /uses \{\{ \.constructor \}\}/],
  ["{{ .Namespace }", /braces without their counterpart/],
  ["}} {{ .Namespace }}", /braces without their counterpart/],
])("renderTemplate(%j) is refused", (template, problem) => {
  expect(renderTemplate(template, values)).toEqual({ ok: false, error: expect.stringMatching(problem) });
});
