import type { Clock } from "../../lib/clock.ts";
import type { Call, Cluster, CommandSpec } from "../frame/command.ts";
import { Given } from "../frame/given.ts";
import { objectNames } from "./object_names.ts";
import { type Offer, type WordInQuestion, wordInQuestion } from "./word_in_question.ts";

/** What a shell is to do with the offers: the numbers are those that kubectl knows, too. */
const DIRECTIVE = { filesToo: ":0", these: ":4", withoutSpace: ":6" } as const;

export interface CompleteOptions {
  /** What follows `holdfast __complete`: the last word is unfinished. */
  readonly words: readonly string[];
  readonly commands: readonly CommandSpec[];
  readonly connect: (given: Given) => Promise<Cluster>;
  readonly views: Call["views"];
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The lines that answer a shell: an offer each, with its summary after a tab, and at last what to do with them. */
export async function completed({
  words,
  commands,
  connect,
  views,
  clock,
  signal,
}: CompleteOptions): Promise<readonly string[]> {
  const word = wordInQuestion(words, commands);
  const { begun, lead, offers, completes, values } = word;
  if (completes === "files") return [DIRECTIVE.filesToo];
  const cluster = () => connect(new Given([], values));
  const option = typeof completes === "object" ? completes.namespaceOption : undefined;
  const namespace = (option && values[option]) ?? values.namespace;
  const found = completes
    ? await objectNames({ completes, begun, namespace, cluster, views, clock, signal })
    : [];
  const fitting = [...offers, ...found].filter(({ text }) => text.startsWith(begun));
  return [...fitting.map((offer) => line(offer, lead)), directive(fitting, word)];
}

function line({ text, summary }: Offer, lead: string): string {
  return summary ? `${lead}${text}\t${summary}` : `${lead}${text}`;
}

function directive(fitting: readonly Offer[], { completes }: WordInQuestion): string {
  const goesOn = completes !== undefined && fitting.every(({ text }) => text.endsWith("/"));
  return goesOn && fitting.length > 0 ? DIRECTIVE.withoutSpace : DIRECTIVE.these;
}
