/** The lines of a text that comes in pieces; the last one may lack its end. */
export async function* linesOf(pieces: AsyncIterable<string>): AsyncIterable<string> {
  let rest = "";
  for await (const piece of pieces) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") yield line;
  }
  if (rest !== "") yield rest;
}
