import { expect, test } from "vitest";
import type { Cluster } from "./command.ts";
import { confirmed } from "./confirmed.ts";
import { Given } from "./given.ts";

const asked = (answer: string | undefined, options: Readonly<Record<string, boolean>> = {}) => {
  const questions: string[] = [];
  const ask = async (question: string) => {
    questions.push(question);
    return answer;
  };
  const output = { write: () => {} };
  const call = {
    given: new Given([], options),
    terminal: { out: output, err: output, ask },
    signal: new AbortController().signal,
    cluster: async () => ({ server: "https://here", context: "home" }) as Cluster,
  };
  return confirmed(call, "Add --yes.").then(() => questions);
};

test.each(["y", "YES", " yes "])("%j is a yes", async (answer) => {
  expect(await asked(answer)).toEqual(["Do it in cluster home (https://here)? [y/N] "]);
});

test.each(["", "n", "yesterday", undefined])(
  "%j is none, and undefined is the end of the input",
  async (answer) => {
    await expect(asked(answer)).rejects.toMatchObject({ code: 6, message: "nothing was done" });
  },
);

test("with --yes nobody is asked", async () => {
  expect(await asked(undefined, { yes: true })).toEqual([]);
});

test("where nobody can be asked, it says what helps", async () => {
  const output = { write: () => {} };
  const call = {
    given: new Given([], {}),
    terminal: { out: output, err: output },
    signal: new AbortController().signal,
    cluster: async () => ({ server: "https://here", context: "home" }) as Cluster,
  };
  await expect(confirmed(call, "Add --yes.")).rejects.toMatchObject({ code: 6, fix: "Add --yes." });
});
