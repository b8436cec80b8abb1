import type { DestinationStream } from "pino";

/** Takes pino's lines of JSON, and hands on lines for people: time, level, message, and the fields as `key=value`. */
export function textLines(target: DestinationStream): DestinationStream {
  return { write: (line) => target.write(textLine(line)) };
}

function textLine(line: string): string {
  const { time, level, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const rest = Object.entries(fields).map(([name, value]) => ` ${name}=${valueText(value)}`);
  return `${time} ${String(level).toUpperCase().padEnd(5)} ${oneLine(String(msg))}${rest.join("")}\n`;
}

/** Bare where that is plain to read and to split again, else as JSON. */
function valueText(value: unknown): string {
  return typeof value === "string" && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}

/** A message with line breaks in it must not pass for two. */
function oneLine(text: string): string {
  return text.replace(/[\r\n]+\s*/g, " ");
}
