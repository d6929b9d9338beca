import { type Mark, marksIn, tokensNamedIn } from "../marks.ts";
import type { PlatformName } from "../plan/acts.ts";
import type { Asked, Ledger, Sighting } from "./ledger.ts";
import { noticeKind } from "./notices.ts";

/** What became of a message that somebody wrote. */
export type Verdict =
  /** One whole answer, once. */
  | "answered"
  /** Hermes said in the chat that it was not answered. */
  | "told"
  /** Shown below the notice that it may have been shown before. */
  | "uncertain"
  /** Refused by the platform: shown later, below a notice, or listed by `hermes deliveries`. */
  | "refused"
  /** Neither answered nor told about. */
  | "lost"
  /** The same shown twice without the notice. */
  | "doubled";

export interface Judgement {
  readonly asked: Asked;
  readonly verdict: Verdict;
  /** The first words of an answer that a crash cut off stand above the whole one. */
  readonly hasBeginning: boolean;
  /** Why an engineer should look at it; null where all is well. */
  readonly fault: string | null;
}

export interface JudgeOptions {
  /** Whether a message of unknown fate can be looked up or repeated there. */
  readonly knowsFate: (platform: PlatformName) => boolean;
  /** Messages whose answers stand in the list of what could not be delivered. */
  readonly listed: ReadonlySet<string>;
  /** Messages of which the terminal said that they would not be answered: of handoffs that did not get through. */
  readonly toldInTerminal: ReadonlySet<string>;
  /** Messages of whose answers the store does not know whether they arrived, or knows that they were refused. */
  readonly unsure: ReadonlySet<string>;
  /** Whether an edit may have been refused for good while the answer grew: it goes out as a new message then. */
  readonly mayStandBeside: (asked: Asked) => boolean;
}

/** A message of Hermes with a part of an answer in it. */
interface Copy {
  readonly sighting: Sighting;
  readonly marks: readonly Mark[];
  /** The notice that it stands below. */
  readonly below: "uncertain" | "refused" | null;
}

/** As many messages of Hermes below a notice may belong to it. */
const MOST_BELOW_A_NOTICE = 40;

export function judge(ledger: Pick<Ledger, "asked" | "sightings">, options: JudgeOptions): Judgement[] {
  const sightings = [...ledger.sightings.values()];
  const copies = copiesIn(sightings, ledger.asked, options.unsure);
  const closed = sightings.filter(({ text }) => noticeKind(text) === "closed");
  const naming = new Set(
    closed.flatMap(({ platform, text }) => tokensNamedIn(text).map((token) => `${platform} ${token}`)),
  );
  const judged = [...ledger.asked.values()].map((asked) => {
    const isTold = naming.has(`${asked.platform} ${asked.token}`);
    return judgeOne(asked, copies.get(`${asked.platform} ${asked.token}`) ?? [], isTold, options);
  });
  return settleUnnamed(judged, sightings);
}

/** The copies of each answer, in the order in which they were first seen, by platform and token. */
function copiesIn(
  sightings: readonly Sighting[],
  asked: ReadonlyMap<string, Asked>,
  unsure: ReadonlySet<string>,
): Map<string, Copy[]> {
  const copies = new Map<string, Copy[]>();
  const notices = new Map<string, { kind: "uncertain" | "refused"; at: number; left: number }>();
  for (const sighting of sightings) {
    const at = `${sighting.platform} ${sighting.place}`;
    const kind = noticeKind(sighting.text);
    if (kind === "uncertain" || kind === "refused") {
      notices.set(at, { kind, at: sighting.firstAt, left: MOST_BELOW_A_NOTICE });
      continue;
    }
    const notice = notices.get(at);
    if (notice !== undefined) notice.left--;
    const marks = marksIn(sighting.text);
    for (const token of new Set(marks.map((mark) => mark.token))) {
      const key = `${sighting.platform} ${token}`;
      // What was asked behind the notice is an answer of its own, and so is what nobody was unsure about.
      const isOlder = (asked.get(token)?.at ?? Number.POSITIVE_INFINITY) < (notice?.at ?? 0);
      const isBelow = notice !== undefined && notice.left >= 0 && isOlder && unsure.has(token);
      const copy = {
        sighting,
        marks: marks.filter((mark) => mark.token === token),
        below: isBelow ? notice.kind : null,
      };
      copies.set(key, [...(copies.get(key) ?? []), copy]);
    }
  }
  return copies;
}

