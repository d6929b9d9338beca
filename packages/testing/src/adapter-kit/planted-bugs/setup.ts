import type { Examination, PluginSetup, PluginSetupContext, SetupQuestion } from "@hermes/core";
import type { LoopbackPlatform } from "../../loopback-platform.ts";
import type { PlantedBug } from "./planted-bug.ts";
import { TOKEN, withSetup } from "./platforms-with-tokens.ts";

/** Plants nothing: the adapter itself is sound. */
const sound: PlantedBug["plant"] = () => {};

/** Changes each question. */
function asking(change: (question: SetupQuestion) => SetupQuestion): NonNullable<PlantedBug["spoil"]> {
  return (setup) => ({
    ...setup,
    ways: setup.ways.map((way) => ({ ...way, questions: way.questions.map(change) })),
  });
}

type Examine = (options: { readonly token: string }, context: PluginSetupContext) => Promise<Examination>;

/** Replaces the check; the replacement may call the original. */
function examining(spoil: (examine: Examine, at: LoopbackPlatform) => Examine): NonNullable<PlantedBug["spoil"]> {
  return (setup, at): PluginSetup => {
    const real: Examine = (options, context) => setup.examine(options, context);
    return { ...setup, examine: (options, context) => spoil(real, at())(options as { token: string }, context) };
  };
}

/** Bugs in the questions of a set-up, and in its check. */
export const setupBugs: readonly PlantedBug[] = [
  {
    bug: "asks for an option that its schema does not have",
    caughtBy: ["setup/questions", /the schema has no option tokn/],
    on: withSetup,
    plant: sound,
    spoil: asking((question) => ({ ...question, option: "tokn" })),
  },
  {
    bug: "asks for a token that would stand in the config",
    caughtBy: ["setup/questions", /token is a secret, and would stand in the config/],
    on: withSetup,
    plant: sound,
    spoil: asking(({ variable: _, ...question }) => question),
  },
  {
    bug: "explains a question at length",
    caughtBy: ["setup/questions", /are 20 lines/],
    on: withSetup,
    plant: sound,
    spoil: asking((question) => ({ ...question, steps: Array<string>(20).fill("Read on.") })),
  },
  {
    bug: "finds fault with right options when it is set up",
    caughtBy: ["setup/right", /the problems of right options/],
    on: withSetup,
    plant: sound,
    spoil: examining((examine) => (_, context) => examine({ token: "another" }, context)),
  },
  {
    bug: "posts a message to see whether it can",
    caughtBy: ["setup/right", /what is on the platform after the check/],
    on: withSetup,
    plant: sound,
    spoil: examining((examine, at) => (options, context) => {
      at.messages.push({ id: at.newId("m"), chatId: "home", threadId: undefined, key: "check", text: "Hello?" });
      return examine(options, context);
    }),
  },
  {
    bug: "takes every token for a right one when it is set up",
    caughtBy: ["setup/wrong-credential", /wrong credentials are no problem/],
    on: withSetup,
    plant: sound,
    spoil: examining((examine) => (options, context) => examine({ ...options, token: TOKEN }, context)),
  },
  {
    bug: "repeats a token that is not accepted",
    caughtBy: ["setup/wrong-credential", /a token stands in what was found/],
    on: withSetup,
    plant: sound,
    spoil: examining((examine) => async (options, context) => {
      const { account, findings } = await examine(options, context);
      const message = `The loopback does not accept ${options.token}.`;
      return { account, findings: findings.map((finding) => ({ ...finding, message })) };
    }),
  },
  {
    bug: "connects in the place of the gateway that runs when it is checked",
    caughtBy: ["setup/beside-gateway", /is answered/],
    on: withSetup,
    plant: sound,
    spoil: examining((examine, at) => (options, context) => {
      at.listening.clear();
      return examine(options, context);
    }),
  },
  {
    bug: "goes on with a check whose time is over",
    caughtBy: ["setup/deadline", /goes on 2000 ms after its time/],
    on: withSetup,
    plant: sound,
    spoil: examining((examine) => (options, context) => {
      return examine(options, { ...context, signal: new AbortController().signal });
    }),
  },
];
