import { describe, expect, test } from "vitest";
import { Screen } from "./screen.ts";

function written(isTTY: boolean): string {
  const parts: string[] = [];
  const screen = new Screen({ isTTY, write: (text) => parts.push(String(text)) });
  screen.show("half");
  screen.show("most");
  screen.line("done");
  return parts.join("");
}

describe("Screen", () => {
  test("writes the changing line over itself on a terminal", () => {
    expect(written(true)).toBe("half\r\u001b[2Kmost\r\u001b[2Kdone\n");
  });

  test("keeps to whole lines elsewhere", () => {
    expect(written(false)).toBe("done\n");
  });
});
