import { expect, test } from "vitest";
import { AtOnce } from "./at_once.ts";

test("each person has as many as that, and no place is given back twice", () => {
  const downloads = new AtOnce(2, "downloads run");
  const [first] = [downloads.begin("ada"), downloads.begin("ada")];
  const refused = expect.objectContaining({ message: "2 of your downloads run already" });
  expect(() => downloads.begin("ada")).toThrow(refused);
  downloads.begin("eve");
  first();
  first();
  downloads.begin("ada");
  expect(() => downloads.begin("ada")).toThrow(refused);
});
