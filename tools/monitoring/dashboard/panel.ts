/** A unit as Grafana names it. */
export type Unit = "short" | "s" | "bytes" | "percentunit" | "ops" | "reqps";

export interface Query {
  /** PromQL, with `$namespace` and `$__rate_interval` as Grafana fills them in. */
  readonly expr: string;
  /** What its series are called; of a table, the title of its column. */
  readonly legend: string;
  /** Of its column, where that differs from the panel's. */
  readonly unit?: Unit;
}

export interface Panel {
  readonly title: string;
  readonly description: string;
  readonly type: "stat" | "table" | "timeseries";
  readonly unit: Unit;
  /** Of 24. */
  readonly width: number;
  readonly queries: readonly Query[];
  /** A figure is green below the first of these, then yellow, then red. */
  readonly limits?: readonly [yellow: number, red: number];
}

export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}
