import { expect, test } from "vitest";
import { confirmedByName } from "./confirmed_by_name.ts";
import { Given } from "./given.ts";

const { signal } = new AbortController();
const asked = { option: "confirm-deletion", name: "documents", why: "The snapshot is empty." };
const confirm = (options: Record<string, string | boolean>, typed?: string) =>
  confirmedByName(
    {
      given: new Given([], options),
      terminal: (typed === undefined ? {} : { ask: async () => typed }) as never,
      signal,
    },
    asked,
  );

test.each([
  [{ "confirm-deletion": "documents" }, undefined],
  [{}, "documents\n"],
])("goes on with the name: %j %j", async (options, typed) => {
  await expect(confirm(options, typed)).resolves.toBeUndefined();
});

test.each([
  [{ yes: true }, undefined, "this needs a confirmation of its own"],
  [{ yes: true }, "yes", "nothing was done"],
  [
    { "confirm-deletion": "photos" },
    undefined,
    "--confirm-deletion is photos, and the plan is about documents",
  ],
])("stops without it: %j %j", async (options, typed, message) => {
  await expect(confirm(options, typed)).rejects.toThrow(message);
});
