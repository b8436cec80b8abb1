import { complaintOf, namedText, type ShownObject } from "../../core/view/shown_object.ts";
import { CommandProblem } from "./problem.ts";

/** What a person is told of an object whose work failed: its own words, its remedy, and where to read more. */
export function failureOf(object: ShownObject): CommandProblem {
  const { kind, metadata, status } = object;
  const word = `${kind.toLowerCase()}/${metadata.name}`;
  const more = `holdfast logs ${namedText(object)} shows more.`;
  const words = status?.failure?.stderrTail?.trim();
  const why = complaintOf(object) ?? "it gives no reason";
  return new CommandProblem(`${word} is ${status?.phase ?? "not as it should be"}`, {
    why: words ? `${why}\n       the engine says: ${words}` : why,
    fix: [status?.failure?.remedy, ...(status?.logTail ? [more] : [])].filter(Boolean).join(" "),
  });
}
