import type { Clock } from "../base/clock.ts";
import type { LoadedConfig } from "../config/config.ts";
import type { Files } from "../files/files.ts";
import type { Session } from "../model/session.ts";
import type { Agent } from "./agent.ts";
import { type AiSdkAgentOptions, createAiSdkAgent } from "./ai-sdk-agent.ts";
import type { ModelCatalogue } from "./model-catalogue.ts";
import { OFFLINE, offlineAgent } from "./offline-agent.ts";

export interface CreateAgentOptions {
  readonly config: Pick<LoadedConfig, "model" | "providers" | "instructions" | "modelTimeouts">;
  /** Holds the API keys. */
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
  /** By default, Hermes' own table of models. */
  readonly catalogue?: ModelCatalogue;
  /** Without it, the files of messages are only named. */
  readonly files?: Files;
  /** What the folder of a session says of the work there. */
  readonly folderInstructions?: AiSdkAgentOptions["folderInstructions"];
}

/**
 * Makes Hermes' own agent. It uses the session's model, or else the config's, or else the offline agent, which says that
 * no model is configured. A model that is set but cannot be used fails its turns, without a fallback.
 */
export function createAgent({ config, ...parts }: CreateAgentOptions): Agent {
  const modelOf = (session: Session) => session.model ?? config.model ?? OFFLINE;
  const { providers, instructions, modelTimeouts: timeouts } = config;
  const online = createAiSdkAgent({ ...parts, providers, instructions, timeouts, modelOf });
  return {
    modelOf,
    run: (request) => (modelOf(request.session) === OFFLINE ? offlineAgent : online).run(request),
  };
}
