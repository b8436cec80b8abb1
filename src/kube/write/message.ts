/** The longest message in a condition or an event, in bytes of UTF-8: what the API server takes in an event. */
export const MAX_MESSAGE = 1024;

const ELLIPSIS = "…";

/** The message, cut between two characters and ended with an ellipsis where it is longer than MAX_MESSAGE. */
export function boundedMessage(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_MESSAGE) return text;
  let end = MAX_MESSAGE - Buffer.byteLength(ELLIPSIS);
  while (isContinuation(bytes[end])) end--;
  return bytes.toString("utf8", 0, end) + ELLIPSIS;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
}
