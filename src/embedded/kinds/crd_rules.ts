import { change, type Fields, fieldsOf, textOf } from "./fields.ts";
import type { KindRules } from "./kind_rules.ts";

/** CustomResourceDefinitions: names are completed; what else they say is checked where they are installed. */
export const crdRules: KindRules = {
  defaults: (crd) => ({
    ...crd,
    spec: change({ conversion: { strategy: "None" }, ...fieldsOf(crd.spec) } as Fields, {
      names: (names) => {
        const kind = textOf(fieldsOf(names).kind);
        return { singular: kind.toLowerCase(), listKind: `${kind}List`, ...fieldsOf(names) };
      },
      conversion: (conversion) =>
        change(fieldsOf(conversion), {
          webhook: (webhook) =>
            change(fieldsOf(webhook), {
              clientConfig: (config) =>
                change(fieldsOf(config), { service: (service) => ({ port: 443, ...fieldsOf(service) }) }),
            }),
        }),
    }),
  }),
};
