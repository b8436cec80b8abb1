/** What a terminal takes as an order. Our own colours are none to be afraid of, lines and tabs neither. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not get through.
const ORDERS = /\u001b\[(?:[012]|3[123])m|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Text that cannot write over the terminal that shows it, whoever wrote it: messages of objects, and lines of logs. */
export function shownText(text: string): string {
  return text.replace(ORDERS, (order) => (order.length > 1 ? order : "\ufffd"));
}
