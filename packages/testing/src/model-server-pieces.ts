import type { ModelMessageReply } from "./model-server.ts";

/** Server-sent events as sent over the wire; `hold` marks where a reply may pause. */
export type Events = Generator<string | "hold">;

/** One server-sent event. */
export function data(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** The text, word by word. */
export function deltas({ say = "" }: ModelMessageReply): string[] {
  return say.match(/\S+\s*|\s+/g) ?? [];
}

export function calls({ call = [] }: ModelMessageReply): { id: string; name: string; json: string }[] {
  return call.map(({ id, name, input = {} }, at) => ({
    id: id ?? `call_${at + 1}`,
    name,
    json: typeof input === "string" ? input : JSON.stringify(input),
  }));
}

/** Splits the input of a call into pieces that are not JSON by themselves. */
export function halves(json: string): string[] {
  const middle = Math.ceil(json.length / 2);
  return [json.slice(0, middle), json.slice(middle)];
}
