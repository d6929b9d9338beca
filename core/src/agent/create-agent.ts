import type { Clock } from "../base/clock.ts";
import type { LoadedConfig } from "../config/config.ts";
import type { Session } from "../model/session.ts";
import type { Agent } from "./agent.ts";
import { createAiSdkAgent } from "./ai-sdk-agent.ts";
import { OFFLINE, offlineAgent } from "./offline-agent.ts";

export interface CreateAgentOptions {
  readonly config: Pick<LoadedConfig, "model" | "providers" | "instructions" | "modelTimeouts">;
  /** Where the keys are. */
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
}

/**
 * Hermes' own agent: the model of the session, or else of the config, or else the stand-in that says that there is none.
 * A model that is set and cannot be used fails its turns; nothing takes its place.
 */
export function createAgent({ config, environment, clock }: CreateAgentOptions): Agent {
  const modelOf = (session: Session) => session.model ?? config.model ?? OFFLINE;
  const { providers, instructions, modelTimeouts: timeouts } = config;
  const online = createAiSdkAgent({ providers, instructions, timeouts, environment, clock, modelOf });
  return {
    modelOf,
    run: (request) => (modelOf(request.session) === OFFLINE ? offlineAgent : online).run(request),
  };
}
