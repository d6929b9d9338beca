import type { Emulator } from "@hermes/emulator";
import { check, Disproved, shown } from "../check.ts";
import type { RecordedExchange, RecordedRequest } from "../judge.ts";
import { type AdapterProof, NotClaimed } from "../proof.ts";
import { shapeFaults } from "../shape.ts";

const RULE = "The emulator answers as its platform does";

/** How many differences a failure tells. */
const TOLD = 5;

export const emulatorProofs: readonly AdapterProof[] = [
  {
    id: "emulator/judged",
    rule: RULE,
    proof: "a second judge agrees: what the platform was recorded to answer, or another client library",
    async run({ subject, stage }) {
      const { judges = [] } = subject;
      if (judges.length === 0) throw new NotClaimed("The conformance subject names no second judge of the emulator");
      for (const { source, exchanges = [], judge } of judges) {
        for (const exchange of exchanges) await stage(({ emulator }) => replay(emulator, exchange, source));
        if (judge !== undefined) await stage(({ emulator }) => ask(emulator, judge, source));
      }
    },
  },
];

async function replay(emulator: Emulator, exchange: RecordedExchange, source: string): Promise<void> {
  const { name, response, optional = [] } = exchange;
  await exchange.prepare?.(emulator);
  const found = await call(exchange.request(emulator));
  const about = `${name} (recorded: ${source})`;
  check(
    found.status === response.status,
    () => `${about}: the status is ${found.status} rather than ${response.status}: ${shown(found.body)}`,
  );
  const faults = shapeFaults(found.body, response.body, new Set(optional));
  check(faults.length === 0, () => `${about}: ${faults.slice(0, TOLD).join("; ")}`);
}

async function call({ url, headers = {}, body, method = body === undefined ? "GET" : "POST" }: RecordedRequest) {
  const sent = new Headers(headers);
  if (body !== undefined) sent.set("content-type", "application/json");
  const response = await fetch(url, {
    method,
    headers: sent,
    redirect: "manual",
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: parsed(text) };
}

/** The text itself, where it is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function ask(emulator: Emulator, judge: (emulator: Emulator) => Promise<void>, source: string): Promise<void> {
  try {
    await judge(emulator);
  } catch (error) {
    throw new Disproved(`${source}: ${error instanceof Error ? error.message : shown(error)}`, { cause: error });
  }
}
