import { describe, expect, test } from "vitest";
import { COMMANDS } from "../commands.ts";
import type { CommandSpec } from "./command.ts";
import { helpText } from "./help.ts";
import { optionsOf, parse } from "./parse.ts";

const words = (line: string) => line.split(" ").filter(Boolean);
const asked = (line: string) => parse(words(line), COMMANDS);

describe("parse()", () => {
  test("options may stand before, within and after the command", () => {
    const found = asked("-n media backup --tag a=b now documents --tag c=d -o json");
    if (!("command" in found)) throw new Error("it is a command");
    expect(found.command.name).toBe("backup now");
    expect(found.given.words).toEqual(["documents"]);
    expect(found.given.text("namespace")).toBe("media");
    expect(found.given.texts("tag")).toEqual(["a=b", "c=d"]);
    expect(found.given.output).toBe("json");
    expect(found.given.flag("no-wait")).toBe(false);
  });

  test.each<[line: string, help: readonly string[]]>([
    ["", []],
    ["help", []],
    ["--help", []],
    ["maintenance", ["maintenance"]],
    ["help backup now", ["backup", "now"]],
    ["backup now --help", ["backup", "now"]],
    ["backup now documents -h", ["backup", "now"]],
  ])("%j asks for help", (line, help) => {
    expect(asked(line)).toEqual({ help });
  });

  test.each(["version", "--version"])("%s asks for the version", (line) => {
    expect(asked(line)).toMatchObject({ command: { name: "version" } });
    expect(() => asked("status --version")).toThrow("Unknown option '--version'");
  });

  test.each([
    ["nothing", "there is no command nothing"],
    ["nothing --help", "there is no command nothing"],
    ["help nothing", "there is no command nothing"],
    ["backup later --help", "there is no command backup later"],
    ["backup later x", "there is no command backup later"],
    ["status --nothing", "Unknown option '--nothing'"],
    ["status --force", "status has no option --force"],
    ["status -o name", '--output is "name"'],
    ["status -n", "Option '-n, --namespace <value>' argument missing"],
    ["status more", "status does not take more"],
    ["download", "download needs <backup>"],
    ["completion shoes", '<shell> is "shoes"'],
    ["status -A -n a", "--namespace and --all-namespaces exclude each other"],
    ["restore backup/b --to c -A", "restore has no option --all-namespaces"],
    ["maintenance run r --mode slow", '--mode is "slow"'],
  ])("%j is refused, with what is wrong and what helps", (line, what) => {
    expect(() => asked(line)).toThrow(
      expect.objectContaining({ message: expect.stringContaining(what), code: 2, fix: expect.any(String) }),
    );
  });
});

describe("the table of commands", () => {
  test("an option means the same kind of thing wherever it is", () => {
    const shapes = new Map<string, string>();
    for (const command of COMMANDS) {
      for (const [name, { value, short, many }] of Object.entries(optionsOf(command))) {
        const shape = JSON.stringify([value !== undefined, short, many]);
        expect(`${name} ${shapes.get(name) ?? shape}`, command.name).toBe(`${name} ${shape}`);
        shapes.set(name, shape);
      }
    }
    const shorts = new Map([...shapes].map(([name, shape]) => [name, (JSON.parse(shape) as unknown[])[1]]));
    const given = [...shorts.values()].filter((short) => short !== null);
    expect(new Set(given).size).toBe(given.length);
  });

  test.each(COMMANDS.map((command) => [command.name, command] as const))(
    "%s has a help that names all it takes",
    (_, command) => {
      const text = helpText(command.name.split(" "), COMMANDS);
      for (const name of Object.keys(optionsOf(command))) expect(text).toContain(`--${name}`);
      for (const { name } of command.args ?? []) expect(text).toContain(`<${name}>`);
      for (const [line] of command.examples ?? []) expect(line.startsWith(command.name)).toBe(true);
    },
  );

  test.each(
    COMMANDS.flatMap(({ examples = [] }: CommandSpec) =>
      examples.map(([line]) => [line.replace(/ >.*$/, "").replaceAll("'", "")]),
    ),
  )("the example %j is understood", (line) => {
    expect(asked(line)).toHaveProperty("command");
  });

  test.each(COMMANDS.map(({ name, load }) => [name, load] as const))("%s can be loaded", async (_, load) => {
    expect(await load()).toBeTypeOf("function");
  });
});

test.each([
  ["statsu", /Did you mean status\?/],
  ["status --namespce x", /Did you mean --namespace\?/],
  ["restore backup/b --int x", /Did you mean --into\?/],
  ["frobnicate", /^holdfast help lists them all/],
])("%j is answered with what may be meant", (line, wanted) => {
  const problem = (() => {
    try {
      return asked(line);
    } catch (error) {
      return error;
    }
  })();
  expect((problem as { fix?: string }).fix).toMatch(wanted);
});
