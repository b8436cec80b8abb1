import { expect, test } from "vitest";
import { privilegeForbidden, privilegeOf } from "./privileges.ts";

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
  expect(privilegeForbidden(mover, "billing")?.field).toBe(setting && `spec.mover.${setting}`);
});
