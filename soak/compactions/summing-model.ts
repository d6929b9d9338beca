import { createModelServer, gate, type ModelReply, type ModelRequest, type ModelServer } from "@hermes/testing";
import { lastRequest } from "../../e2e/support/model.ts";
import type { Draw } from "../plan/draw.ts";
import { PLANTED, type Planted } from "./planted.ts";

/** Tokens that the config says it reads. */
export const WINDOW = 24_000;

/**
 * UTF-16 units of JSON that are one of its tokens: fewer than Hermes estimates with, so that it has to learn from the
 * counts.
 */
const UNITS_OF_TOKEN = 3.6;

/** Once it reads less than the config says, to this share. */
const SMALLER = 0.5;

const SUMMARY = /^\[Hermes replaces the beginning/;

/** What a summary does: most are good, and every kind of failure comes too. */
const SUMMARIES = { good: 12, "without state": 4, refused: 1, empty: 1, silent: 1 } as const;

/** What the model saw, for whoever judges. */
export interface SummingModelEvents {
  /** A summary is asked for: nothing of it was answered yet. */
  summaryAsked?(): void;
  /** A summary was given as a whole, and another request follows. */
  askedBehindSummary?(): void;
}

/**
 * The model of the session. It counts what it is sent and refuses more than its window. It knows nothing but what stands in
 * the request: a summary holds what it was given, and nothing of it is remembered for the next one.
 */
export class SummingModel implements AsyncDisposable {
  readonly #draw: Draw;
  readonly #planted = new Set<Planted>();
  #server: ModelServer | null = null;
  #isSmaller = false;
  #hasSummed = false;
  events: SummingModelEvents = {};
  /** How often a request was refused as too long. */
  refusals = 0;
  /** Requests that were judged: those to go on with the work. */
  judged = 0;
  /** What a request did not hold, and the end of what was asked in it. */
  readonly missing: string[] = [];
  readonly summaries: Record<keyof typeof SUMMARIES, number> = {
    ...{ good: 0, "without state": 0, refused: 0, empty: 0, silent: 0 },
  };
  #next: ModelReply | null = null;

  constructor(draw: Draw) {
    this.#draw = draw;
  }

  static async start(draw: Draw): Promise<SummingModel> {
    const model = new SummingModel(draw);
    model.#server = await createModelServer([], { otherwise: (request) => model.#answer(request), remembers: 0 });
    return model;
  }

  get server(): ModelServer {
    if (this.#server === null) throw new Error("the model was not started");
    return this.#server;
  }

  /** From now on, each request to go on has to hold this. */
  plant(what: Planted): void {
    this.#planted.add(what);
  }

  /** Reads less than the config says, or as much again. */
  shrink(isSmaller: boolean): void {
    this.#isSmaller = isSmaller;
  }

  /** What it says to the next request that is no summary. */
  says(reply: ModelReply): void {
    this.#next = reply;
  }

  #answer(request: ModelRequest): ModelReply {
    const said = request.messages.filter(({ role }) => role !== "system");
    const input = tokensIn(request.messages) + tokensIn(request.body.tools ?? []);
    const isSummary = SUMMARY.test(lastRequest(request));
    if (input > WINDOW * (this.#isSmaller ? SMALLER : 1)) {
      this.refusals++;
      return { status: 400, message: `This model's maximum context length is exceeded: ${input} tokens.` };
    }
    const reply = isSummary ? this.#sum(lastRequest(request)) : this.#goOn(request, JSON.stringify(said));
    return typeof reply === "string" || "status" in reply
      ? reply
      : { ...reply, usage: { input, output: tokensIn(reply.say ?? "") } };
  }

  #sum(asked: string): ModelReply {
    const how = this.#draw.weighted(SUMMARIES);
    this.summaries[how]++;
    this.events.summaryAsked?.();
    this.#hasSummed = how === "good" || how === "without state";
    switch (how) {
      case "refused":
        return { status: 529, message: "The model is overloaded.", headers: { "retry-after": "0" } };
      case "empty":
        return { say: " " };
      case "silent":
        return { late: gate() };
      default:
        return { say: summaryOf(asked, how === "good") };
    }
  }

  #goOn(request: ModelRequest, seen: string): ModelReply {
    if (this.#hasSummed) this.events.askedBehindSummary?.();
    this.#hasSummed = false;
    this.judged++;
    const asked = lastRequest(request);
    const lost = [...this.#planted].filter((one) => !PLANTED[one].every((words) => seen.includes(words)));
    for (const one of lost) this.missing.push(`${one}, when this was asked: …${asked.slice(-80)}`);
    const scripted = this.#next;
    this.#next = null;
    if (scripted !== null) return scripted;
    const [token] = asked.match(/m\d+x/g)?.slice(-1) ?? [];
    if (request.messages.at(-1)?.role === "tool" || token === undefined || request.tools.length === 0) {
      return { say: token === undefined ? "It goes on here." : `Heard ${token}. ${filler(this.#draw, 300)}` };
    }
    // Some work is done with tools, whose results fill the window too.
    const [file] = this.#draw.between(1, 2) === 1 ? ["notes.txt"] : [];
    if (file !== undefined) return { call: [{ name: "read", input: { path: file } }] };
    return { say: `Heard ${token}. ${filler(this.#draw, this.#draw.between(2_000, 6_000))}` };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.close();
  }
}

function tokensIn(what: unknown): number {
  return Math.ceil(JSON.stringify(what).length / UNITS_OF_TOKEN);
}

/** What it was given, in short: words that say that they matter are kept, of all else only how much there was. */
function summaryOf(asked: string, hasState: boolean): string {
  const data = asked.slice(asked.indexOf("]\n\n"));
  const facts = [...new Set(data.match(/Remember: [^.\n]*\./g))];
  const questions = [...new Set(data.match(/Undecided: [^?\n]*\?/g))];
  const heard = [...new Set(data.match(/m\d+x/g))];
  const done = `## Done, do not repeat\n${heard.length} messages, the last of them ${heard.at(-1)}.`;
  const kept = [...facts, ...(hasState ? [] : questions)].map((line) => `- ${line}`).join("\n");
  const summary = `${done}\n\n## Open\nThe work goes on.\n\n## Facts\n${kept}`;
  if (!hasState) return summary;
  const state = {
    ...{ task: "keep the books of the tide", progress: null, nextStep: null },
    ...{ decisions: [], openQuestions: questions, files: [] },
  };
  return `${summary}\n\n\`\`\`hermes-state\n${JSON.stringify(state)}\n\`\`\``;
}

const WORDS = "the tide rises over sand and falls again while boats wait in the harbour for wind and light".split(" ");

/** So many UTF-16 units of words that say nothing. */
export function filler(draw: Draw, length: number): string {
  let text = "";
  while (text.length < length) text += `${draw.pick(WORDS)} `;
  return text.trim();
}
