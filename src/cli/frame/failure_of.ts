import { complaintOf, type NativeObject } from "./kinds.ts";
import { namedText } from "./named_text.ts";
import { CommandProblem } from "./problem.ts";

/** What a person is told of an object whose work failed: its own words, its remedy, and where to read more. */
export function failureOf(object: NativeObject): CommandProblem {
  const { kind, metadata, status } = object;
  const word = `${kind.toLowerCase()}/${metadata.name}`;
  const more = `holdfast logs ${namedText(object)} shows more.`;
  return new CommandProblem(`${word} is ${status?.phase ?? "not as it should be"}`, {
    why: complaintOf(object) ?? "it gives no reason",
    fix: [status?.failure?.remedy, more].filter(Boolean).join(" "),
  });
}
