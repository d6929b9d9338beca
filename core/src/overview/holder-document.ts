import { type Holder, machineOf, type ProcessProbe } from "../base/process-identity.ts";

/** What is known of a process: `unknown` where it runs on another machine. */
type ProcessState = "alive" | "stopped" | "gone" | "unknown";

/** A process that holds something, in a JSON document. */
export function holderDocument(holder: Holder, probe: ProcessProbe) {
  const { role, pid } = holder;
  return { role, pid, machine: machineOf(holder), process: stateOf(holder, probe) };
}

export type HolderDocument = ReturnType<typeof holderDocument>;

function stateOf(holder: Holder, probe: ProcessProbe): ProcessState {
  return probe.isStopped?.(holder) ? "stopped" : probe.fate(holder);
}

/** Such as `gateway, pid 123`. */
export function holderWords({ role, pid, process, machine }: HolderDocument): string {
  const state = { alive: "", stopped: ", which is stopped", gone: ", which is gone", unknown: ` on ${machine}` };
  return `${role}, pid ${pid}${state[process]}`;
}
