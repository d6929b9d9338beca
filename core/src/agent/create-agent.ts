import type { Clock } from "../base/clock.ts";
import type { LoadedConfig } from "../config/config.ts";
import type { Files } from "../files/files.ts";
import type { Session } from "../model/session.ts";
import type { Agent } from "./agent.ts";
import { type AiSdkAgentOptions, createAiSdkAgent } from "./ai-sdk-agent.ts";
import type { ModelCatalogue } from "./model-catalogue.ts";
import type { ModelHealth } from "./model-health.ts";
import { OFFLINE, offlineAgent } from "./offline-agent.ts";

export interface CreateAgentOptions {
  readonly config: Pick<LoadedConfig, "model" | "providers" | "instructions" | "modelTimeouts"> &
    Partial<Pick<LoadedConfig, "models">>;
  /** Holds the API keys. */
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
  /** By default, Hermes' own table of models. */
  readonly catalogue?: ModelCatalogue;
  /** Where it is kept which models did not answer. */
  readonly health?: ModelHealth;
  /** Without it, the files of messages are only named. */
  readonly files?: Files;
  /** What the folder of a session says of the work there. */
  readonly folderInstructions?: AiSdkAgentOptions["folderInstructions"];
}

/**
 * Makes Hermes' own agent. It uses the session's model, or else the config's, or else the offline agent, which says that
 * no model is configured. Where a model does not answer, those of `models.fallback` are asked.
 */
export function createAgent({ config, ...parts }: CreateAgentOptions): Agent {
  const modelOf = (session: Session) => session.model ?? config.model ?? OFFLINE;
  const { providers, instructions, modelTimeouts: timeouts } = config;
  const fallback = config.models?.fallback ?? [];
  const online = createAiSdkAgent({ ...parts, providers, instructions, timeouts, fallback, modelOf });
  return {
    modelOf,
    run: (request) => (modelOf(request.session) === OFFLINE ? offlineAgent : online).run(request),
  };
}
