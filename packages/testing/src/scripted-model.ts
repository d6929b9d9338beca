import { type Clock, sleep, systemClock } from "@hermes/core";
import type { Agent, AgentEvent, AgentRequest } from "@hermes/core/embed";
import type { Gate } from "./gate.ts";

/** What a scripted model does in one turn: a text, or several steps. */
export type ScriptedAnswer = string | readonly ScriptedStep[];

/** A step of a scripted answer. */
export type ScriptedStep =
  /** Says a text, in deltas of one word each. */
  | { readonly say: string }
  /** Says where the work stands, as a handoff asks for it: the block at the end of an answer. */
  | { readonly state: unknown }
  /** Ends the assistant message, calls the tools, and continues with their results in the transcript. */
  | { readonly call: readonly ScriptedCall[] }
  /** Waits for milliseconds of the clock. */
  | { readonly wait: number }
  /** Pauses until the test opens the gate. */
  | { readonly hold: Gate }
  /** Fails the turn. */
  | { readonly fail: Error };

/** A call of a tool in a script. */
export interface ScriptedCall {
  readonly name: string;
  readonly input?: unknown;
  /** The call's id; `call_1`, `call_2`, … by default. */
  readonly id?: string;
}

/** An agent that plays a test's script, and records its requests. */
export interface ScriptedModel extends Agent {
  /** One for each turn. */
  readonly requests: readonly AgentRequest[];
  /** Adds answers to the script. */
  push(...answers: readonly (ScriptedAnswer | ((request: AgentRequest) => ScriptedAnswer))[]): void;
}

/** How a scripted model is called, and what it says when the script has ended. */
export interface ScriptedModelOptions {
  readonly clock?: Clock;
  /** The result of `modelOf`. */
  readonly name?: string;
  /** Answers after the end of the script; without it, a further turn fails. */
  readonly otherwise?: (request: AgentRequest) => ScriptedAnswer;
}

/**
 * Makes an agent that plays one answer of `script` per turn. After tool calls, it continues with the rest of the answer
 * when it is called with their results.
 *
 * @example
 * const held = gate();
 * const model = scriptedModel(["Hello.", [{ say: "One " }, { hold: held }, { say: "two." }]]);
 */
export function scriptedModel(
  script: readonly (ScriptedAnswer | ((request: AgentRequest) => ScriptedAnswer))[],
  { clock = systemClock, name = "scripted/model", otherwise }: ScriptedModelOptions = {},
): ScriptedModel {
  const answers = [...script];
  const requests: AgentRequest[] = [];
  /** The rest of the answers of turns that called tools, by session. */
  const begun = new Map<string, Playing>();
  return {
    requests,
    push: (...more) => void answers.push(...more),
    modelOf: (session) => session.model ?? name,
    async *run(request) {
      const { id } = request.session;
      const left = request.messages.at(-1)?.role === "tool" ? begun.get(id) : undefined;
      begun.delete(id);
      if (left === undefined) requests.push(request);
      const playing = left ?? { steps: nextSteps(request), calls: 0 };
      yield* play(playing, request, clock);
      if (playing.steps.length > 0) begun.set(id, playing);
    },
  };

  function nextSteps(request: AgentRequest): ScriptedStep[] {
    const next = answers.shift() ?? otherwise;
    if (next === undefined) throw new Error(`The script has no answer for turn ${requests.length}.`);
    const answer = typeof next === "function" ? next(request) : next;
    return typeof answer === "string" ? [{ say: answer }] : [...answer];
  }
}

interface Playing {
  readonly steps: ScriptedStep[];
  calls: number;
}

/** Plays one message: to its calls, or to the end of the script. */
async function* play(playing: Playing, { signal }: AgentRequest, clock: Clock): AsyncGenerator<AgentEvent, void> {
  let text = "";
  for (let step = playing.steps.shift(); step !== undefined; step = playing.steps.shift()) {
    signal.throwIfAborted();
    if ("say" in step || "state" in step) {
      const said = "say" in step ? step.say : `\n\n\`\`\`hermes-state\n${JSON.stringify(step.state)}\n\`\`\``;
      for (const delta of said.match(/\S+\s*|\s+/g) ?? []) {
        text += delta;
        yield { type: "text", delta };
        signal.throwIfAborted();
      }
    } else if ("call" in step) {
      const calls = step.call.map(({ id, name, input }) => ({
        call: { id: id ?? `call_${++playing.calls}`, name, input: input ?? {} },
        problem: null,
      }));
      // The rest is said once the results are there, even if it is empty.
      if (playing.steps.length === 0) playing.steps.push({ say: "" });
      yield { type: "message", text, calls };
      return;
    } else if ("wait" in step) {
      await sleep(clock, step.wait, signal);
    } else if ("hold" in step) {
      await step.hold.pass(signal);
    } else {
      throw step.fail;
    }
  }
  signal.throwIfAborted();
  yield { type: "message", text, calls: [] };
}
