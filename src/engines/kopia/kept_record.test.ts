import { expect, test } from "vitest";
import { KeptRecord } from "./kept_record.ts";

async function textOf(record: KeptRecord): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of record.bytes()) parts.push(part);
  return Buffer.concat(parts).toString();
}

/** A source of these parts, and how often it was read and stopped early. */
function source(...parts: readonly Uint8Array[]) {
  const seen = { reads: 0, stopped: 0 };
  const read = async function* () {
    seen.reads += 1;
    let complete = false;
    try {
      yield* parts;
      complete = true;
    } finally {
      if (!complete) seen.stopped += 1;
    }
  };
  return { seen, read };
}

test("a small record is read once, however often it is used", async () => {
  const { seen, read } = source(Buffer.from("one "), Buffer.from("two"));
  const record = new KeptRecord(read);
  expect([await textOf(record), await textOf(record)]).toEqual(["one two", "one two"]);
  expect(seen).toEqual({ reads: 1, stopped: 0 });
});

test("a large record is not kept, and read whole by each that uses it", async () => {
  const { seen, read } = source(
    ...Array.from({ length: 9 }, () => Buffer.alloc(2 ** 20)),
    Buffer.from("end"),
  );
  const record = new KeptRecord(read);
  expect((await textOf(record)).length).toBe(9 * 2 ** 20 + 3);
  expect((await textOf(record)).length).toBe(9 * 2 ** 20 + 3);
  expect(seen).toEqual({ reads: 2, stopped: 0 });
});

test("a record that broke off is not taken for whole by the next that uses it", async () => {
  let broken = true;
  const record = new KeptRecord(async function* () {
    yield Buffer.from("half");
    if (broken) throw new Error("it broke off");
    yield Buffer.from(" and half");
  });
  await expect(textOf(record)).rejects.toThrow("it broke off");
  broken = false;
  expect(await textOf(record)).toBe("half and half");
});
