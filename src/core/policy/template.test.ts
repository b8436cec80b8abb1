import { describe, expect, test } from "vitest";
import { renderGoTemplate, renderLeaves } from "./template.ts";

const data = {
  Application: {
    metadata: { name: "db", labels: { "app.kubernetes.io/name": "postgres" } },
    spec: { replicas: 2, users: ["ann", "bob"], tls: false, sizes: { b: 2, a: 1 } },
  },
  Parameters: { bucket: "tenants", empty: "" },
};

describe("a template renders", () => {
  test.each([
    ["no braces", "no braces"],
    ["s3://{{ .Parameters.bucket }}/{{.Application.metadata.name}}", "s3://tenants/db"],
    ["a  {{- .Parameters.bucket -}}  b", "atenantsb"],
    ["a  {{- /* said */ -}}  b", "ab"],
    ["{{ .Application.spec.replicas }}", "2"],
    ["{{ .Application.spec.users }}", '["ann","bob"]'],
    ['{{ .Parameters.none | default "x" }}', "x"],
    ["{{ default .Parameters.bucket .Parameters.empty }}", "tenants"],
    ["{{ .Parameters.bucket | upper | quote }}", '"TENANTS"'],
    ['{{ index .Application.metadata.labels "app.kubernetes.io/name" }}', "postgres"],
    ["{{ index .Application.spec.users 1 }}", "bob"],
    ['{{ printf "%s-%03d" .Parameters.bucket 7 }}', "tenants-007"],
    ['{{ replace "t" "d" .Parameters.bucket | trunc 4 }}', "dena"],
    ['{{ (printf "%s" .Parameters.bucket) | len }}', "7"],
    [
      '{{ if .Application.spec.tls }}s{{ else if eq .Parameters.bucket "tenants" }}t{{ else }}u{{ end }}',
      "t",
    ],
    ["{{ range .Application.spec.users }}<{{ . }}>{{ end }}", "<ann><bob>"],
    ["{{ range $key, $value := .Application.spec.sizes }}{{ $key }}{{ $value }}{{ end }}", "a1b2"],
    ["{{ range .Application.spec.users }}{{ $.Parameters.bucket }}{{ end }}", "tenantstenants"],
    ["{{ with .Application.metadata }}{{ .name }}{{ end }}", "db"],
    ["{{ with .Parameters.none }}x{{ else }}none{{ end }}", "none"],
    ["{{ $n := .Application.metadata.name }}{{ $n }}{{ $n }}", "dbdb"],
    ['{{ "}}" }}', "}}"],
    ["{{ toJson .Application.spec.sizes }}", '{"b":2,"a":1}'],
    ['{{ join "," .Application.spec.users }}', "ann,bob"],
    ["{{ and true .Parameters.empty | not }}", "true"],
    ['{{ "x" | b64enc }}', "eA=="],
  ])("%s", (template, text) => {
    expect(renderGoTemplate(template, data)).toEqual({ ok: true, value: text });
  });
});

