import { expect, test } from "vitest";
import { lostOutput } from "./lost_output.ts";

test("whoever has seen enough is told nothing, and it ends well", () => {
  expect(lostOutput(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }))).toEqual({ code: 0 });
});

test("output that is lost is a failure", () => {
  const error = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  expect(lostOutput(error)).toEqual({
    code: 1,
    text: "error: the output cannot be written\n  why: ENOSPC: no space left on device, write\n",
  });
});
