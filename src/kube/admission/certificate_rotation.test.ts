import { X509Certificate } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../lib/random.ts";
import {
  decideRotation,
  type OwnCertificates,
  ROTATION_POLICY as policy,
  rotate,
  trustedAuthorities,
} from "./certificate_rotation.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const start = Date.UTC(2026, 0, 1);
const names = { dns: ["webhook.holdfast.svc"], ip: ["10.0.0.1"] };
const random = seededRandom(7);

function turn(kind: "renewLeaf" | "addAuthority" | "renewAll", now: number, current?: OwnCertificates) {
  return rotate({ kind, reason: "" }, current, { now, authorityName: "holdfast", names, policy, random });
}

function decide(now: number, current: OwnCertificates | undefined, changes: object = {}) {
  return decideRotation({ now, current, names, published: true, policy, ...changes }).kind;
}

const fresh = turn("renewAll", start);
const overlapping = turn("addAuthority", start + 250 * DAY, turn("renewLeaf", start + 240 * DAY, fresh));

describe("decideRotation()", () => {
  test.each([
    ["makes all where there is nothing", start, undefined, {}, "renewAll"],
    ["keeps what is fresh", start, fresh, {}, "keep"],
    ["keeps a leaf until two thirds of its life", start + 59 * DAY, fresh, {}, "keep"],
    ["renews a leaf from then on", start + 60 * DAY, fresh, {}, "renewLeaf"],
    ["renews a leaf that has expired", start + 91 * DAY, fresh, {}, "renewLeaf"],
    ["renews a leaf that lacks a DNS name", start, fresh, { names: { dns: ["other"], ip: [] } }, "renewLeaf"],
    [
      "renews a leaf that lacks an address",
      start,
      fresh,
      { names: { dns: [], ip: ["10.0.0.2"] } },
      "renewLeaf",
    ],
    ["renews everything when the clock is before it", start - 2 * HOUR, fresh, {}, "renewAll"],
    ["renews everything when the authority has expired", start + 366 * DAY, fresh, {}, "renewAll"],
    [
      "renews everything when the authority is due and the leaf unusable",
      start + 250 * DAY,
      fresh,
      {},
      "renewAll",
    ],
    [
      "adds an authority when it is due and the leaf still good",
      start + 250 * DAY,
      turn("renewLeaf", start + 240 * DAY, fresh),
      {},
      "addAuthority",
    ],
    [
      "keeps the old leaf until the new authority has settled",
      start + 250 * DAY + HOUR - 1,
      overlapping,
      {},
      "keep",
    ],
    [
      "keeps the old leaf until the new authority is published",
      start + 251 * DAY,
      overlapping,
      { published: false },
      "keep",
    ],
    ["then makes a leaf of the new authority", start + 250 * DAY + HOUR, overlapping, {}, "renewLeaf"],
    [
      "renews a leaf whose authority is unknown",
      start,
      { ...fresh, leaf: turn("renewAll", start).leaf },
      {},
      "renewLeaf",
    ],
  ])("%s", (_, now, current, changes, kind) => {
    expect(decide(now, current, changes)).toBe(kind);
  });
});

describe("rotate()", () => {
  test("keeps the old authority trusted until it expires, and not beyond", () => {
    const renewed = turn("renewLeaf", start + 251 * DAY, overlapping);
    expect(renewed.authorities).toEqual(overlapping.authorities);
    expect(trustedAuthorities(renewed, start + 365 * DAY - 1_000)).toHaveLength(2);
    expect(trustedAuthorities(renewed, start + 365 * DAY)).toEqual([overlapping.authorities[0]]);
    expect(turn("renewLeaf", start + 366 * DAY, renewed).authorities).toEqual([overlapping.authorities[0]]);
  });

  test.each([
    [59, "keeps a leaf that is good for long", 90],
    [61, "makes a leaf anew that is due, of the authority that is trusted already", 61 + 90],
  ])("with a new authority beside a leaf of %i days %s", (age, _, end) => {
    const made = start + 200 * DAY;
    const before = turn("renewLeaf", made, fresh);
    const after = turn("addAuthority", made + age * DAY, before);
    expect(new X509Certificate(after.leaf.cert).validToDate.getTime()).toBe(made + end * DAY);
    expect(isTrusted(after.leaf.cert, before.authorities, made + age * DAY)).toBe(true);
  });

  test("never lets a leaf outlive its authority", () => {
    const { leaf } = turn("renewLeaf", start + 300 * DAY, fresh);
    expect(new X509Certificate(leaf.cert).validToDate.getTime()).toBe(start + 365 * DAY);
  });

  test("over years of irregular checks, the leaf of now and the one before are trusted by the bundle that is published", () => {
    const steps = fc.array(fc.integer({ min: 60_000, max: 20 * DAY }), { minLength: 20, maxLength: 60 });
    fc.assert(
      fc.property(steps, (waits) => {
        let now = start;
        let current = turn("renewAll", now);
        for (const wait of waits) {
          now += wait;
          const previous = current;
          const rotation = decideRotation({ now, current, names, published: true, policy });
          if (rotation.kind !== "keep") current = turn(rotation.kind, now, current);
          const published = trustedAuthorities(previous, now);
          for (const served of [current.leaf, previous.leaf])
            expect(isTrusted(served.cert, published, now)).toBe(true);
          expect(isTrusted(previous.leaf.cert, trustedAuthorities(current, now), now)).toBe(true);
        }
      }),
      // To shrink a failure would mean thousands of keys: its seed is enough.
      { numRuns: 20, endOnFailure: true },
    );
  });
});

function isTrusted(cert: string, authorities: readonly string[], now: number): boolean {
  const leaf = new X509Certificate(cert);
  return (
    now < leaf.validToDate.getTime() &&
    authorities.some((ca) => leaf.verify(new X509Certificate(ca).publicKey))
  );
}