function judgeOne(asked: Asked, copies: readonly Copy[], isTold: boolean, options: JudgeOptions): Judgement {
  const knowsFate = options.knowsFate(asked.platform);
  const open = copies.filter(({ below }) => below === null);
  const below = copies.filter((copy) => copy.below !== null);
  const whole = wholeAnswers(copies);
  const beginning = beginningIn(open, wholeAnswers(open).length > 0 || whole.length > 0);
  const counted = open.filter((copy) => copy !== beginning);
  const say = (verdict: Verdict, fault: string | null = null): Judgement => {
    return { asked, verdict, hasBeginning: beginning !== null, fault };
  };

  const standing = counted.filter(({ sighting }) => sighting.isRemoved !== true);
  const twice = partShownTwice(standing);
  if (twice !== null) return say("doubled", `${twice} was shown twice`);
  if (wholeAnswers(standing).length > 1) return say("doubled", "it was answered twice");
  if (whole.length === 0) {
    if (isTold || options.toldInTerminal.has(asked.token)) return say("told");
    if (options.listed.has(asked.token)) return say("refused");
    return say(
      "lost",
      copies.length > 0 ? "only a part of the answer was shown" : "there is no answer, and no word of it",
    );
  }
  if (below.length > 0) {
    if (below.some((copy) => copy.below === "refused")) return say("refused");
    // Of an edit, that was refused after one of unknown fate, no platform tells what stands there.
    const couldBeKnown = knowsFate && !options.mayStandBeside(asked);
    return say("uncertain", couldBeKnown ? "its fate could have been known on this platform" : null);
  }
  if (beginning !== null && knowsFate && !options.mayStandBeside(asked))
    return say("answered", "its beginning stands beside it, and could be completed");
  return say("answered", isTold ? "it was answered, and told not to be" : null);
}

/** The answers of which every part was shown. */
function wholeAnswers(copies: readonly Copy[]): number[] {
  const parts = new Map<number, Set<number>>();
  const lengths = new Map<number, number>();
  for (const { answer, part, of } of copies.flatMap(({ marks }) => marks)) {
    parts.set(answer, (parts.get(answer) ?? new Set()).add(part));
    lengths.set(answer, of);
  }
  return [...parts].filter(([answer, shown]) => shown.size === lengths.get(answer)).map(([answer]) => answer);
}

/** A message that holds the first parts of an answer and not its end, where another one holds them too. */
function beginningIn(copies: readonly Copy[], hasWhole: boolean): Copy | null {
  const [first, ...others] = copies;
  if (first === undefined || !hasWhole) return null;
  const end = first.marks.at(-1);
  const isCutOff = end !== undefined && first.marks[0]?.part === 1 && end.part < end.of;
  return isCutOff && others.some(({ marks }) => marks[0]?.part === 1) ? first : null;
}

function partShownTwice(copies: readonly Copy[]): string | null {
  const seen = new Set<string>();
  for (const { token, part, of, answer } of copies.flatMap(({ marks }) => marks)) {
    const name = `part ${part} of ${of} of answer ${answer} to ${token}`;
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return null;
}

/** A notice that names no message is the word about the oldest one of its place that has no other. */
function settleUnnamed(judged: readonly Judgement[], sightings: readonly Sighting[]): Judgement[] {
  const told = new Set<Asked>();
  for (const notice of sightings) {
    if (noticeKind(notice.text) !== "no answer") continue;
    const meant = judged
      .filter(({ verdict, asked }) => verdict === "lost" && !told.has(asked) && isAt(asked, notice))
      .sort((a, b) => a.asked.at - b.asked.at)[0];
    if (meant) told.add(meant.asked);
  }
  return judged.map((one) => (told.has(one.asked) ? { ...one, verdict: "told", fault: null } : one));
}

function isAt({ platform, place, at }: Asked, notice: Sighting): boolean {
  if (platform !== notice.platform || at > notice.firstAt) return false;
  return notice.place === place || notice.place.startsWith(`${place}/`);
}
