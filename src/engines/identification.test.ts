import { expect, test } from "vitest";
import { Identification } from "./identification.ts";

test("is looked for once, and not before somebody asks", async () => {
  let looks = 0;
  const identification = new Identification(async () => {
    looks += 1;
    return "id";
  });
  expect(looks).toBe(0);
  expect(identification.known).toBeUndefined();
  expect(await Promise.all([identification.found(), identification.found()])).toEqual(["id", "id"]);
  expect(identification.known).toBe("id");
  expect(looks).toBe(1);
});

test("is not looked for once it is proven to be the expected one", async () => {
  const identification = new Identification(() => Promise.reject(new Error("looked")), "expected");
  identification.prove();
  expect(identification.known).toBe("expected");
  expect(await identification.found()).toBe("expected");
  await identification.settled();
});

test("is still looked for when nothing was expected", async () => {
  const identification = new Identification(async () => "id");
  identification.prove();
  expect(identification.known).toBeUndefined();
  expect(await identification.found()).toBe("id");
});

test("tells everyone who asks that it is another", async () => {
  const identification = new Identification(() => Promise.reject(new Error("another")), "expected");
  await expect(identification.found()).rejects.toThrow("another");
  await expect(identification.found()).rejects.toThrow("another");
  await identification.settled();
  expect(identification.known).toBeUndefined();
});
