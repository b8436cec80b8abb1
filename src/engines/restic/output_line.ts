import { isRecord } from "../../lib/json.ts";
import { parsedLine } from "../parsed_line.ts";

/** What a line of restic's says to a person: what is about a file begins with its path. */
export function toldBy(line: string): string {
  const { item, text } = heard(line);
  return item === undefined ? text : `${item}: ${text}`;
}

/** The same without the path: what files are called says nothing about what went wrong. */
export function reasonIn(line: string): string {
  const { item, text } = heard(line);
  return withoutItem(text, item);
}

/** What is said of a file, without its path, which may be one below another folder. */
export function withoutItem(text: string, item: string | undefined): string {
  if (!item) return text;
  return text.replace(new RegExp(`(?<=^|[\\s"])(?:/[^\\s:]*)?${RegExp.escape(item)}`, "g"), "");
}

function heard(line: string): { readonly text: string; readonly item: string | undefined } {
  const value = parsedLine(line);
  if (!isRecord(value)) return { text: line, item: undefined };
  const { message, error, item } = value;
  const text = message ?? (isRecord(error) ? error.message : undefined) ?? line;
  return { text: String(text), item: typeof item === "string" && item !== "" ? item : undefined };
}
