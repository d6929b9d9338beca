import { createModelServer, type ModelRequest, type ModelServer, type ReplyTo } from "@hermes/testing";
import { HermesMachine } from "./hermes-process.ts";

/** The key of the journeys' model: long enough to be taken for one. */
export const MODEL_KEY = "sk-journey-5f0c2a9e7b1d4836";

/** A model that takes the replies it is given, and then answers `Answer to: …`. */
export function startModel(...script: readonly ReplyTo[]): Promise<ModelServer> {
  return createModelServer(script, { otherwise: answerTo });
}

/** A machine whose model is `model`. */
export function machineWith(
  model: ModelServer,
  config: Record<string, unknown> = {},
  environment: NodeJS.ProcessEnv = {},
): HermesMachine {
  return new HermesMachine(
    { model: "openai/journey", ...config },
    { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: MODEL_KEY, ...environment },
  );
}

/** What the person, or Hermes, asked last. */
export function lastRequest({ messages }: ModelRequest): string {
  const { content, parts } = messages.findLast(({ role }) => role === "user") ?? {};
  if (Array.isArray(parts)) return parts.map((part) => String(part.text ?? "")).join("");
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map((part) => String(part.text ?? "")).join("") : "";
}

export function answerTo(request: ModelRequest): string {
  return `Answer to: ${lastRequest(request)}`;
}
