import { placeName } from "../model/place-name.ts";
import type { Surface } from "../model/session.ts";
import type { BindingStore } from "./work-stores.ts";

/** What a person calls a surface. A key is not parsed: the conversation that is bound under it tells. */
export async function lookUpPlace(bindings: BindingStore, surface: Surface): Promise<string> {
  const binding = surface === "terminal" ? null : await bindings.get(surface);
  return placeName(surface, binding?.conversation);
}
