import { expect, test } from "vitest";
import { shownText } from "./shown_text.ts";

test.each([
  ["plain, ä and 日本", "plain, ä and 日本"],
  ["two\nlines\tand a tab", "two\nlines\tand a tab"],
  ["\u001b[31mred\u001b[0m", "\u001b[31mred\u001b[0m"],
  ["\u001b[2J\u001b[Hgone", "\ufffd[2J\ufffd[Hgone"],
  ["over\rwritten\b\u0007", "over\ufffdwritten\ufffd\ufffd"],
  ["\u001b]0;title\u0007\u009b2J\u007f", "\ufffd]0;title\ufffd\ufffd2J\ufffd"],
])("%j is shown as %j", (text, shown) => {
  expect(shownText(text)).toBe(shown);
});
