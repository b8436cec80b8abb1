import { expect, test } from "vitest";
import { RecordingClient } from "../testing/recording_client.ts";
import { may } from "./access_review.ts";

const author = { username: "ann", uid: "1", groups: ["team"] };
const question = {
  author,
  resource: {
    group: "example.org",
    version: "v1",
    kind: "Repository",
    plural: "repositories",
    namespaced: true,
  },
  namespace: "backups",
};

test("the API server is asked in the author's name", async () => {
  const client = new RecordingClient(() => ({ status: { allowed: true } }));
  expect(await may(client, { ...question, name: "nas" }, {})).toBe(true);
  expect(client.calls).toMatchObject([
    {
      verb: "create",
      resource: { plural: "subjectaccessreviews" },
      body: {
        spec: {
          user: "ann",
          uid: "1",
          groups: ["team"],
          resourceAttributes: {
            verb: "get",
            group: "example.org",
            resource: "repositories",
            namespace: "backups",
            name: "nas",
          },
        },
      },
    },
  ]);
});

test.each([{ status: { allowed: false } }, { status: {} }, {}])("%j is a no", async (answer) => {
  expect(await may(new RecordingClient(() => answer), question, {})).toBe(false);
});

test("who cannot be asked about is not let through", async () => {
  const client = new RecordingClient(() => Promise.reject(new Error("away")));
  await expect(may(client, question, {})).rejects.toThrow("away");
});
