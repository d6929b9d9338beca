import { type Clock, sleep, systemClock } from "@hermes/core";
import type { Agent, AgentEvent, AgentRequest } from "@hermes/core/embed";
import { runTool } from "@hermes/core/internal";
import type { Gate } from "./gate.ts";

/** What a scripted model does in one turn: a text, or steps one after the other. */
export type ScriptedAnswer = string | readonly ScriptedStep[];

export type ScriptedStep =
  /** Said in deltas of a word each. */
  | { readonly say: string }
  /** Ends the assistant message, calls the tools, and goes on with their results in the transcript. */
  | { readonly call: readonly ScriptedCall[] }
  /** Milliseconds of the clock. */
  | { readonly wait: number }
  /** Stands still until the test opens the gate. */
  | { readonly hold: Gate }
  /** Fails the turn. */
  | { readonly fail: Error };

export interface ScriptedCall {
  readonly name: string;
  readonly input?: unknown;
  /** `call_1`, `call_2`, … by itself. */
  readonly id?: string;
}

/** An agent that says what a test wrote down for it, and remembers what it was asked. */
export interface ScriptedModel extends Agent {
  readonly requests: readonly AgentRequest[];
  /** Adds answers to the script. */
  push(...answers: readonly (ScriptedAnswer | ((request: AgentRequest) => ScriptedAnswer))[]): void;
}

export interface ScriptedModelOptions {
  readonly clock?: Clock;
  /** What `modelOf` says. */
  readonly name?: string;
  /** Answers once the script is at its end; without it, a further turn fails. */
  readonly otherwise?: (request: AgentRequest) => ScriptedAnswer;
}

/**
 * An agent that takes one answer of `script` for each turn. It runs the tools of the request for real.
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
  return {
    requests,
    push: (...more) => void answers.push(...more),
    modelOf: (session) => session.model ?? name,
    async *run(request) {
      requests.push(request);
      const next = answers.shift() ?? otherwise;
      if (next === undefined) throw new Error(`The script has no answer for turn ${requests.length}.`);
      const answer = typeof next === "function" ? next(request) : next;
      yield* play(typeof answer === "string" ? [{ say: answer }] : answer, request, clock);
    },
  };
}

async function* play(
  steps: readonly ScriptedStep[],
  request: AgentRequest,
  clock: Clock,
): AsyncGenerator<AgentEvent, void> {
  const { signal } = request;
  let text = "";
  let calls = 0;
  for (const step of steps) {
    signal.throwIfAborted();
    if ("say" in step) {
      for (const delta of step.say.match(/\S+\s*|\s+/g) ?? []) {
        text += delta;
        yield { type: "text", delta };
        signal.throwIfAborted();
      }
    } else if ("call" in step) {
      const toolCalls = step.call.map(({ id, name, input }) => ({
        id: id ?? `call_${++calls}`,
        name,
        input: input ?? {},
      }));
      yield { type: "step", text, toolCalls };
      text = "";
      for (const call of toolCalls) yield await runTool(call, request);
    } else if ("wait" in step) {
      await sleep(clock, step.wait, signal);
    } else if ("hold" in step) {
      await step.hold.pass(signal);
    } else {
      throw step.fail;
    }
  }
  signal.throwIfAborted();
  yield { type: "finish", text };
}
