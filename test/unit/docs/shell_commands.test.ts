import { describe, expect, test } from "vitest";
import { pageCommands } from "./page_commands.ts";
import { shellCommands } from "./shell_commands.ts";

describe("the commands of a script", () => {
  test.each<[string, readonly (readonly string[])[]]>([
    ["kubectl get pods", [["kubectl", "get", "pods"]]],
    ["a b # aside\n# aside\nc\n", [["a", "b"], ["c"]]],
    ["a \\\n  --b=c", [["a", "--b=c"]]],
    ["a 'b c' \"d e\"f", [["a", "b c", "d ef"]]],
    ["a | b && c", [["a"], ["b"], ["c"]]],
    [
      "x=$(a b)\nc --d=$x",
      [
        ["a", "b"],
        ["c", "--d=$x"],
      ],
    ],
    [
      "a b=\"$(c -d 'e f')\"",
      [
        ["c", "-d", "e f"],
        ["a", "b=$(c -d 'e f')"],
      ],
    ],
    ["export A=b", [["export", "A=b"]]],
    ["a -o jsonpath='{.status.b}'", [["a", "-o", "jsonpath={.status.b}"]]],
  ])("%s", (script, commands) => {
    expect(shellCommands(script)).toEqual(commands);
  });

  test("are not guessed where a quote or a bracket is open", () => {
    expect(() => shellCommands("a 'b")).toThrow("a quote is not closed: 'b");
    expect(() => shellCommands("a $(b")).toThrow("a bracket is not closed: (b");
  });
});

test("a page's commands stand in its blocks, behind prompts, and in its sentences", () => {
  const page = [
    "Run `holdfast explain <kind>/<name>`, or `kubectl get pods`; `holdfast` alone is no command.",
    "```sh\nkubectl a\n```",
    "```console\n$ npm b \\\n  c\nwhat it prints\n```",
    "`holdfast completion bash|zsh|fish`, `other d`",
    "```yaml\nkubectl: e\n```",
  ].join("\n\n");
  expect(pageCommands(page).map((words) => words.join(" "))).toEqual([
    "kubectl a",
    "npm b c",
    "holdfast explain kind/name",
    "kubectl get pods",
    "holdfast completion bash",
  ]);
});
