import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatNote, MAX_OWNERS, type Note, parseNote } from "./note.ts";

const owner = fc.record({ uid: fc.nat(2 ** 32 - 1), gid: fc.nat(2 ** 32 - 1) });
const note: fc.Arbitrary<Note> = fc.record(
  {
    run: fc.string({ minLength: 1, maxLength: 63 }),
    fidelity: fc.constantFrom("Full" as const, "Engine" as const),
    owners: fc.array(owner, { maxLength: 60 }),
    attributes: fc.subarray(["user", "trusted", "acl", "capability"] as const),
    hardLinks: fc.nat(),
    longNames: fc.nat(),
    skipsUnreadable: fc.constant(true),
    beyond: fc.dictionary(fc.constantFrom("HardLink", "Acl", "Fifo", "Time"), fc.nat(), {
      noNullPrototype: true,
    }),
    digest: fc.string({ maxLength: 32 }),
    tags: fc.dictionary(fc.string({ maxLength: 20 }), fc.string({ maxLength: 60 }), {
      noNullPrototype: true,
    }),
  },
  { requiredKeys: ["run", "fidelity", "attributes", "hardLinks"] },
);

describe("a note", () => {
  test("comes back as it was, but for what did not fit", () => {
    fc.assert(
      fc.property(note, (written) => {
        const read = parseNote(formatNote(written));
        const { tags, owners, ...rest } = written;
        expect(read).toMatchObject(rest);
        if (read?.tags) expect(Object.entries(read.tags)).toEqual(Object.entries(tags ?? {}));
        if (read?.owners) expect(read.owners).toEqual(owners);
        else
          expect(owners === undefined || owners.length > MAX_OWNERS || formatNote(written).length > 200).toBe(
            true,
          );
      }),
    );
  });

  test("is never longer than kopia allows", () => {
    fc.assert(fc.property(note, (written) => Buffer.byteLength(formatNote(written)) <= 1024));
  });

  test("is not seen in other people's descriptions", () => {
    expect(parseNote("my backup")).toBeUndefined();
    expect(parseNote("holdfast/1 {broken")).toBeUndefined();
    expect(parseNote(undefined)).toBeUndefined();
  });
});
