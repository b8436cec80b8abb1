/** A line as JSON, or as it is: engines mix both, and newer versions may say more. */
export function parsedLine(line: string): unknown {
  if (!line.startsWith("{")) return line;
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}
