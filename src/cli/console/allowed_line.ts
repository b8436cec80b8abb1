import type { CommandSpec } from "../frame/command.ts";
import type { Given } from "../frame/given.ts";
import { parse } from "../frame/parse.ts";
import { misuse } from "../frame/problem.ts";

/** Commands that change nothing: they end with whoever looks. */
const LOOKING: readonly string[] = ["status", "coverage", "list", "describe", "explain", "doctor", "logs"];

/** The commands that the page may run. Backups are looked into by questions of the page's own, which are bounded. */
export const ALLOWED: readonly string[] = [
  ...LOOKING,
  ...["backup now", "restore", "drill", "verify", "maintenance run"],
  ...["cancel", "retry", "hold", "unhold", "acknowledge", "delete", "suspend", "resume"],
];

/** Options that reach elsewhere: to another cluster, to files beside the program, to a program of the caller's choice. */
const REFUSED: Readonly<Record<string, string>> = {
  kubeconfig: "The console works in the cluster that it was started for.",
  context: "The console works in the cluster that it was started for.",
  watch: "The console shows changes by itself.",
};

export interface AllowedLine {
  readonly command: CommandSpec;
  readonly given: Given;
  /** It changes nothing. */
  readonly looks: boolean;
}

/** The command that words ask for, where a page may ask for it. Throws a CommandProblem. */
export function allowedLine(
  words: readonly string[],
  namespace: string,
  commands: readonly CommandSpec[],
): AllowedLine {
  // Last, but before a word that ends the options: of several, the last one counts.
  const end = words.indexOf("--");
  const at = end < 0 ? words.length : end;
  const named = words.slice(0, at).some((word) => /^(-n|--namespace)(=|$)|^-n./.test(word));
  const line = named ? words : [...words.slice(0, at), `--namespace=${namespace}`, ...words.slice(at)];
  const asked = parse(line, commands);
  if ("help" in asked) throw misuse("the console shows no help", "holdfast help in a terminal does.");
  const { command, given } = asked;
  if (!ALLOWED.includes(command.name))
    throw misuse(`${command.name} is not for the console`, `Run holdfast ${command.name} in a terminal.`);
  for (const [option, fix] of Object.entries(REFUSED)) {
    if (given.text(option) !== undefined || given.flag(option))
      throw misuse(`--${option} is not for the console`, `Leave it out. ${fix}`);
  }
  return { command, given, looks: LOOKING.includes(command.name) };
}
