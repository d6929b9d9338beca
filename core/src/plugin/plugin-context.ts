import { AsyncLocalStorage } from "node:async_hooks";

/** Who is to blame for an error that nobody caught. */
export interface ErrorOwner {
  fail(error: unknown): void;
}

const current = new AsyncLocalStorage<ErrorOwner | null>();

/** Runs `run`, and whatever it sets going, as the owner's: an error in it that nobody catches is told to the owner. */
export function runAs<T>(owner: ErrorOwner, run: () => T): T {
  return current.run(owner, run);
}

/** Runs the host's own code when a plugin calls it: what goes wrong there is not the plugin's fault. */
export function runAsHost<T>(run: () => T): T {
  return current.run(null, run);
}

/**
 * Takes the errors of this process that nobody caught. A plugin's go to that plugin, and the process goes on; any
 * other goes to `onUnattributed`, since nobody can say what still works. Disposing restores Node's way.
 */
export function attributeErrors(onUnattributed: (error: unknown) => void): Disposable {
  const take = (error: unknown) => {
    const owner = current.getStore();
    if (owner) owner.fail(error);
    else onUnattributed(error);
  };
  const exit = process.exit;
  // A plugin that ends the process ends everybody's: it is its failure, and stops there.
  process.exit = (code) => {
    const owner = current.getStore();
    if (!owner) return exit.call(process, code);
    const error = new Error(`it called process.exit(${code ?? ""})`);
    owner.fail(error);
    throw error;
  };
  process.on("uncaughtException", take);
  process.on("unhandledRejection", take);
  return {
    [Symbol.dispose]() {
      process.exit = exit;
      process.off("uncaughtException", take);
      process.off("unhandledRejection", take);
    },
  };
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
