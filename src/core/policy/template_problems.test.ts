import { expect, test } from "vitest";
import { templateProblems } from "./template_problems.ts";

test.each<[string, unknown, readonly (readonly [string, string])[]]>([
  ["text without braces", "plain", []],
  ["fields that only the data can tell", "{{ .Parameters.anything }}", []],
  ["no text at all", [1, null, true], []],
  ["a block without its end", { a: ["{{ if .x }}"] }, [["spec.a[0]", "{{ if }} has no {{ end }}"]]],
  ["a function that there is not", "{{ .x | shell }}", [["spec", "the function shell is unknown"]]],
  [
    "such a function deep inside",
    "{{ range .x }}{{ if eq (env .y) 1 }}{{ end }}{{ else }}{{ $n := exec }}{{ end }}",
    [["spec", "the function env is unknown"]],
  ],
  [
    "several texts",
    { a: "{{ .x", b: { c: "}}" } },
    [
      ["spec.a", "it has {{ without }}"],
      ["spec.b.c", "it has }} without {{"],
    ],
  ],
  [
    "a text that is too long",
    `{{ .x }}${"x".repeat(70_000)}`,
    [["spec", "it is longer than 65536 characters"]],
  ],
])("%s", (_, value, problems) => {
  expect(templateProblems(value, "spec").map(({ path, error }) => [path, error])).toEqual(problems);
});
