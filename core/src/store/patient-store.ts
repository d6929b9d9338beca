import type { Store } from "./store.ts";

/** Makes a call to the store, and retries it while the store is busy. */
export type Persist = <T>(call: () => Promise<T>) => Promise<T>;

/**
 * Wraps a store so that `persist` makes each call. Retrying a call that was refused as busy is safe: calls are atomic, so
 * no part of it was stored.
 */
export function patientStore(store: Store, persist: Persist): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member === "function") return member.bind(target);
      return typeof member === "object" && member !== null ? patientPart(member, persist) : member;
    },
  });
}

function patientPart(part: object, persist: Persist): object {
  return new Proxy(part, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => persist(async () => member.apply(target, args));
    },
  });
}
