import { renderGoTemplate, TEMPLATE_LIMITS } from "../src/core/policy/template.ts";
import { atMost, type Figure, median } from "./figures.ts";

const ROUNDS = 101;
const DATA = { Application: { metadata: { name: "orders", labels: { team: "shop" } } }, Items: numbers(400) };
const ACTION = `{{ .Application.metadata.name | upper }}-{{ index .Application.metadata.labels "team" }}\n`;
const LOOP = "{{ range .Items }}{{ range $.Items }}{{ . }}{{ end }}{{ end }}";

/** As large as the API server lets an object be: some 660 KB in two maps. */
const LARGE = { Application: { spec: { users: map(12_000), options: map(12_000) } } };
const ASKING = "{{ range .Application.spec.users }}{{ if $.Application.spec.options }}{{ end }}{{ end }}";

/** Templates of strategies, the longest that is allowed and one that would go on and on: the processor time of each. */
export async function templateFigures(say: (line: string) => void): Promise<Figure[]> {
  say(`${ROUNDS} times each`);
  const longest = ACTION.repeat(Math.floor(TEMPLATE_LIMITS.source / ACTION.length));
  return [
    atMost("a template of 64 KiB: processor time", medianTime(longest, true), "ms", 50),
    atMost("a template that loops ends at its limit: processor time", medianTime(LOOP, false), "ms", 200),
    atMost(
      "a template that asks of a large map in a loop: processor time",
      medianTime(ASKING, true, LARGE),
      "ms",
      200,
    ),
  ];
}

function medianTime(source: string, renders: boolean, data: object = DATA): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage();
    const { ok } = renderGoTemplate(source, data);
    const { user, system } = process.cpuUsage(before);
    if (ok !== renders) throw new Error(`the template ${ok ? "renders" : "does not render"}`);
    return (user + system) / 1000;
  });
  return median(times);
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => i);
}

function map(count: number): object {
  return Object.fromEntries(numbers(count).map((n) => [`name-of-somebody-${n}`, n]));
}
