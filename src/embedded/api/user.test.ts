import { expect, test } from "vitest";
import { userOf } from "./user.ts";

test.each([
  [
    "nobody else is the administrator",
    {},
    { username: "admin", groups: ["system:masters", "system:authenticated"] },
  ],
  [
    "a user is that user",
    { "impersonate-user": "jane", "impersonate-group": "staff, guests" },
    { username: "jane", groups: ["staff", "guests", "system:authenticated"] },
  ],
  [
    "a ServiceAccount is in its groups",
    { "impersonate-user": "system:serviceaccount:holdfast:operator" },
    {
      username: "system:serviceaccount:holdfast:operator",
      groups: ["system:serviceaccounts", "system:serviceaccounts:holdfast", "system:authenticated"],
    },
  ],
])("who acts as %s", (_, headers, user) => {
  expect(userOf({ headers })).toEqual(user);
});
