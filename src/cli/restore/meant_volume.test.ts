import { expect, test } from "vitest";
import { meantVolume } from "./meant_volume.ts";

const images = { pvc: "home/images", sourcePath: "/pvc/images" };
const orders = { pvc: "home/orders", sourcePath: "/pvc/orders" };
const found = { sourcePath: "/pvc/old" };
const both = [images, orders];
const asked = (all: readonly { pvc?: string; sourcePath: string }[], words: string, open = false) => {
  const [word = "", target = ""] = words.split(" into ");
  return meantVolume(
    { of: "config shop", all, open },
    { word: word.trim() || undefined, target: target.trim() || undefined },
  );
};

test.each<
  [all: readonly { pvc?: string; sourcePath: string }[], words: string, open: boolean, volume: unknown]
>([
  [both, "orders into copy", false, orders],
  [both, "home/orders into copy", false, orders],
  [both, "/pvc/images into orders", false, images],
  [both, " into images", false, images],
  [both, "", false, undefined],
  [[images], " into copy", false, images],
  [[images], "", false, images],
  [[found], " into copy", false, found],
  [[], " into copy", false, undefined],
  [[], "images into copy", false, undefined],
  [[images], " into images", true, images],
  [[images], "", true, undefined],
  [both, "more", true, undefined],
])("of %j, with %j (by labels: %s), %j is meant", (all, words, open, volume) => {
  expect(asked(all, words, open)).toBe(volume);
});

test.each<[all: readonly { pvc?: string; sourcePath: string }[], words: string, open: boolean, code: number]>(
  [
    [both, " into copy", false, 2],
    [[images], " into copy", true, 2],
    [both, "more into copy", false, 3],
    [[images], "orders", false, 3],
    [[images], "orders into orders", true, 3],
  ],
)("of %j, with %j (by labels: %s), nothing is clear", (all, words, open, code) => {
  expect(() => asked(all, words, open)).toThrow(
    expect.objectContaining({
      code,
      why: expect.stringContaining("home/images (/pvc/images)"),
      fix: expect.stringContaining("--pvc"),
    }),
  );
});
