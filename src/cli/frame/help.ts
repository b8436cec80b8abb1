import type { ArgumentSpec, CommandSpec, OptionSpec } from "./command.ts";
import { EXIT } from "./exit_codes.ts";
import { optionsOf } from "./parse.ts";

/** What a person reads who asks for help on these words, or on nothing. */
export function helpText(words: readonly string[], commands: readonly CommandSpec[]): string {
  const name = words.join(" ");
  const exact = commands.find((command) => command.name === name);
  if (exact) return commandHelp(exact);
  const group = commands.filter((command) => command.name.startsWith(`${name} `));
  const shown = group.length > 0 ? group : commands;
  return [
    "holdfast: backups of PersistentVolumeClaims, and their way back",
    "",
    "Usage: holdfast <command> [options]",
    "",
    ...rows(shown.map((command) => [command.name, command.summary])),
    "",
    "holdfast <command> --help tells more. As a plugin it is kubectl holdfast <command>.",
    `Ends with ${exitText()}.`,
  ].join("\n");
}

/** The line that shows how a command is called. */
export function usageOf({ name, args = [] }: CommandSpec): string {
  return ["holdfast", name, ...args.map(argumentText), "[options]"].join(" ");
}

function commandHelp(command: CommandSpec): string {
  const { summary, details, args = [], examples = [] } = command;
  const options = Object.entries(optionsOf(command));
  return [
    `${usageOf(command)}`,
    "",
    `${summary[0]?.toUpperCase()}${summary.slice(1)}.${details ? ` ${details}` : ""}`,
    ...(args.length > 0 ? ["", ...rows(args.map((arg) => [`<${arg.name}>`, chosen(arg)]))] : []),
    "",
    ...rows(options.map(([name, spec]) => [optionText(name, spec), chosen(spec)])),
    ...(examples.length > 0
      ? ["", ...examples.flatMap(([line, does]) => [`  # ${does}`, `  holdfast ${line}`])]
      : []),
  ].join("\n");
}

function argumentText({ name, optional, many }: ArgumentSpec): string {
  const word = `<${name}>${many ? "…" : ""}`;
  return optional ? `[${word}]` : word;
}

function optionText(name: string, { short, value }: OptionSpec): string {
  return `${short ? `-${short}, ` : "    "}--${name}${value ? ` <${value}>` : ""}`;
}

function chosen({ summary, choices }: Pick<OptionSpec, "summary" | "choices">): string {
  return choices ? `${summary}: ${choices.join(", ")}` : summary;
}

function rows(pairs: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...pairs.map(([left]) => left.length));
  return pairs.map(([left, right]) => `  ${left.padEnd(width)}   ${right}`);
}

function exitText(): string {
  const { done, failed, usage, notFound, refused, unreachable, notConfirmed } = EXIT;
  return [
    `${done} when done`,
    `${failed} when it failed`,
    `${usage} when nothing was begun, as it cannot be done so`,
    `${notFound} when something named is not there`,
    `${refused} when the cluster refuses`,
    `${unreachable} when it cannot be reached`,
    `${notConfirmed} when a plan was not confirmed`,
  ].join(", ");
}
