import { expect, test } from "vitest";
import { veleroSettings } from "./velero_settings.ts";

test("veleroSettings() has Velero's own names as defaults", () => {
  expect(veleroSettings(undefined)).toEqual({
    namespace: "velero",
    nodeAgentConfigMap: "node-agent-config",
  });
});

test("veleroSettings() reads everything that can be set", () => {
  const given = {
    namespace: "backup",
    nodeAgentConfigMap: "agent",
    fidelity: "Full",
    podsFolder: "/var/lib/k0s/kubelet/pods",
  };
  expect(veleroSettings(given)).toEqual(given);
});

test.each<[unknown, string]>([
  ["velero", 'velero is "velero": it must be an object'],
  [{ namespaces: "a" }, "velero.namespaces is no setting of this API"],
  [{ namespace: "" }, 'velero.namespace is "": it must be a text'],
  [{ nodeAgentConfigMap: 3 }, "velero.nodeAgentConfigMap is 3: it must be a text"],
  [{ fidelity: "full" }, 'velero.fidelity is "full": it must be Engine or Full'],
  [
    { podsFolder: "/var/lib/kubelet" },
    'velero.podsFolder is "/var/lib/kubelet": it must be an absolute path that ends with /pods',
  ],
])("veleroSettings() refuses %j", (given, message) => {
  expect(() => veleroSettings(given)).toThrow(message);
});
