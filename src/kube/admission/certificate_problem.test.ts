import { expect, test } from "vitest";
import { seededRandom } from "../../lib/random.ts";
import { createAuthority, issueServerCertificate } from "../certificates/certificates.ts";
import { type CertificateFacts, certificateProblem } from "./certificate_problem.ts";

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 5, 1);
const random = seededRandom(5);
const names = { dns: ["webhook.holdfast.svc"], ip: [] };
const life = { notBefore: NOW - 30 * DAY, notAfter: NOW + 60 * DAY };
const authority = createAuthority({ name: "ours", validity: life, random });
const other = createAuthority({ name: "theirs", validity: life, random });
const { cert } = issueServerCertificate({ authority, names, validity: life, random });

const day = (days: number) => NOW + days * DAY;

test.each<[what: string, facts: Partial<CertificateFacts>, problem: RegExp | undefined]>([
  ["is well", {}, undefined],
  ["is vouched for by one of two", { authority: other.cert + authority.cert }, undefined],
  ["is trusted itself, as one that signed itself is", { authority: cert }, undefined],
  ["is not known to be trusted or not", { authority: undefined }, undefined],
  [
    "has expired",
    { now: day(60) },
    /expired at 2026-07-31T00:00:00.000Z: the API server refuses .* renew it/,
  ],
  ["will expire within two weeks", { now: day(50) }, /expires at 2026-07-31T00:00:00.000Z, and nobody has/],
  [
    "does not hold yet",
    { now: day(-31) },
    /holds only from 2026-05-02T00:00:00.000Z: .* set the clock right/,
  ],
  [
    "is for another name",
    { names: { dns: ["webhook.other.svc"], ip: [] } },
    /is not for webhook.other.svc \(DNS:webhook.holdfast.svc\)/,
  ],
  [
    "is of another authority",
    { authority: other.cert },
    /was not issued by the authority .* webhook.caBundle/,
  ],
  ["is none", { cert: "-----BEGIN CERTIFICATE-----\nMII=\n-----END CERTIFICATE-----\n" }, /cannot be read/],
])("a certificate that %s", (_, facts, problem) => {
  const found = certificateProblem({ cert, names, authority: authority.cert, now: NOW, ...facts });
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(problem);
});

test("a certificate may be vouched for over one that is served along with it", () => {
  const between = issueServerCertificate({ authority: other, names, validity: life, random });
  const chained = certificateProblem({
    cert: cert + authority.cert,
    names,
    authority: authority.cert,
    now: NOW,
  });
  expect(chained).toBeUndefined();
  const unrelated = certificateProblem({ cert: cert + between.cert, names, authority: other.cert, now: NOW });
  expect(unrelated).toMatch(/was not issued/);
});

test("a certificate of a day is told of in its last hours alone", () => {
  const validity = { notBefore: NOW, notAfter: day(1) };
  const short = issueServerCertificate({ authority, names, validity, random });
  const at = (hours: number) => certificateProblem({ cert: short.cert, names, now: NOW + hours * 3_600_000 });
  expect(at(19)).toBeUndefined();
  expect(at(21)).toMatch(/expires at/);
});
