import { type ParseArgsConfig, parseArgs } from "node:util";
import { didYouMean } from "../../lib/did_you_mean.ts";
import { messageOf } from "../../lib/result.ts";
import type { CommandSpec, OptionSpec } from "./command.ts";
import { Given } from "./given.ts";
import { GLOBAL_OPTIONS } from "./global_options.ts";
import { misuse } from "./problem.ts";

/** What a command line asks for. */
export type Asked =
  | { readonly command: CommandSpec; readonly given: Given }
  /** Help on a command, on a group of them such as `maintenance`, or, with no words, on all. */
  | { readonly help: readonly string[] };

/** Reads a command line. Throws a CommandProblem that says what is wrong with it. */
export function parse(argv: readonly string[], commands: readonly CommandSpec[]): Asked {
  const { values, positionals } = read(isVersion(argv) ? ["version"] : argv, commands);
  const command = commandOf(positionals, commands);
  const asksHelp = values.help === true || positionals[0] === "help";
  const named = positionals[0] === "help" ? positionals.slice(1) : positionals;
  if (named.length === 0) return { help: [] };
  if (asksHelp && command) return { help: command.name.split(" ") };
  if (!command) {
    const group = commands.filter(({ name }) => name.startsWith(`${named[0]} `));
    if (group.length === 0) {
      const meant = didYouMean(
        named[0] ?? "",
        commands.map(({ name }) => name.split(" ")[0] ?? ""),
      );
      const fix = "holdfast help lists them all.";
      throw misuse(`there is no command ${named[0]}`, meant ? `Did you mean ${meant}? ${fix}` : fix);
    }
    if (named.length === 1) return { help: named };
    throw misuse(`there is no command ${named.slice(0, 2).join(" ")}`, `There is ${listed(group)}.`);
  }
  const words = positionals.slice(command.name.split(" ").length);
  checkOptions(command, values);
  checkWords(command, words);
  return { command, given: new Given(words, values) };
}

/** All options of a command: its own, and those of every command. */
export function optionsOf(command: CommandSpec): Readonly<Record<string, OptionSpec>> {
  const { output, namespace, "all-namespaces": all, ...others } = GLOBAL_OPTIONS;
  const outputs = command.outputs ?? [];
  return {
    ...command.options,
    ...(outputs.length > 0 ? { output: { ...output, choices: outputs } } : {}),
    namespace,
    ...(command.allNamespaces ? { "all-namespaces": all } : {}),
    ...others,
  };
}

/** The one option that stands alone, as whoever looks for a version tries it. */
function isVersion(argv: readonly string[]): boolean {
  return argv.length === 1 && argv[0] === "--version";
}

type Values = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

/** Options may stand anywhere, so all that there are must be known before the command is. */
function read(
  argv: readonly string[],
  commands: readonly CommandSpec[],
): { readonly values: Values; readonly positionals: readonly string[] } {
  const all = Object.assign({}, ...commands.map(optionsOf), GLOBAL_OPTIONS) as Record<string, OptionSpec>;
  const options: NonNullable<ParseArgsConfig["options"]> = Object.fromEntries(
    Object.entries(all).map(([name, { value, short, many }]) => [
      name,
      {
        type: value === undefined ? "boolean" : "string",
        ...(short ? { short } : {}),
        ...(many ? { multiple: true } : {}),
      },
    ]),
  );
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw unreadable(messageOf(error), Object.keys(options));
  }
}

/** Node's own words, as far as they help. */
function unreadable(said: string, known: readonly string[]) {
  const unknown = /^Unknown option '--?([^'=]+)/.exec(said)?.[1];
  if (unknown !== undefined) {
    const begun = known.filter((one) => one.startsWith(unknown));
    const meant = begun.length === 1 ? begun[0] : didYouMean(unknown, known);
    return misuse(
      said.replace(/\. To specify a positional.*$/s, ""),
      meant ? `Did you mean --${meant}? See --help.` : "See --help.",
    );
  }
  const dashed = /^Option '([^']+)' argument is ambiguous/.exec(said)?.[1];
  if (dashed !== undefined) {
    const option = dashed.split(" ")[0]?.replace(",", "") ?? dashed;
    return misuse(`${dashed} needs a value`, `A value that begins with a dash is written as ${option}=-…`);
  }
  return misuse(said.replace(/\. To specify a positional.*$/s, ""), "See --help.");
}

function commandOf(words: readonly string[], commands: readonly CommandSpec[]): CommandSpec | undefined {
  const named = words[0] === "help" ? words.slice(1) : words;
  return commands
    .filter(({ name }) => name.split(" ").every((word, index) => named[index] === word))
    .toSorted((a, b) => b.name.length - a.name.length)[0];
}

function checkOptions(command: CommandSpec, values: Values): void {
  const known = optionsOf(command);
  for (const [name, value] of Object.entries(values)) {
    const spec = known[name];
    if (!spec)
      throw misuse(`${command.name} has no option --${name}`, `See holdfast ${command.name} --help.`);
    const { choices } = spec;
    for (const one of Array.isArray(value) ? value : [value]) {
      if (choices && !choices.includes(String(one)))
        throw misuse(`--${name} is ${JSON.stringify(one)}`, `It may be ${choices.join(", ")}.`);
    }
  }
  if (values["all-namespaces"] && values.namespace)
    throw misuse("--namespace and --all-namespaces exclude each other", "Give one of them.");
}

function checkWords(command: CommandSpec, words: readonly string[]): void {
  const { args = [] } = command;
  const missing = args.slice(words.length).find(({ optional }) => !optional);
  if (missing) {
    throw misuse(
      `${command.name} needs <${missing.name}>: ${missing.summary}`,
      `See holdfast ${command.name} --help.`,
    );
  }
  if (words.length > args.length && !args.at(-1)?.many) {
    const extra = words.slice(args.length).join(" ");
    throw misuse(`${command.name} does not take ${extra}`, `See holdfast ${command.name} --help.`);
  }
  for (const [index, { choices, name }] of args.entries()) {
    const word = words[index];
    if (choices && word !== undefined && !choices.includes(word))
      throw misuse(`<${name}> is ${JSON.stringify(word)}`, `It may be ${choices.join(", ")}.`);
  }
}

function listed(commands: readonly CommandSpec[]): string {
  return commands.map(({ name }) => name).join(", ");
}
