/** What is said once, and has to be known ever after. */
export type Planted = "fact" | "later fact" | "open question" | "denial" | "later denial";

/** The words by which a request shows that it holds them. */
export const PLANTED: Readonly<Record<Planted, readonly string[]>> = {
  fact: ["Remember: the sluice opens at 4711."],
  "later fact": ["Remember: the pilot is called Ibsen."],
  "open question": ["Undecided: shall the new boat be named Heron or Ibis?"],
  denial: ["rm -r ledger", "the ledger stays"],
  "later denial": ["rm -r charts", "the charts stay"],
};
