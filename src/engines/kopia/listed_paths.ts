/**
 * The paths that `kopia ls --recursive` prints below `root`, each a line that begins with it: a name may hold ends of
 * lines itself, but never one with the root's own ID behind it. A folder ends with a slash, and comes before what it
 * holds.
 */
export async function* listedPaths(chunks: AsyncIterable<Uint8Array>, root: string): AsyncIterable<string> {
  const beginning = `${root}/`;
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let rest = "";
  let path: string | undefined;
  for await (const chunk of chunks) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) {
      if (line.startsWith(beginning)) {
        if (path !== undefined) yield path;
        path = line.slice(beginning.length);
      } else if (path !== undefined) path += `\n${line}`;
    }
  }
  if (path !== undefined) yield path;
}
