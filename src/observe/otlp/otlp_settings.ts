/** Where telemetry is pushed to. */
export interface OtlpSettings {
  /** The collector's HTTP endpoint, without the path of a signal. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
}

type Env = Readonly<Record<string, string | undefined>>;

const PROTOCOL = "http/json";

/** Reads OpenTelemetry's own variables; undefined where no endpoint is set. Throws on what it cannot do. */
export function otlpSettings(env: Env): OtlpSettings | undefined {
  const endpoint = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!endpoint) return undefined;
  const protocol = env.OTEL_EXPORTER_OTLP_PROTOCOL || PROTOCOL;
  if (protocol !== PROTOCOL) {
    throw new Error(
      `OTEL_EXPORTER_OTLP_PROTOCOL is ${JSON.stringify(protocol)}: only ${PROTOCOL} is spoken. Set it to that, and OTEL_EXPORTER_OTLP_ENDPOINT to the collector's port for HTTP, mostly 4318`,
    );
  }
  if (!/^https?:\/\/[^/\s]+(\/\S*)?$/.test(endpoint) || !URL.canParse(endpoint)) {
    throw new Error(
      `OTEL_EXPORTER_OTLP_ENDPOINT is ${JSON.stringify(endpoint)}: it must be such as http://collector:4318`,
    );
  }
  return { endpoint: endpoint.replace(/\/$/, ""), headers: headersOf(env.OTEL_EXPORTER_OTLP_HEADERS) };
}

/** `name=value` separated by commas, the values as in a URL. They are secrets: no message repeats them. */
function headersOf(text: string | undefined): Readonly<Record<string, string>> {
  if (!text) return {};
  return Object.fromEntries(
    text.split(",").map((pair) => {
      const [, name, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
      if (name === undefined || value === undefined) {
        throw new Error(
          "OTEL_EXPORTER_OTLP_HEADERS must be such as name=value,other=value; a part of it has no =",
        );
      }
      return [name.toLowerCase(), decoded(value)];
    }),
  );
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
