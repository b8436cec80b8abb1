import { expect } from "vitest";
import { ConfigMaps, Secrets } from "../../src/kube/builtin.ts";
import { refused, taken } from "./world/expectations.ts";
import type { Theme } from "./world/world.ts";

const nothing = (answer: { code: number; text: string }) =>
  expect([answer.code, answer.text]).toEqual([404, "404 page not found\n"]);

export const errors: Theme = {
  name: "errors",
  cases: {
    "a body that is not JSON is refused": async ({ of, api }) => {
      refused(
        await api.send("POST", of(ConfigMaps).path(), { body: "{nonsense" }),
        400,
        "BadRequest",
        /^the object provided is unrecognized \(must be of type ConfigMap\): couldn't get version\/kind; json parse error: .* \(\{nonsense\)$/,
      );
    },

    "a body that names no kind is of the kind of the path": async ({ of, api }) => {
      const answer = await api.send("POST", of(ConfigMaps).path(), {
        body: { metadata: { name: "kindless" } },
      });
      expect(taken(answer, 201)).toMatchObject({ apiVersion: "v1", kind: "ConfigMap" });
    },

    "a custom object must name its kind": async ({ of, api, widgets }) => {
      const answer = await api.send("POST", of(widgets).path(), { body: { metadata: { name: "kindless" } } });
      refused(answer, 400, "BadRequest", /Object 'Kind' is missing in/);
    },

    "a body of another kind is refused": async ({ of, api }) => {
      refused(
        await api.send("POST", of(ConfigMaps).path(), {
          body: { apiVersion: "v1", kind: "Secret", metadata: { name: "other" } },
        }),
        400,
        "BadRequest",
        'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
      );
    },

    "a custom object of another kind is refused": async ({ of, api, widgets, group }) => {
      refused(
        await api.send("POST", of(widgets).path(), {
          body: { apiVersion: `${group}/v1`, kind: "Gadget", metadata: { name: "other" } },
        }),
        422,
        "Invalid",
        `Gadget.${group} "other" is invalid: kind: Invalid value: "Gadget": must be Widget`,
      );
    },

    "a value of the wrong type in a built-in object is refused": async ({ of }) => {
      refused(
        await of(ConfigMaps).create({ metadata: { name: "wrong" }, data: { a: 1 } }),
        400,
        "BadRequest",
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
      );
    },

    "an unknown resource, group, version or subresource is no page": async ({ api, namespace, group }) => {
      refused(
        await api.send("GET", `/api/v1/namespaces/${namespace}/nonsense`),
        404,
        "NotFound",
        "the server could not find the requested resource",
      );
      nothing(await api.send("GET", "/apis/nobody.example.com/v1/things"));
      nothing(await api.send("GET", `/apis/${group}/v2/namespaces/${namespace}/widgets`));
      nothing(await api.send("GET", `/apis/${group}/v1/namespaces/${namespace}/gadgets`));
      nothing(await api.send("GET", "/nonsense"));
    },

    "a method that a path does not have is not allowed": async ({ of, api }) => {
      const answer = await api.send("PUT", of(ConfigMaps).path(), { body: {} });
      refused(
        answer,
        405,
        "MethodNotAllowed",
        "the server does not allow this method on the requested resource",
      );
    },

    "a namespaced object is not created without its namespace": async ({ api }) => {
      const answer = await api.send("POST", "/api/v1/configmaps", {
        body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "nowhere" } },
      });
      refused(
        answer,
        405,
        "MethodNotAllowed",
        "the server does not allow this method on the requested resource",
      );
    },

    "a content type that is not understood is refused": async ({ of, api }) => {
      refused(
        await api.send("POST", of(ConfigMaps).path(), {
          headers: { "content-type": "text/plain" },
          body: "hello",
        }),
        415,
        "UnsupportedMediaType",
        "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf",
      );
    },

    "an answer in a form that is not known is not acceptable": async ({ of }) => {
      const answer = await of(ConfigMaps).list({}, "text/html");
      refused(
        answer,
        406,
        "NotAcceptable",
        "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch",
      );
    },

    "an object can be sent as YAML": async ({ of, api }) => {
      const answer = await api.send("POST", of(ConfigMaps).path(), {
        headers: { "content-type": "application/yaml" },
        body: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: yaml}\ndata: {a: '1'}\n",
      });
      expect(taken(answer, 201).data).toEqual({ a: "1" });
    },

    "an object that is too large is refused": async ({ of }) => {
      const answer = await of(ConfigMaps).create({
        metadata: { name: "large" },
        data: { a: "x".repeat(4 * 2 ** 20) },
      });
      refused(answer, 413, "RequestEntityTooLarge", "Request entity too large: limit is 3145728");
    },

    "data of more than a mebibyte is refused": async ({ of }) => {
      refused(
        await of(ConfigMaps).create({ metadata: { name: "large" }, data: { a: "x".repeat(1_048_577) } }),
        422,
        "Invalid",
        'ConfigMap "large" is invalid: []: Too long: may not be more than 1048576 bytes',
      );
      refused(
        await of(Secrets).create({ metadata: { name: "large" }, stringData: { a: "x".repeat(1_048_577) } }),
        422,
        "Invalid",
        'Secret "large" is invalid: data: Too long: may not be more than 1048576 bytes',
      );
    },

    "several mistakes are told at once": async ({ of, widgets, group }) => {
      const status = refused(
        await of(widgets).create({
          metadata: { name: "several" },
          spec: { size: -1, color: "pink", limits: {} },
        }),
        422,
        "Invalid",
        new RegExp(`^Widget.${group} "several" is invalid: \\[spec\\.\\w+.*, spec\\..*, spec\\..*\\]$`),
      );
      expect(status.details).toMatchObject({ name: "several", group, kind: "Widget" });
      const causes = status.details.causes as { field: string; reason: string; message: string }[];
      expect(causes.sort((a, b) => (a.field < b.field ? -1 : 1))).toEqual([
        {
          field: "spec.color",
          reason: "FieldValueNotSupported",
          message: 'Unsupported value: "pink": supported values: "red", "green", "blue"',
        },
        { field: "spec.limits.cpu", reason: "FieldValueRequired", message: "Required value" },
        {
          field: "spec.size",
          reason: "FieldValueInvalid",
          message: "Invalid value: -1: spec.size in body should be greater than or equal to 0",
        },
      ]);
    },

    "deletion options that cannot be read are refused": async ({ of, api }) => {
      taken(await of(ConfigMaps).create({ metadata: { name: "options" } }));
      refused(
        await api.send("DELETE", of(ConfigMaps).path("options"), { body: "{nonsense" }),
        400,
        "BadRequest",
        /^couldn't get version\/kind; json parse error: /,
      );
      taken(await of(ConfigMaps).get("options"), 200);
    },

    "warnings come with refusals too": async ({ of, widgets }) => {
      const answer = await of(widgets).create({ metadata: { name: "warned" }, spec: { size: -1, odd: 1 } });
      expect(answer.code).toBe(422);
      expect(answer.headers.warning).toBe('299 - "unknown field \\"spec.odd\\""');
    },

    "a propagation policy that is unknown is refused": async ({ of }) => {
      taken(await of(ConfigMaps).create({ metadata: { name: "policy" } }));
      refused(
        await of(ConfigMaps).delete("policy", { propagationPolicy: "Sideways" }),
        422,
        "Invalid",
        /^DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"$/,
      );
    },

    "a path that climbs finds nothing": async ({ api, namespace }) => {
      const answer = await api.send("GET", `/api/v1/namespaces/${namespace}/configmaps/..%2f..%2fsecrets`);
      expect(answer.code).toBe(404);
    },
  },
};
