import type { ComponentChildren } from "preact";
import type { WireError, WireHolder } from "../../src/server/wire/overview.ts";
import type { Shown } from "./document.ts";
import { Sentence, Text } from "./text.tsx";

/** A list, or why there is none to show. */
export function Items<T, Item>({
  shown,
  of,
  empty,
  children,
}: {
  readonly shown: Shown<T>;
  readonly of: (value: T) => readonly Item[];
  readonly empty: string;
  readonly children: (item: Item) => ComponentChildren;
}) {
  const { value, problem } = shown;
  const items = value === null ? null : of(value);
  return (
    <>
      {problem !== null && (
        <p class="refusal" role="alert">
          <Sentence text={problem} />
        </p>
      )}
      {items === null && problem === null && <p class="hint">Loading…</p>}
      {items?.length === 0 && (
        <p class="hint">
          <Sentence text={empty} />
        </p>
      )}
      {items !== null && items.length > 0 && <ul class="items">{items.map(children)}</ul>}
    </>
  );
}

interface ItemProps {
  readonly name: ComponentChildren;
  readonly facts?: readonly ComponentChildren[];
  readonly children?: ComponentChildren;
}

export function Item({ name, facts = [], children }: ItemProps) {
  const said = facts.filter((fact) => fact !== null && fact !== "");
  return (
    <li class="item">
      <p class="item-name">{name}</p>
      {said.length > 0 && (
        <p class="facts">
          {said.map((fact, at) => (
            <span key={at}>{fact}</span>
          ))}
        </p>
      )}
      {children}
    </li>
  );
}

/** A session by what people call it, with a link to its page. */
export function SessionLink({ id, title, none }: { id: string | null; title: string | null; none: string }) {
  if (id === null) return <>{none}</>;
  return (
    <a href={`/overview/sessions/${encodeURIComponent(id)}`} data-page>
      <Text text={title ?? id} />
    </a>
  );
}

export function Problem({ error }: { error: WireError | null }) {
  if (error === null) return null;
  return (
    <p class="refusal">
      <Text text={error.message} />{" "}
      {error.hint !== null && (
        <span class="hint">
          <Sentence text={error.hint} />
        </span>
      )}
    </p>
  );
}

/** Such as `gateway, pid 123`. */
export function holderText({ role, pid, process, machine }: WireHolder): string {
  const state = { alive: "", stopped: ", which is stopped", gone: ", which is gone", unknown: ` on ${machine}` };
  return `${role}, pid ${pid}${state[process]}`;
}

/** Such as `pager`, or `pager (work)` where there are several accounts. */
export function accountText({ platform, account }: { platform: string; account: string | null }): string {
  return account === null ? platform : `${platform} (${account})`;
}
