import { placeName } from "../model/place-name.ts";
import type { Surface } from "../model/session.ts";
import type { BindingStore } from "./work-stores.ts";

/** Names a surface for people. It does not parse the key: the conversation comes from the key's binding. */
export async function lookUpPlace(bindings: BindingStore, surface: Surface): Promise<string> {
  const binding = surface === "terminal" ? null : await bindings.get(surface);
  return placeName(surface, binding?.conversation);
}
