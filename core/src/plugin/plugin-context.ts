import { AsyncLocalStorage } from "node:async_hooks";
import { asHermesError } from "../base/errors.ts";

/** Who is to blame for an error that nobody caught. */
export interface ErrorOwner {
  fail(error: unknown): void;
  /** Takes what it writes to the terminal or to a pipe, which may be another's screen or document. */
  print?(text: string): void;
}

const current = new AsyncLocalStorage<ErrorOwner | null>();

/** Runs `run`, and the asynchronous work it starts, as the owner's: uncaught errors in it are reported to the owner. */
export function runAs<T>(owner: ErrorOwner, run: () => T): T {
  return current.run(owner, run);
}

/** Runs the host's own code when a plugin calls it: what goes wrong there is not the plugin's fault. */
export function runAsHost<T>(run: () => T): T {
  return current.run(null, run);
}

/** What to do with an error that is nobody's; the newest comes first. */
const takers: ((error: unknown) => void)[] = [];
let isTaking = false;

/**
 * Takes the errors of this process that nobody caught. A plugin's go to that plugin, and the process goes on; any
 * other goes to `onUnattributed`, since nobody can say what still works. Once disposed of, an error that is no plugin's
 * ends the process as it would without this, as it does where there is no `onUnattributed`. A plugin's still do not: its
 * timers may outlive it.
 */
export function attributeErrors(onUnattributed?: (error: unknown) => void): Disposable {
  if (!isTaking) {
    isTaking = true;
    process.on("uncaughtException", take);
    process.on("unhandledRejection", take);
  }
  if (onUnattributed) takers.unshift(onUnattributed);
  const undo = [process.stdout, process.stderr].map(attributePrints);
  const exit = process.exit;
  // A plugin that ends the process ends everybody's: it is its failure, and stops there.
  process.exit = (code) => {
    const owner = current.getStore();
    if (!owner) return exit.call(process, code);
    const error = new Error(`it called process.exit(${code ?? ""})`);
    owner.fail(error);
    throw error;
  };
  return {
    [Symbol.dispose]() {
      process.exit = exit;
      for (const one of undo) one();
      if (onUnattributed) takers.splice(takers.indexOf(onUnattributed), 1);
    },
  };
}

/** Gives an owner that takes it what it writes to a stream. Returns what ends that. */
function attributePrints(stream: NodeJS.WriteStream): () => void {
  const { write } = stream;
  stream.write = ((chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    const owner = current.getStore();
    if (!owner?.print) return Reflect.apply(write, stream, [chunk, ...rest]);
    owner.print(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString());
    const written = rest.find((one) => typeof one === "function");
    if (written) process.nextTick(written);
    return true;
  }) as typeof write;
  return () => {
    stream.write = write;
  };
}

function take(error: unknown): void {
  const owner = current.getStore();
  const [onUnattributed] = takers;
  if (owner) owner.fail(error);
  else if (onUnattributed) onUnattributed(error);
  else {
    process.removeAllListeners("uncaughtException");
    // Outside of this listener, so that Node says and does what it does for any error that nobody caught.
    setImmediate(() => {
      throw error;
    });
  }
}

/** `target` with every method run as the owner's. */
export function asOwned<T extends object>(target: T, owner: ErrorOwner): T {
  return new Proxy(target, {
    get(_, name) {
      // The real object is `this`: it may have private fields, which a proxy has not.
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function" || name === "constructor") return value;
      return (...args: unknown[]) => runAs(owner, () => Reflect.apply(value, target, args));
    },
  });
}

/**
 * The named methods of `target`, and nothing else of it, each run as the host's when a plugin calls it. They reject with
 * HermesErrors only, by which an adapter knows that the message it was about is not to blame.
 */
export function asHosts<T extends object, Name extends keyof T>(target: T, ...names: readonly Name[]): Pick<T, Name> {
  const hosted = names.map((name) => {
    const run = async (...args: unknown[]) => {
      try {
        return await runAsHost(() => Reflect.apply(target[name] as () => unknown, target, args));
      } catch (error) {
        throw asHermesError(error);
      }
    };
    return [name, run];
  });
  return Object.fromEntries(hosted) as Pick<T, Name>;
}
