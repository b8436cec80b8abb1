import type { ConsoleView } from "../../../src/cli/console/contract.ts";
import { ageText } from "./ages.ts";
import type { Tone } from "./levels.ts";
import { wants } from "./wants.ts";

/** Whether the data is safe, in a sentence. */
export interface Verdict {
  readonly tone: Tone;
  readonly sentence: string;
  readonly safe: number;
  readonly counted: number;
  readonly wanting: number;
}

export function verdictOf(view: Pick<ConsoleView, "volumes" | "problems" | "lost" | "now">): Verdict {
  const all = view.volumes.filter(({ coverage }) => coverage !== undefined && coverage !== "exempt");
  const data = all.filter(({ unseen }) => !unseen);
  const unseen = all.length - data.length;
  const safe = data.filter(({ protection }) => protection === "yes").length;
  const wanting = wants(view).length;
  const bad = view.lost.length > 0 || data.some(({ protection }) => protection === "no");
  const fine = safe === all.length && wanting === 0;
  const tone: Tone = bad ? "bad" : fine ? "good" : "warn";
  const parts = [
    ...(unseen > 0 ? [unseenText(unseen, all.length)] : []),
    ...(data.length > 0 || unseen === 0 ? [counted(safe, data.length)] : []),
    ...oldest(data.flatMap(({ lastGood }) => lastGood?.at ?? []).sort(), view.now),
    ...(wanting > 0 ? [wanting === 1 ? "1 thing wants you" : `${wanting} want you`] : []),
  ];
  return { tone, sentence: `${parts.join("; ")}.`, safe, counted: data.length, wanting };
}

function unseenText(unseen: number, all: number): string {
  const which =
    all === 1 ? "your volume" : unseen === all ? `your ${all} volumes` : `${unseen} of ${all} volumes`;
  return `You may not see what backs up ${which}`;
}

function counted(safe: number, all: number): string {
  if (all === 0) return "There are no volumes to protect";
  if (all === 1) return safe === 1 ? "Your volume is safe" : "Your volume is not safe";
  if (safe === all) return `All ${all} volumes are safe`;
  return `${safe} of ${all} volumes ${safe === 1 ? "is" : "are"} safe`;
}

function oldest(times: readonly string[], now: string): readonly string[] {
  const ages = times.map((at) => Date.parse(now) - Date.parse(at)).filter((age) => age >= 0);
  if (ages.length === 0) return [];
  const which = ages.length === 1 ? "the backup is" : "the oldest good backup is";
  return [`${which} ${ageText(Math.max(...ages))} old`];
}
