import { SessionRecord } from "libsignal";

/**
 * libsignal prints whole sessions, private keys among them, to the console whenever it opens or closes one. These
 * methods do so, and they run to their end at once: for that while the console is silent.
 */
export function silenceLibsignal(): void {
  for (const name of ["openSession", "closeSession", "removeOldSessions"]) silence(SessionRecord.prototype, name);
  silence(SessionRecord, "migrate");
}

const SILENCED = Symbol.for("hermes:silenced");

type Method = (this: unknown, ...given: unknown[]) => unknown;

function silence(owner: object, name: string): void {
  const method: unknown = Reflect.get(owner, name);
  if (typeof method !== "function" || SILENCED in method) return;
  const silent: Method = function (...given) {
    const { info, warn, error } = console;
    const nothing = () => {};
    Object.assign(console, { info: nothing, warn: nothing, error: nothing });
    try {
      return Reflect.apply(method, this, given);
    } finally {
      Object.assign(console, { info, warn, error });
    }
  };
  Object.defineProperty(silent, SILENCED, { value: true });
  Object.defineProperty(owner, name, { value: silent, configurable: true, writable: true });
}
