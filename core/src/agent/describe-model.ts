import type { ModelFacts } from "./model-facts.ts";

/** What is known of a model, in words; what is not known is called that. */
export function describeModel(facts: ModelFacts): string {
  const { window } = facts;
  const size =
    window === null ? "window unknown (counted as 128,000 tokens)" : `window ${window.toLocaleString("en")} tokens`;
  return [size, priceText(facts), readsText(facts)].filter((words) => words !== null).join("; ");
}

/** `$4 in, $20 out a million tokens` */
export function priceText({ prices }: Pick<ModelFacts, "prices">): string {
  if (prices === null) return "price unknown";
  if (prices.input === 0 && prices.output === 0) return "free of charge";
  const more = prices.long === undefined ? "" : `, more above ${prices.long.over.toLocaleString("en")}`;
  return `${dollars(prices.input)} in, ${dollars(prices.output)} out a million tokens${more}`;
}

/** Null where nothing is known of it. */
function readsText({ images, pdf }: Pick<ModelFacts, "images" | "pdf">): string | null {
  if (images === null && pdf === null) return null;
  const reads = [images ? "pictures" : null, pdf ? "PDF" : null].filter((what) => what !== null);
  return reads.length === 0 ? "reads text only" : `reads ${reads.join(" and ")}`;
}

function dollars(amount: number): string {
  return `$${amount.toLocaleString("en", { maximumFractionDigits: 3 })}`;
}