describe("a template fails", () => {
  test.each([
    ["{{ .Parameters.none }}", "{{ .Parameters.none }} has no value"],
    ["{{ .Parameters.none | upper }}", "{{ .Parameters.none }} has no value"],
    ["{{ .Application.metadata.name.first }}", "{{ .Application.metadata.name.first }} has no value"],
    ["{{ .Parameters.constructor }}", "{{ .Parameters.constructor }} has no value"],
    ["{{ .Parameters.__proto__ }}", "{{ .Parameters.__proto__ }} has no value"],
    ["{{ range .Parameters.none }}{{ end }}", "{{ .Parameters.none }} has no value"],
    ["{{ $x }}", "{{ $x }}: no such variable"],
    ['{{ env "HOME" }}', "the function env is unknown"],
    ["{{ constructor }}", "the function constructor is unknown"],
    ["{{ if true }}", "{{ if }} has no {{ end }}"],
    ["{{ end }}", "{{ end }} belongs to no block"],
    ["{{ .a", "it has {{ without }}"],
    ["a }}", "it has }} without {{"],
    ["{{ a b ) }}", "{{ a b ) }} cannot be understood"],
    ["{{ .a ? }}", '{{ .a ? }} cannot be understood at " ?"'],
    ["{{ }}", "{{  }} cannot be understood"],
    ['{{ required "say a bucket" .Parameters.none }}', "say a bucket"],
    [
      "{{ range .Parameters.bucket }}{{ end }}",
      "{{ range .Parameters.bucket }}: only a list or a map can be gone through",
    ],
    ['{{ join "," .Parameters.bucket }}', "tenants is no list"],
    [`${"{{ if true }}".repeat(40)}${"{{ end }}".repeat(40)}`, "it nests more than 32 blocks"],
    [`{{ ${"(".repeat(40)}1${")".repeat(40)} }}`, expect.stringContaining("nests more than 32 parentheses")],
    ["x".repeat(70_000), "it is longer than 65536 characters"],
  ])("%.60s", (template, error) => {
    expect(renderGoTemplate(template, data)).toEqual({ ok: false, error });
  });
});

describe("a template that would go on and on", () => {
  const many = { list: Array.from({ length: 1000 }, (_, index) => index) };
  const nested = "{{ range .list }}{{ range $.list }}{{ range $.list }}x{{ end }}{{ end }}{{ end }}";

  test("ends at the limit of its result", () => {
    expect(renderGoTemplate(nested.replace("x", "x".repeat(10)), many)).toEqual({
      ok: false,
      error: "its result is longer than 262144 characters",
    });
  });

  test.each([
    ["that look at values", nested.replace("x", "{{ if . }}{{ end }}")],
    ["with nothing in them", nested.replace("x", "")],
    ["that make long values", "{{ range .list }}{{ if eq (toJson $.list) `[]` }}x{{ end }}{{ end }}"],
  ])("ends at the limit of its steps, with loops %s", (_, template) => {
    const error = "it takes more than 100000 steps";
    const long = { list: Array.from({ length: 3000 }, (_, index) => index) };
    expect(renderGoTemplate(template, long)).toEqual({ ok: false, error });
  });

  test("cannot grow a value without end", () => {
    const grow = `{{ $x := "xxxxxxxxxx" }}${'{{ $x = replace "x" "xxxxxxxxxx" $x }}'.repeat(8)}`;
    expect(renderGoTemplate(grow, {})).toEqual({
      ok: false,
      error: "a value is longer than 262144 characters",
    });
  });
});

describe("the texts of an object", () => {
  const pod = {
    containers: [
      { name: "{{ .Application.metadata.name }}", args: ["--to", "{{ .Parameters.bucket }}"], port: 1 },
    ],
    "{{ key }}": true,
  };

  test("are rendered wherever they are, and keys are not", () => {
    expect(renderLeaves(pod, data)).toEqual({
      ok: true,
      value: { containers: [{ name: "db", args: ["--to", "tenants"], port: 1 }], "{{ key }}": true },
    });
  });

  test("say where a value is missing", () => {
    expect(
      renderLeaves(pod, { Application: { metadata: { name: "db" } } }, { path: "spec.template" }),
    ).toEqual({
      ok: false,
      error: "spec.template.containers[0].args[1]: {{ .Parameters.bucket }} has no value",
    });
  });

  test("share one limit", () => {
    const texts = ["{{ .a }}", "{{ .a }}"];
    const limits = { source: 100, output: 10, steps: 100 };
    const render = (more: object) => renderLeaves(texts, { a: "123456" }, { limits: { ...limits, ...more } });
    expect(render({ output: 12 })).toMatchObject({ ok: true });
    expect(render({})).toEqual({ ok: false, error: "[1]: its result is longer than 10 characters" });
    expect(render({ output: 12, steps: 1 })).toEqual({ ok: false, error: "[1]: it takes more than 1 steps" });
  });
});
