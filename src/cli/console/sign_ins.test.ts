import { beforeEach, expect, test } from "vitest";
import { seededRandom } from "../../lib/random.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import type { Person } from "./person.ts";
import { SignIns } from "./sign_ins.ts";

const HOUR = 3_600_000;
let clock: VirtualClock;
let signIns: SignIns;
let gone: string[];

beforeEach(() => {
  clock = new VirtualClock();
  signIns = new SignIns({ clock, random: seededRandom(1), limits: { idle: HOUR, whole: 12 * HOUR } });
  gone = [];
});

function person(user: string): Person {
  return { user, [Symbol.asyncDispose]: async () => void gone.push(user) } as unknown as Person;
}

test("a sign-in is found by its own cookie alone", async () => {
  const { id, csrf } = await signIns.begin(person("ada"));
  expect(signIns.find(id)?.person.user).toBe("ada");
  for (const other of [undefined, "", csrf, `${id}0`]) expect(signIns.find(other)).toBeUndefined();
});

test("an hour without a question ends it, and a question begins the hour anew", async () => {
  const { id, ended } = await signIns.begin(person("ada"));
  await clock.advance(HOUR - 1);
  expect(signIns.find(id)).toBeDefined();
  await clock.advance(HOUR - 1);
  expect(signIns.find(id)).toBeDefined();
  await clock.advance(HOUR);
  expect(signIns.find(id)).toBeUndefined();
  await clock.advance(20_000);
  expect([gone, ended.aborted, signIns.size]).toEqual([["ada"], true, 0]);
});

test("what a page asks by itself keeps no sign-in", async () => {
  const { id } = await signIns.begin(person("ada"));
  for (let i = 0; i < 119; i++) {
    await clock.advance(30_000);
    expect(signIns.find(id, { attended: false })).toBeDefined();
  }
  await clock.advance(30_000);
  expect(signIns.find(id, { attended: false })).toBeUndefined();
});

test("whoever signs in again and again ends sign-ins of their own alone", async () => {
  const { id } = await signIns.begin(person("ada"));
  const eve = [];
  for (let i = 0; i < 300; i++) {
    await clock.advance(1);
    eve.push((await signIns.begin(person("eve"))).id);
  }
  expect(signIns.find(id)).toBeDefined();
  expect(eve.filter((one) => signIns.find(one))).toEqual(eve.slice(-10));
});

test("a sign-in ends when another one was begun from it and came about, and not before", async () => {
  const { id } = await signIns.begin(person("ada"));
  signIns.leadsTo(id, "state");
  await signIns.endBefore("another");
  expect(signIns.find(id)).toBeDefined();
  await signIns.endBefore("state");
  expect([signIns.find(id), gone]).toEqual([undefined, ["ada"]]);
});

test("twelve hours end it, however often somebody asks", async () => {
  const { id } = await signIns.begin(person("ada"));
  for (let i = 0; i < 23; i++) {
    await clock.advance(HOUR / 2);
    expect(signIns.find(id)).toBeDefined();
  }
  await clock.advance(HOUR / 2);
  expect(signIns.find(id)).toBeUndefined();
});

test("it ends with the token that was shown", async () => {
  const { id } = await signIns.begin(person("ada"), clock.now() + 600_000);
  await clock.advance(599_999);
  expect(signIns.find(id)).toBeDefined();
  await clock.advance(1);
  expect(signIns.find(id)).toBeUndefined();
});

test("what a person has is kept until their last browser has signed out", async () => {
  const ada = person("ada");
  const [first, second] = [await signIns.begin(ada), await signIns.begin(ada)];
  await signIns.end(first.id);
  expect(gone).toEqual([]);
  await signIns.end(second.id);
  expect(gone).toEqual(["ada"]);
});
