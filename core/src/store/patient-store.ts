import type { Store } from "./store.ts";

/** Makes a call of the store, again and again where it has to. */
export type Persist = <T>(call: () => Promise<T>) => Promise<T>;

/**
 * A store each of whose calls is made by `persist`. It may repeat one that was refused as busy: a call is stored whole or
 * not at all, and such a one was not.
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
