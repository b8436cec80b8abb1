import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { withWorld } from "../scenarios/with_world.ts";
import { holdfastWords, plainWords } from "../unit/docs/command_problem.ts";
import { pageCommands } from "../unit/docs/page_commands.ts";
import { pages } from "../unit/docs/pages.ts";
import type { ShellCommand } from "../unit/docs/shell_commands.ts";
import { yamlBlocks } from "../unit/docs/yaml_blocks.ts";
import { DocsStage, program } from "./docs_stage.ts";
import { CHART } from "./rendered_chart.ts";

/* Everything that the documentation and the examples tell to apply or to run, put before those who would have to do it. */

const all = pages();
const commands = all.flatMap(({ text }) => pageCommands(text));
const blocks = all.flatMap(yamlBlocks);

/** Commands that change nothing, or no more than a note. */
const RUN = new Set(["annotate", "describe", "get", "label"]);
/** A cluster with what values may ask for. */
const RICH = [
  "--kube-version=1.37.0",
  "--api-versions=monitoring.coreos.com/v1",
  "--api-versions=cert-manager.io/v1",
];

/** What a shell would put in for the file of an authority. */
const CERTIFICATE = Buffer.from("-----BEGIN CERTIFICATE-----\n").toString("base64");

/** The words that a page leaves to its reader, such as NAMESPACE. */
const filledIn = (word: string) => (/^[A-Z][A-Z-]+$/.test(word) ? word.toLowerCase() : word);

/** Whether a command of kubectl's can be run here: it looks, or notes something, at a list or at an object of ours. */
function canRun(words: ShellCommand): boolean {
  const [verb = "", resource, name] = plainWords(words);
  if (!RUN.has(verb) || resource === undefined) return false;
  return name === undefined || name.includes("=") || resource.endsWith(".kopiur.home-operations.com");
}

/** Commands of a program itself, each once. */
function told(name: string): readonly ShellCommand[] {
  const own = commands.filter((command) => command[0] === name && holdfastWords(command) === undefined);
  return [...new Map(own.map((command) => [command.join(" "), command.slice(1)])).values()];
}

/** What `--help` looks at of a command: it reads the options, and does not do what they say. */
const verbAndOptions = ([name = "", ...words]: ShellCommand) =>
  [
    name,
    plainWords(words)[0],
    ...words.filter((word) => word.startsWith("-")).map((word) => word.split("=")[0]),
  ].join(" ");

/** Programs side by side: each mostly waits for the disk and for the server. */
const AT_ONCE = 4;

/** Runs each, and tells of those that failed. */
async function refused(
  each: readonly ShellCommand[],
  run: (words: ShellCommand) => ReturnType<typeof program>,
) {
  const wrong: string[] = [];
  const left = each.values();
  const next = async () => {
    for (const words of left) {
      const { code, stderr } = await run(words);
      if (code !== 0) wrong.push(`${words.join(" ")}: ${stderr}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  return wrong;
}

describe("what the documentation tells", () => {
  let stage: DocsStage;

  withWorld(DocsStage.open, (opened) => {
    stage = opened;
  });

  test("to apply passes schemas, rules and webhooks", async () => {
    const folder = await stage.lay(blocks);
    const { code, stdout, stderr } = await stage.kubectl([
      "create",
      "--dry-run=server",
      "--filename",
      folder,
    ]);
    const wrong = stderr.split("\n").filter((line) => line !== "" && !line.startsWith("Warning: "));
    expect(wrong).toEqual([]);
    expect(code).toBe(0);
    expect(stdout.split("\n").length).toBeGreaterThan(50);
  });

  test("to look at or to note with kubectl can be", { timeout: 120_000 }, async () => {
    const here = told("kubectl").filter(canRun);
    expect(here.length).toBeGreaterThan(10);
    const wrong = await refused(here, async (words) => {
      const [, resource = "", name = ""] = plainWords(words);
      if (/^[\w-]+$/.test(name)) await stage.seed(resource, filledIn(name));
      return stage.kubectl(words.map((word, at) => (words[at - 1] === "-n" ? "default" : filledIn(word))));
    });
    expect(wrong).toEqual([]);
  });

  test("to do besides has options that kubectl and helm know", { timeout: 120_000 }, async () => {
    const others = [
      ...told("kubectl")
        .filter((words) => !canRun(words))
        .map((words) => ["kubectl", ...words]),
      ...told("helm").map((words) => ["helm", ...words]),
    ];
    const asked = [...new Map(others.map((command) => [verbAndOptions(command), command])).values()];
    expect(asked.length).toBeGreaterThan(10);
    const wrong = await refused(asked, ([name = "", ...words]) => program(name, [...words, "--help"]));
    expect(wrong).toEqual([]);
  });

  test("to set in the chart can be", { timeout: 120_000 }, async () => {
    const isValues = (word: string | undefined) => word === "--set" || word === "-f";
    const given = told("helm")
      .map((words) => words.filter((word, at) => isValues(word) || isValues(words[at - 1])))
      .filter((words) => words.length > 0);
    const files = blocks.flatMap((block) => {
      if (!("values" in block)) return [];
      const file = join(stage.folder, `${block.at.replaceAll(/\W/g, "-")}.yaml`);
      writeFileSync(file, stringify(block.values));
      return [["-f", file]];
    });
    expect(files.length * given.length).toBeGreaterThan(0);
    const wrong = await refused([...given, ...files], (words) =>
      program("helm", [
        "template",
        "it",
        CHART,
        ...RICH,
        ...words.map((word) => word.replace(/\$\(.*\)/, CERTIFICATE)),
        // No rendering can see whose CRDs they are.
        ...(words.includes("crds.foreign=adopt") ? ["--set", "installCRDs=false"] : []),
      ]),
    );
    expect(wrong).toEqual([]);
  });
});
