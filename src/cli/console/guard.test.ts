import { expect, test } from "vitest";
import { foreign, misplaced, needsProof, type Place, sameSecret } from "./guard.ts";

const LOOPBACK: Place = { loopbackPort: 4711 };
const CLUSTER: Place = { address: "https://backups.example.com" };
const asked = (headers: Readonly<Record<string, string>>) => ({
  method: "GET",
  header: (name: string) => headers[name],
});

test.each([
  [LOOPBACK, "127.0.0.1:4711", undefined],
  [LOOPBACK, "localhost:4711", undefined],
  [LOOPBACK, "[::1]:4711", undefined],
  [LOOPBACK, "127.0.0.1:80", "the console is not at 127.0.0.1:80"],
  [LOOPBACK, "127.0.0.1", "the console is not at 127.0.0.1"],
  [LOOPBACK, "127.0.0.1.evil.example.com:4711", "the console is not at 127.0.0.1.evil.example.com:4711"],
  [LOOPBACK, "", "the console is not at "],
  [{ loopbackPort: 80 }, "127.0.0.1", undefined],
  [{ loopbackPort: 80 }, "localhost", undefined],
  [{ loopbackPort: 80 }, "evil.example.com", "the console is not at evil.example.com"],
  [CLUSTER, "backups.example.com", undefined],
  [CLUSTER, "evil.example.com", "the console is not at evil.example.com"],
  [{}, "anything", undefined],
])("at %j, a request for the host %j: %j", (place, host, why) => {
  expect(misplaced(asked({ host }), place)).toBe(why);
});

test.each([
  [LOOPBACK, {}, undefined],
  [LOOPBACK, { origin: "http://127.0.0.1:4711" }, undefined],
  [LOOPBACK, { origin: "http://127.0.0.1:4712" }, "http://127.0.0.1:4712 is not the console's own page"],
  [LOOPBACK, { origin: "null" }, "null is not the console's own page"],
  [LOOPBACK, { "sec-fetch-site": "same-origin" }, undefined],
  [LOOPBACK, { "sec-fetch-site": "none" }, undefined],
  [LOOPBACK, { "sec-fetch-site": "same-site" }, "another site asked for this"],
  [LOOPBACK, { "sec-fetch-site": "cross-site" }, "another site asked for this"],
  [CLUSTER, { origin: "https://backups.example.com" }, undefined],
  [
    CLUSTER,
    { origin: "http://backups.example.com" },
    "http://backups.example.com is not the console's own page",
  ],
  [{}, { origin: "https://127.0.0.1:4711" }, undefined],
])("at %j, a request with %j: %j", (place, headers, why) => {
  expect(foreign(asked({ host: "127.0.0.1:4711", ...headers }), place)).toBe(why);
});

test.each([
  ["GET", false],
  ["HEAD", false],
  ["POST", true],
  ["PUT", true],
  ["DELETE", true],
])("%s has to prove where it is from: %s", (method, wanted) => {
  expect(needsProof({ method, header: () => undefined })).toBe(wanted);
});

test.each([
  ["abc", "abc", true],
  ["abc", "abd", false],
  ["abc", "abcd", false],
  ["", "", false],
])("%j and %j are the same secret: %s", (a, b, same) => {
  expect(sameSecret(a, b)).toBe(same);
});
