import { expect, test } from "vitest";
import { allowsPrivileges, privilegeForbidden, privilegeOf } from "./privileges.ts";

test.each([
  [undefined, undefined],
  [{ privilegedMode: false }, undefined],
  [{ securityContext: { runAsUser: 1000, capabilities: { drop: ["ALL"], add: [] } } }, undefined],
  [{ privilegedMode: true }, "privilegedMode"],
  [{ securityContext: { privileged: true } }, "securityContext.privileged"],
  [{ securityContext: { runAsUser: 0 } }, "securityContext.runAsUser"],
  [{ securityContext: { allowPrivilegeEscalation: true } }, "securityContext.allowPrivilegeEscalation"],
  [{ securityContext: { capabilities: { add: ["CHOWN"] } } }, "securityContext.capabilities.add"],
])("%j is privileged by %s", (mover, setting) => {
  expect(privilegeOf(mover)).toBe(setting);
  expect(privilegeForbidden(mover, { namespace: "billing", annotation: "a" })?.field).toBe(
    setting && `mover.${setting}`,
  );
});

test("a namespace allows privileges by nothing but the word true", () => {
  const annotated = (value: string) => ({ metadata: { name: "billing", annotations: { a: value } } });
  expect(allowsPrivileges(annotated("true") as never, "a")).toBe(true);
  expect(allowsPrivileges(annotated("yes") as never, "a")).toBe(false);
  expect(allowsPrivileges(annotated("true") as never, "b")).toBe(false);
  expect(allowsPrivileges(undefined, "a")).toBe(false);
});
