import type { ListedModel } from "../../agent/listed-model.ts";
import { HermesError } from "../../base/errors.ts";
import { styled } from "../../terminal/styled.ts";
import { signOf } from "../doctor/print-findings.ts";
import type { Asking } from "./asking.ts";
import type { Init } from "./draft.ts";
import { listWithin } from "./list-within.ts";

/** A server that was found at an address; without models where it has no list of them. */
interface OwnServer {
  readonly provider: string;
  readonly models: readonly ListedModel[];
}

/** Asks for a server of the person's own until one answers, and has the config name it. Null: another provider. */
export async function askOwnServer(init: Init, asking: Asking): Promise<OwnServer | null> {
  const { output } = asking;
  const { draft, config } = init;
  for (;;) {
    const typed = await asking.text("Its address, such as http://127.0.0.1:8000/v1 (Enter alone goes back):");
    if (typed === "") return null;
    const addresses = addressesOf(typed);
    if (addresses.length === 0) {
      output.line("An address begins with http:// or https://.");
      continue;
    }
    const key = await asking.text("Its key (typed unseen; Enter alone where it needs none):", { isUnseen: true });
    try {
      const { baseUrl, models } = await found(init, addresses, key);
      const provider = nameFor(baseUrl, config.providers);
      const variable = `${provider.toUpperCase()}_API_KEY`;
      draft.providers.set(provider, { baseUrl, ...(key !== "" && { apiKey: { variable } }) });
      if (key !== "") draft.variables.set(variable, key);
      const none = models === null ? " It does not list its models." : "";
      output.line(styled`${signOf(output, "ok")} ${baseUrl} answers; it is called ${provider}.${none}`);
      return { provider, models: models ?? [] };
    } catch (error) {
      if (!(error instanceof HermesError)) throw error;
      init.signal.throwIfAborted();
      output.line(output.colors.yellow(error.message));
      output.line(error.hint);
    }
  }
}

/** The address as it was typed, and where it has no path the one that such servers mostly have. */
function addressesOf(typed: string): string[] {
  if (!URL.canParse(typed)) return [];
  const { protocol, pathname } = new URL(typed);
  if (protocol !== "http:" && protocol !== "https:") return [];
  const bare = typed.replace(/\/+$/, "");
  return pathname === "/" ? [`${bare}/v1`, bare] : [bare];
}

/** The first address that has a list of models; else the first that answers at all. Throws why none does. */
async function found(init: Init, addresses: readonly string[], key: string) {
  let answers: { readonly baseUrl: string; readonly models: readonly ListedModel[] | null } | null = null;
  let refusal: unknown;
  for (const baseUrl of addresses) {
    try {
      const access = { provider: new URL(baseUrl).host, protocol: "compatible", baseUrl } as const;
      const keyed = { apiKey: key === "" ? null : key, keySource: key === "" ? null : "what was typed" };
      const models = await listWithin(init, { ...access, ...keyed });
      if (models !== null) return { baseUrl, models };
      answers ??= { baseUrl, models };
    } catch (error) {
      init.signal.throwIfAborted();
      refusal ??= error;
    }
  }
  if (answers !== null) return answers;
  throw refusal;
}

/** A free name; the one that an earlier set-up gave to the address, if it did. */
function nameFor(baseUrl: string, providers: Readonly<Record<string, { readonly baseUrl: string }>>): string {
  for (let count = 1; ; count++) {
    const name = count === 1 ? "own" : `own${count}`;
    const there = Object.hasOwn(providers, name) ? providers[name] : undefined;
    if (there === undefined || there.baseUrl === baseUrl) return name;
  }
}
