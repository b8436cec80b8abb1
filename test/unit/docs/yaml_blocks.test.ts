import { describe, expect, test } from "vitest";
import { apiVersionOf } from "../../../src/kube/resource.ts";
import { admit } from "../../../src/kube/schema/admit.ts";
import { celEvaluator } from "../../../src/kube/schema/cel.ts";
import { problemText } from "../../../src/kube/schema/problem.ts";
import { APIS } from "../../../src/main/apis.ts";
import { isChartValue } from "./chart_values.ts";
import { pages } from "./pages.ts";
import { yamlBlocks } from "./yaml_blocks.ts";

const blocks = pages().flatMap(yamlBlocks);
const cel = celEvaluator();
const kinds = APIS.flatMap((api) => api.kinds);

/** The paths of all that is set in values. */
function leaves(value: unknown, path = ""): readonly string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [path];
  return Object.entries(value).flatMap(([name, item]) => leaves(item, path ? `${path}.${name}` : name));
}

describe("a block of YAML in the documentation", () => {
  test.each(blocks.filter((block) => "objects" in block))("$at is taken as it is", ({ objects }) => {
    const ours = objects.filter(({ apiVersion }) =>
      kinds.some((one) => apiVersionOf(one.resource) === apiVersion),
    );
    for (const object of ours) {
      const known = kinds.find(
        ({ resource }) => resource.kind === object.kind && apiVersionOf(resource) === object.apiVersion,
      );
      const { problems, unknown } = admit(known?.schema ?? {}, object, { cel });
      expect(problems.map(problemText)).toEqual([]);
      expect(unknown).toEqual([]);
    }
  });

  test.each(blocks.filter((block) => "values" in block))("$at has values of the chart", ({ values }) => {
    expect(leaves(values).filter((path) => !isChartValue(path))).toEqual([]);
  });

  test.each([
    ["a fragment", "spec:\n  a: b\n", "neither an object"],
    ["a typing error", "a: b: c\n", "README.md:1: "],
  ])("that is %s is refused", (_, text, problem) => {
    const page = { path: "README.md", text: `\`\`\`yaml\n${text}\`\`\`\n` };
    expect(() => yamlBlocks(page)).toThrow(problem);
  });
});
