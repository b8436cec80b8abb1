import type { PodSecurityContext, SecurityContext } from "kubernetes-types/core/v1.d.ts";
import { expect, test } from "vitest";
import type { Pod } from "../../../kube/builtin.ts";
import { runAs } from "./security.ts";

const of = (pod: PodSecurityContext, securityContext: SecurityContext = {}, user?: number) =>
  runAs(
    { spec: { securityContext: pod } } as unknown as Pod,
    { name: "main", securityContext },
    { command: [], ...(user === undefined ? {} : { user }) },
  );

test("a container's own settings go before its pod's, and those before its image's", () => {
  expect(of({}, {}, 5).user).toBe(5);
  expect(of({ runAsUser: 6 }, {}, 5).user).toBe(6);
  expect(of({ runAsUser: 6 }, { runAsUser: 0 }, 5).user).toBe(0);
});

test("the groups are the supplemental ones and the fsGroup", () => {
  expect(of({ supplementalGroups: [1, 2], fsGroup: 3 }).groups).toEqual([1, 2, 3]);
});

test.each([
  [{ drop: ["ALL"] }, []],
  [{ drop: ["ALL"], add: ["NET_ADMIN", "CAP_CHOWN"] }, ["net_admin", "chown"]],
  [{ drop: ["ALL"], add: ["chown,+sys_admin; reboot"] }, []],
])("with the capabilities %j root keeps %j", (capabilities, expected) => {
  expect(of({}, { capabilities }).capabilities).toEqual(expected);
});

test("a privileged container keeps every capability, one that asks for nothing the usual ones", () => {
  expect(of({}, { privileged: true })).not.toHaveProperty("capabilities");
  expect(of({}).capabilities).toContain("chown");
  expect(of({}).capabilities).not.toContain("sys_admin");
});

test("whoever must not be root is refused without a user", () => {
  expect(() => of({ runAsNonRoot: true })).toThrow("set runAsUser for container main");
  expect(() => of({ runAsNonRoot: true }, { runAsUser: 0 })).toThrow("runAsNonRoot");
  expect(of({ runAsNonRoot: true }, {}, 7).user).toBe(7);
});
