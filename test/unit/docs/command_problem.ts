import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { COMMANDS } from "../../../src/cli/commands.ts";
import { kindOf } from "../../../src/cli/frame/kinds.ts";
import { parse } from "../../../src/cli/frame/parse.ts";
import * as builtin from "../../../src/kube/builtin.ts";
import { type Resource, resourceName } from "../../../src/kube/resource.ts";
import { messageOf } from "../../../src/lib/result.ts";
import { APIS } from "../../../src/main/apis.ts";
import { VIEWS } from "../../../src/main/views.ts";
import { isChartValue } from "./chart_values.ts";
import { isField } from "./kind_fields.ts";
import { ROOT } from "./pages.ts";
import type { ShellCommand } from "./shell_commands.ts";

/** What is wrong with a command of the documentation, as far as can be told without running it. */
export function commandProblem(command: ShellCommand): string | undefined {
  const [program = "", ...words] = command;
  const check = CHECKS[program];
  if (check) return check(words);
  return OTHERS.has(program) ? undefined : `nobody knows the program ${program}`;
}

/** The words of `holdfast` in a command, however it is called; undefined where it is another's. */
export function holdfastWords([program, ...words]: ShellCommand): readonly string[] | undefined {
  if (program === "holdfast") return words;
  if (program === "kubectl" && words[0] === "holdfast") return words.slice(1);
  const script = words.slice(0, words.indexOf("--"));
  return program === "npm" && script.includes("holdfast") ? words.slice(words.indexOf("--") + 1) : undefined;
}

const OTHERS = new Set([
  "base64",
  "bash",
  "chmod",
  "curl",
  "date",
  "export",
  "grep",
  "ln",
  "openssl",
  "printf",
]);

const CHECKS: Readonly<Record<string, (words: readonly string[]) => string | undefined>> = {
  holdfast: holdfastProblem,
  npm: npmProblem,
  kubectl: kubectlProblem,
  helm: helmProblem,
};

const SHOWN = VIEWS.flatMap(({ kinds }) => kinds);

function holdfastProblem(words: readonly string[]): string | undefined {
  // A sentence may name a command without what it is about.
  if (words.length <= 2 && COMMANDS.some(({ name }) => name === words.join(" "))) return undefined;
  try {
    const asked = parse(words, COMMANDS);
    if ("help" in asked) return words.length === 0 ? undefined : "there is no such command";
    const { command, given } = asked;
    const unknown = given.words.find(
      (word, index) => command.args?.[index]?.completes === "kinds" && !kindOf(word, SHOWN),
    );
    return unknown === undefined ? undefined : `there is no kind ${unknown}`;
  } catch (error) {
    return messageOf(error);
  }
}

const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  readonly scripts: Readonly<Record<string, string>>;
};

function npmProblem(words: readonly string[]): string | undefined {
  const own = holdfastWords(["npm", ...words]);
  if (own) return holdfastProblem(own);
  const [first = "", second = ""] = words.filter((word) => !word.startsWith("-"));
  const script = first === "run" ? second : first;
  return script in scripts ? undefined : `package.json has no script ${script}`;
}

const OF_RESOURCES = new Set(["annotate", "delete", "describe", "edit", "get", "label", "patch", "wait"]);
/** Verbs that are about something else, or about whatever is in a file. */
const OF_OTHERS = new Set(["apply", "auth", "create", "exec", "logs", "port-forward", "rollout"]);
/** Options whose value stands in a word of its own. */
const WITH_VALUE = new Set(["-f", "-l", "-n", "-o", "--namespace"]);

function kubectlProblem(words: readonly string[]): string | undefined {
  const own = holdfastWords(["kubectl", ...words]);
  if (own) return holdfastProblem(own);
  const [verb, target] = plainWords(words);
  if (verb === undefined) return undefined;
  if (!OF_RESOURCES.has(verb) && !OF_OTHERS.has(verb)) return `kubectl ${verb} is not known here`;
  if (OF_OTHERS.has(verb)) return fileProblem(words);
  const resources = (target ?? "").split("/")[0]?.split(",").filter(Boolean) ?? [];
  const unknown = resources.find((name) => !RESOURCES.has(name));
  return unknown === undefined ? jsonPathProblem(words, resources) : `there are no ${unknown}`;
}

function jsonPathProblem(words: readonly string[], [resource = ""]: readonly string[]): string | undefined {
  const path = words.map((word) => /^jsonpath=\{\.(.*)\}$/.exec(word)?.[1]).find(Boolean);
  const plural = resource.split(".")[0];
  return path === undefined || isField(path, plural) ? undefined : `${resource} have no ${path}`;
}

function helmProblem(words: readonly string[]): string | undefined {
  const values = words.flatMap((word, at) => (words[at - 1] === "--set" ? [word.split("=")[0] ?? ""] : []));
  const unknown = values.find((value) => !isChartValue(value));
  return unknown === undefined ? fileProblem(words) : `the chart has no value ${unknown}`;
}

function fileProblem(words: readonly string[]): string | undefined {
  const files = words.filter((word, at) => words[at - 1] === "-f" || word.startsWith("charts/"));
  const missing = files.find((file) => globSync(file, { cwd: ROOT }).length === 0);
  return missing === undefined ? undefined : `there is no file ${missing}`;
}

/** The words of a command of kubectl's without its options. */
export function plainWords(words: readonly string[]): readonly string[] {
  return words.filter((word, at) => !word.startsWith("-") && !WITH_VALUE.has(words[at - 1] ?? ""));
}

/** All that kubectl may be asked for: ours in full, as others have a Backup too; Kubernetes' own also by short names. */
const RESOURCES = new Set([
  ...APIS.flatMap((api) => api.kinds).map(({ resource }) => resourceName(resource)),
  ...Object.values(builtin)
    .filter((one): one is Resource => typeof one === "object" && "plural" in one)
    .flatMap(({ plural, kind }) => [plural, kind.toLowerCase()]),
  ...["pvc", "crd", "volumesnapshots"],
]);
