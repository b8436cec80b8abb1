import { describe, expect, test } from "vitest";
import { VirtualClock } from "../lib/virtual_clock.ts";
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

  test("keeps the changing line within the terminal, however that is resized", () => {
    const parts: string[] = [];
    const output = {
      isTTY: true,
      columns: 80,
      write: (text: string | Uint8Array) => parts.push(String(text)),
    };
    const screen = new Screen(output);
    screen.show("█".repeat(100));
    output.columns = 10;
    screen.show("a message\nof two lines");
    screen.show("123456789");
    const [wide = "", , narrow = "", , fitting = ""] = parts;
    expect(wide).toBe(`${"█".repeat(78)}…`);
    expect(narrow).toBe("a messag…");
    expect(fitting).toBe("123456789");
  });

  test("says elsewhere how it stands after half a minute of silence", async () => {
    const clock = new VirtualClock();
    const parts: string[] = [];
    const screen = new Screen({ write: (text) => parts.push(String(text)) }, clock);
    const later = async (ms: number, text: string) => {
      await clock.advance(ms);
      screen.show(text);
    };
    await later(29_000, "a");
    await later(1_000, "b");
    await later(29_000, "c");
    screen.line("a line");
    await later(29_000, "d");
    await later(1_000, "e");
    expect(parts).toEqual(["b\n", "a line\n", "e\n"]);
  });

  test("takes no orders from what it shows", () => {
    const parts: string[] = [];
    const screen = new Screen({ isTTY: true, write: (text) => parts.push(String(text)) });
    screen.show("\u001b[2J");
    screen.line("\rover");
    expect(parts).toEqual(["\ufffd[2J", "\r\u001b[2K", "\ufffdover\n"]);
  });
});
