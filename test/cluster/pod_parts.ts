import { Chances, type Fields } from "./chances.ts";

/** Random pod templates, and strategic patches for them with all their directives. */
export class PodParts extends Chances {
  /** One that the API server takes. */
  template(): Fields {
    const volumes = this.#named(() => this.#source());
    return {
      metadata: this.#metadata(),
      spec: {
        containers: this.#containers(["x", ...this.several(() => this.oneOf("y", "z"))]),
        ...this.some(
          {
            volumes: () => volumes,
            nodeSelector: () => this.map(this.word),
            tolerations: () => this.several(() => ({ key: this.word(), operator: "Exists" })),
            imagePullSecrets: () => this.several(() => ({ name: this.word() })),
            hostAliases: () =>
              this.several(() => ({ ip: this.oneOf("10.0.0.1", "10.0.0.2"), hostnames: ["h"] })),
            terminationGracePeriodSeconds: () => this.oneOf(5, 30),
            securityContext: () => this.some({ runAsUser: () => 5, fsGroup: () => 6 }, 0.5),
          },
          0.4,
        ),
      },
    };
  }

  #metadata(): Fields {
    return this.some(
      { labels: () => this.map(this.word), finalizers: () => this.several(() => `test.dev/${this.word()}`) },
      0.5,
    );
  }

  #named(make: () => Fields): Fields[] {
    return this.several(this.word).map((name) => ({ name, ...make() }));
  }

  #source(): Fields {
    return this.oneOf<() => Fields>(
      () => ({ emptyDir: this.some({ medium: () => "Memory" }, 0.5) }),
      () => ({ configMap: { name: this.word() } }),
      () => ({ persistentVolumeClaim: { claimName: this.word() } }),
    )();
  }

  #containers(names: readonly string[]): Fields[] {
    return [...new Set(names)].map((name) => ({ name, image: this.word(), ...this.#container() }));
  }

  #container(): Fields {
    return this.some(
      {
        args: () => this.words(),
        env: () => this.#named(() => ({ value: this.word() })),
        ports: () =>
          this.several(() => this.oneOf(80, 443)).map((containerPort) => ({
            containerPort,
            ...this.#port(),
          })),
        resources: () =>
          this.some({ limits: () => this.#amounts("2"), requests: () => this.#amounts("1") }, 0.6),
        workingDir: () => `/${this.word()}`,
      },
      0.5,
    );
  }

  #port(): Fields {
    return this.some({ protocol: () => this.oneOf("TCP", "UDP") }, 0.3);
  }

  #amounts(many: string): Fields {
    return this.some({ cpu: () => many, memory: () => `${many}Gi` }, 0.6);
  }

  /** A patch of the template; now and then one that makes no sense. */
  patch(): Fields {
    const spec = this.some(
      {
        containers: () => this.#patchedContainers(),
        volumes: () => this.#patchedVolumes(),
        nodeSelector: () => this.#orNull({ ...this.map(this.word), ...this.some({ k1: () => null }, 0.3) }),
        tolerations: () => this.several(() => ({ key: this.word(), operator: "Exists" })),
        imagePullSecrets: () =>
          this.#listWithDirectives(
            this.#named(() => ({})),
            "name",
          ),
        hostAliases: () => this.#orNull([{ ip: "10.0.0.1", hostnames: this.words() }]),
        terminationGracePeriodSeconds: () => this.oneOf<number | null>(5, 30, null),
        securityContext: () => this.#orReplaced(this.some({ runAsUser: () => 5, fsGroup: () => null }, 0.5)),
      },
      0.4,
    );
    return {
      metadata: this.#patchedMetadata(),
      spec: {
        ...spec,
        ...this.#order("containers", ["x", "y", "z"].map(nameOf)),
        ...this.#order("volumes", ["a", "b", "c"].map(nameOf)),
      },
      ...this.some({ $patch: () => this.oneOf("replace", "delete", "nonsense") }, 0.03),
    };
  }

  /** At times, the order that a list shall have. */
  #order(name: string, order: readonly unknown[]): Fields {
    if (!this.chance(0.25)) return {};
    const wanted = this.chance(0.5) ? [...order].reverse() : order;
    const share = this.oneOf(1, 0.9, 0.5);
    return { [`$setElementOrder/${name}`]: wanted.filter(() => this.chance(share)) };
  }

  #patchedMetadata(): Fields {
    const names = () => this.several(() => `test.dev/${this.word()}`);
    const order = this.#order(
      "finalizers",
      ["a", "b", "c"].map((word) => `test.dev/${word}`),
    );
    const added = this.chance(0.3) ? { finalizers: this.#orNull(names()) } : {};
    // Without an order, the API server adds and takes in an order of its own, another one each time.
    const both = Object.keys(order).length > 0 || Object.keys(added).length === 0;
    const taken = both && this.chance(0.3) ? { "$deleteFromPrimitiveList/finalizers": names() } : {};
    return {
      ...order,
      ...added,
      ...taken,
      ...this.some(
        { labels: () => this.#orReplaced({ ...this.map(this.word), ...this.some({ k2: () => null }, 0.3) }) },
        0.3,
      ),
    };
  }

  #patchedContainers(): Fields[] {
    const containers = this.#containers(this.several(() => this.oneOf("x", "y", "z"))).map((container) => {
      const { image, ...rest } = container;
      const env = rest.env ? { env: this.#listWithDirectives(rest.env as Fields[], "name") } : {};
      const resources = rest.resources ? { resources: this.#orReplaced(rest.resources as Fields) } : {};
      return { ...rest, ...env, ...resources, ...(this.chance(0.7) ? { image } : {}) };
    });
    const keyless = this.chance(0.03) ? [{ image: "without its key" }] : [];
    return [...this.#listWithDirectives(containers, "name"), ...keyless];
  }

  #patchedVolumes(): Fields[] {
    const volumes = this.#named(() => {
      const source = this.#source();
      return this.chance(0.7) ? { ...source, $retainKeys: ["name", ...Object.keys(source)] } : source;
    });
    return this.#listWithDirectives(volumes, "name");
  }

  #listWithDirectives(items: readonly Fields[], key: string): Fields[] {
    const marked = items.map((item) => (this.chance(0.2) ? { [key]: item[key], $patch: "delete" } : item));
    if (!this.chance(0.1)) return marked;
    return this.chance(0.5) ? [...marked, { $patch: "replace" }] : [{ $patch: "replace" }, ...marked];
  }

  #orNull<T>(value: T): T | null {
    return this.chance(0.15) ? null : value;
  }

  #orReplaced(value: Fields): Fields | null {
    return this.chance(0.15) ? { ...value, $patch: this.oneOf("replace", "delete") } : this.#orNull(value);
  }
}

function nameOf(name: string): Fields {
  return { name };
}
