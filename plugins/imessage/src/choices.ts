import type { Choice, ChoiceLimits, Piece } from "@hermes/core";

/** Messages shows no buttons: a tapback on the question chooses, and what has none is typed. */
export const CHOICE_LIMITS: ChoiceLimits = { most: 3, labelLength: 60 };

/** The ids of the choices that a message's tapbacks stand for. */
export interface Tapbacks {
  readonly like?: string | undefined;
  readonly dislike?: string | undefined;
}

/** A piece with its choices below the text: the one that goes on by a like, the one that does not by a dislike. */
export function withTapbacks(piece: Piece, choices: readonly Choice[]): Piece {
  const like = choices.find(({ style }) => style === "primary");
  const plain = choices.length === 2 && like ? choices.find(({ style }) => style === "plain") : undefined;
  const dislike = choices.find(({ style }) => style === "danger") ?? plain;
  const lines = [like && `👍 ${like.label}`, dislike && `👎 ${dislike.label}`].filter((line) => line !== undefined);
  if (lines.length === 0) return piece;
  const tapbacks: Tapbacks = { like: like?.id, dislike: dislike?.id };
  return { text: `${piece.text}\n\n${lines.join("\n")}`, extra: { tapbacks } };
}

export function tapbacksOf({ extra }: Piece): Tapbacks | undefined {
  return extra?.tapbacks as Tapbacks | undefined;
}

/** The choice that a tapback makes, if any: each other one, and one that is taken away, chooses nothing. */
export function chosenBy(type: string | number, tapbacks: Tapbacks | undefined): string | undefined {
  return type === "like" ? tapbacks?.like : type === "dislike" ? tapbacks?.dislike : undefined;
}
