import { z } from "zod";
import * as v from "../../../kube/schema/vocabulary.ts";

/** Tags of a snapshot in the repository. */
export const tags = () =>
  v.rule(
    z
      .record(
        z.string(),
        z
          .string()
          .max(256)
          .regex(/^[^,\n]*$/),
      )
      .meta({ maxProperties: 16 }),
    {
      rule: "self.all(key, key.size() > 0 && key.size() <= 63 && !key.startsWith('holdfast-'))",
      message: "a tag's name has 1 to 63 characters and must not begin with holdfast-",
    },
  );
