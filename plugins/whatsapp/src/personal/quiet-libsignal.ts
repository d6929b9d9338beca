import { AsyncLocalStorage } from "node:async_hooks";
import { libsignal } from "./libsignal.ts";

/** Whether libsignal is at work. */
const isAtWork = new AsyncLocalStorage<boolean>();

/**
 * libsignal prints to the console what it does, whole sessions with their private keys among it. It looks for `console`
 * each time, and finds a silent one while it is at work, on whatever it waits meanwhile; everybody else finds theirs.
 */
export function silenceLibsignal(): void {
  if (SILENCED in globalThis) return;
  Object.defineProperty(globalThis, SILENCED, { value: true });
  let { console } = globalThis;
  const nothing = () => {};
  const silent: Console = Object.assign(Object.create(console) as Console, {
    log: nothing,
    info: nothing,
    warn: nothing,
    error: nothing,
  });
  Object.defineProperty(globalThis, "console", {
    configurable: true,
    get: () => (isAtWork.getStore() ? silent : console),
    set: (other: Console) => {
      console = other;
    },
  });
  for (const name of ["SessionBuilder", "SessionCipher", "SessionRecord"]) {
    const { prototype } = Object(libsignal[name]) as { readonly prototype?: object };
    for (const owner of [Object(libsignal[name]), Object(prototype)] as object[]) silenceMethodsOf(owner);
  }
}

const SILENCED = Symbol.for("hermes:libsignal-silenced");

function silenceMethodsOf(owner: object): void {
  for (const [name, { value, writable }] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
    if (typeof value !== "function" || !writable || name === "constructor") continue;
    const silenced = function (this: unknown, ...given: unknown[]): unknown {
      return isAtWork.run(true, () => Reflect.apply(value, this, given));
    };
    Object.defineProperty(owner, name, { value: silenced });
  }
}
