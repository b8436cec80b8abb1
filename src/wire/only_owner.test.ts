import { expect, test } from "vitest";
import { onlyOwner } from "./only_owner.ts";

const [root, one, other] = [0, 999, 1000].map((id) => ({ uid: id, gid: id }));
const list = (...owners: readonly (typeof root)[]) => owners.flatMap((owner) => owner ?? []);

test.each([
  ["of one user", list(one), one],
  ["of one user in a folder of root's", list(root, one), one],
  ["of root alone", list(root), root],
  ["of several users", list(one, other), undefined],
  ["of several users and root", list(one, root, other), undefined],
  ["of whoever it was", list(), undefined],
])("files %s have the owner that a mover can run as, or none", (_, owners, owner) => {
  expect(onlyOwner(owners)).toEqual(owner ? { owner } : {});
});
