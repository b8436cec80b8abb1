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

  test.each([
    ["replaces", '{{ $x = replace "x" "xxxxxxxxxx" $x }}'.repeat(8)],
    ["replaces nothing", '{{ $x = replace "" $x $x }}'.repeat(8)],
    ["quotes", "{{ $x = quote $x }}".repeat(40)],
    ["joins", "{{ $x = join $x (splitList `` $x) }}".repeat(8)],
    ["prints", "{{ $x = print $x $x $x $x $x $x $x $x }}".repeat(8)],
    ["formats", '{{ $x = printf "%s%s%s%s%s%s%s%s" $x $x $x $x $x $x $x $x }}'.repeat(8)],
    ["encodes", "{{ $x = b64enc $x }}".repeat(60)],
  ])("cannot grow a text without end: it %s", (_, grow) => {
    expect(renderGoTemplate(`{{ $x := "xxxxxxxxxx" }}${grow}`, {})).toEqual({
      ok: false,
      error: "a value is longer than 262144 characters",
    });
  });

  test.each([
    ["written out", "{{ $x }}"],
    ["compared", "{{ if eq $x 1 }}{{ end }}"],
    ["looked up", "{{ get $.map $x }}"],
  ])("ends where lists of lists are %s", (_, use) => {
    const grow = `{{ $x := list 1 }}${"{{ $x = list $x $x }}".repeat(60)}${use}`;
    expect(renderGoTemplate(grow, { map: {} })).toEqual({
      ok: false,
      error: "it takes more than 100000 steps",
    });
  });

  test("says so where a value nests too deep to be written out", () => {
    const deep = `{{ $x := list 1 }}${"{{ $x = list $x }}".repeat(3600)}{{ $x }}`;
    const given = { deep: Array.from({ length: 20_000 }).reduce<unknown>((inner) => [inner], 1) };
    expect(renderGoTemplate(deep, {})).toMatchObject({ ok: true });
    expect(renderGoTemplate("{{ .deep }}", given)).toEqual({ ok: false, error: "a value nests too deep" });
  });
});

/** As large as the API server lets an object be: some 660 KB in two maps. */
const large = (() => {
  const map = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`name-of-somebody-${n}`, n]));
  return { Application: { spec: { users: map(12_000), options: map(12_000) } } };
})();

describe("what a step costs does not depend on how large a value is", () => {
  const each = (body: string) => `{{ range .Application.spec.users }}${body}{{ end }}`;

  // Each took from seconds to half a minute of everyone's time, within the limit of its steps.
  test.each([
    ["asks whether a map is empty", "{{ if $.Application.spec.options }}{{ end }}", true],
    ["asks for it by a function", "{{ if and $.Application.spec.options (not .) }}{{ end }}", true],
    ["asks how many it has", "{{ len $.Application.spec.options }}", true],
    ["looks into it", '{{ index $.Application.spec.options "name-of-somebody-1" }}', true],
    ["compares maps", "{{ if eq $.Application.spec.options $.Application.spec.users }}{{ end }}", false],
    ["hashes it", "{{ if sha256sum $.Application.spec.options }}{{ end }}", false],
    ["writes it", "{{ if toJson $.Application.spec }}{{ end }}", false],
  ])(
    "in a loop that %s",
    (_, body, renders) => {
      const made = renderGoTemplate(each(body), large);
      if (renders) expect(made).toMatchObject({ ok: true });
      else expect(made).toMatchObject({ ok: false });
    },
    2_000,
  );

  test("nor on how many variables there are", () => {
    const many = Array.from({ length: 4000 }, (_, n) => `{{ $v${n} := . }}`).join("");
    expect(renderGoTemplate(`${many}${each("{{ $x := . }}")}`, large)).toMatchObject({ ok: false });
  }, 2_000);
});

describe("a template that takes long by the clock", () => {
  const slow = () => {
    let now = 0;
    // Each look finds half a second gone.
    return { monotonic: () => (now += 500) };
  };

  test("ends, however few its steps are", () => {
    const template = "{{ range .Application.spec.users }}{{ . }}{{ end }}";
    const error = "it takes longer than 2000 ms";
    expect(renderGoTemplate(template, large, { clock: slow() })).toEqual({ ok: false, error });
    expect(renderGoTemplate(template, large)).toMatchObject({ ok: true });
  });

  test("ends also where many short texts take the time", () => {
    const texts = Array.from({ length: 10 }, () => "{{ .Application.name }}");
    const given = { Application: { name: "db" } };
    const error = "[4]: it takes longer than 2000 ms";
    expect(renderLeaves(texts, given, { clock: slow() })).toEqual({ ok: false, error });
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
    const limits = { source: 100, output: 10, steps: 100, milliseconds: 1000 };
    const render = (more: object) => renderLeaves(texts, { a: "123456" }, { limits: { ...limits, ...more } });
    expect(render({ output: 12 })).toMatchObject({ ok: true });
    expect(render({})).toEqual({ ok: false, error: "[1]: its result is longer than 10 characters" });
    expect(render({ output: 12, steps: 1 })).toEqual({ ok: false, error: "[1]: it takes more than 1 steps" });
  });
});
