import { expect, test } from "vitest";
import { serverVersion } from "./server_version.ts";

const answering = (status: number, text: string) => ({
  send: async () => ({
    status,
    headers: {},
    body: (async function* () {
      yield Buffer.from(text);
    })(),
  }),
});

test.each([
  [200, '{"major":"1","minor":"34","gitVersion":"v1.34.4"}', { major: 1, minor: 34, text: "v1.34.4" }],
  [200, '{"gitVersion":"v1.31.9-gke.100"}', { major: 1, minor: 31, text: "v1.31.9-gke.100" }],
  [200, '{"gitVersion":"main"}', undefined],
  [200, "<html>", undefined],
  [403, '{"kind":"Status"}', undefined],
])("an answer %d with %s", async (status, text, version) => {
  expect(await serverVersion(answering(status, text), new AbortController().signal)).toEqual(version);
});
