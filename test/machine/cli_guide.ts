/** One command of a guide, and what it prints there. */
export interface GuideCommand {
  /** Without `$ holdfast `. */
  readonly line: string;
  readonly prints: string;
}

const BLOCK = /^```console\n(.*?)^```$/gms;
const PROMPT = "$ holdfast ";

/** The commands of a guide, in their order. */
export function guideCommands(text: string): readonly GuideCommand[] {
  return [...text.matchAll(BLOCK)].flatMap(([, block = ""]) =>
    block
      .split(/^(?=\$ )/m)
      .filter((part) => part.startsWith(PROMPT))
      .map((part) => {
        const end = part.indexOf("\n");
        return { line: part.slice(PROMPT.length, end), prints: part.slice(end + 1) };
      }),
  );
}

/** The words of a command, without the quotes that a shell would take. */
export function wordsOf(line: string): readonly string[] {
  return line.split(" ").map((word) => word.replace(/^'(.*)'$/, "$1"));
}

/** What stays the same from run to run: IDs, sizes, times, ports, counts in cells, events and the width of columns do not. */
export function steady(text: string): string {
  return text
    .replace(/-\d{8}-\d{6}-[0-9a-f]{4}/g, "-<stamp>")
    .replace(/\d{4}-\d\d-\d\d[T ][\d:]+(\.\d+)?Z?/g, "<time>")
    .replace(/https:\/\/127\.0\.0\.1:\d+/g, "<server>")
    .replace(/\b[0-9a-f]{12,}\b/g, "<id>")
    .replace(/(\d+[dhms])+/g, "<while>")
    .replace(/\d+(\.\d+)? (B|KiB|MiB)/g, "<size>")
    .replace(/^<while> ago, .*\n/gm, "")
    .replace(/ +/g, " ")
    .replace(/ (-|\d+)(?= |$)/gm, " <count>")
    .trim();
}
