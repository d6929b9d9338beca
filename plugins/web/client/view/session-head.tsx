import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { WireSessionHere } from "../../src/server/wire/session.ts";
import { say } from "../state/outgoing.ts";
import { stop, stopOf } from "../state/sessions.ts";
import type { State } from "../state/store.ts";
import { StopIcon } from "./icons.tsx";
import { useCloseKey } from "./keys.ts";
import { placesText } from "./places-text.ts";

const PANEL_ID = "session-panel";

/** Ends the turn that runs, as Esc does. It keeps the focus while the turn ends, and then hands it to the field. */
export function StopButton({ state, threadId }: { state: State; threadId: string }) {
  const stopping = stopOf(state, threadId);
  return stopping === "none" ? null : <Stop threadId={threadId} isAsked={stopping === "asked"} />;
}

function Stop({ threadId, isAsked }: { threadId: string; isAsked: boolean }) {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(
    () => () => {
      if (document.activeElement === button.current) document.getElementById("composer")?.focus();
    },
    [],
  );
  return (
    <button
      ref={button}
      type="button"
      class="stop"
      aria-keyshortcuts="Escape"
      aria-disabled={isAsked}
      title="Stop (Esc)"
      onClick={() => stop(threadId)}
    >
      <StopIcon />
      <span>{isAsked ? "Stopping…" : "Stop"}</span>
    </button>
  );
}

/** What a screen reader hears of the turn. */
export function TurnStatus({ here }: { here: WireSessionHere | null }) {
  return (
    <p class="unseen" role="status">
      {turnText(here)}
    </p>
  );
}

function turnText(here: WireSessionHere | null): string {
  if (here?.turn == null) return "";
  if (here.turn.state === "waiting") return `A turn waits for an answer.`;
  return `Hermes is working ${here.turn.place}.${here.mayStop ? " Escape stops it." : ""}`;
}

/** The facts of the session in one line; pressed, what can be changed of it. */
export function SessionFacts({ here, threadId }: { here: WireSessionHere; threadId: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    setIsOpen(false);
    button.current?.focus();
  };
  useCloseKey(isOpen, close);
  return (
    <div class="facts">
      <button
        ref={button}
        type="button"
        class="facts-line"
        aria-expanded={isOpen}
        aria-controls={PANEL_ID}
        onClick={() => setIsOpen(!isOpen)}
      >
        <span class="unseen">This session: </span>
        {factsOf(here).join(" · ")}
      </button>
      <section id={PANEL_ID} class="facts-panel" aria-label="This session" hidden={!isOpen}>
        {isOpen && <Panel here={here} threadId={threadId} onDone={close} />}
      </section>
    </div>
  );
}

function factsOf({ model, mode, window, usage }: WireSessionHere): string[] {
  return [
    model === null ? "no model" : model.slice(model.indexOf("/") + 1),
    ...(mode === "default" ? [] : [`mode ${mode}`]),
    ...(window === null || window.of === null ? [] : [`${percent(window.sent, window.of)} of the window`]),
    ...(usage === null || usage.cost === "unknown" ? [] : [usage.cost]),
  ];
}

function Panel({ here, threadId, onDone }: { here: WireSessionHere; threadId: string; onDone: () => void }) {
  const { model, isOwnModel, window, usage, elsewhere } = here;
  const command = (text: string) => {
    say(threadId, text);
    onDone();
  };
  return (
    <>
      <dl>
        <dt>Model</dt>
        <dd>
          {model ?? "none is set"}
          {isOwnModel && ", chosen for this session"}
        </dd>
        <dt>Mode</dt>
        <dd>
          {here.mode}: {here.modes.find(({ mode }) => mode === here.mode)?.meaning}
        </dd>
        <dt>Window</dt>
        <dd>{windowText(window)}</dd>
        <dt>Used</dt>
        <dd>{usage?.text ?? "nothing yet"}</dd>
        {elsewhere.length > 0 && (
          <>
            <dt>Also open</dt>
            <dd>
              <bdi>{placesText(elsewhere)}</bdi>
            </dd>
          </>
        )}
      </dl>
      {here.mayChooseModel && <ChooseModel here={here} command={command} />}
      <ChooseMode here={here} command={command} />
    </>
  );
}

interface ChooseProps {
  readonly here: WireSessionHere;
  readonly command: (text: string) => void;
}

/** What Hermes makes of a name, it says in the conversation, as to /model. */
function ChooseModel({ here: { model, models, isOwnModel }, command }: ChooseProps) {
  const [name, setName] = useState("");
  return (
    <form
      class="choose"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== "") command(`/model ${name.trim()}`);
      }}
    >
      <label for="model">Change the model</label>
      <input
        id="model"
        list="models"
        value={name}
        placeholder={model ?? "provider/model"}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        maxLength={200}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <datalist id="models">
        {models.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <button type="submit" class="button">
        Use this model
      </button>
      {isOwnModel && (
        <button type="button" class="button" onClick={() => command("/model default")}>
          Use the config's
        </button>
      )}
    </form>
  );
}

function ChooseMode({ here: { mode, modes }, command }: ChooseProps) {
  const [wanted, setWanted] = useState(mode);
  return (
    <form
      class="choose"
      onSubmit={(event) => {
        event.preventDefault();
        command(`/mode ${wanted}`);
      }}
    >
      <label for="mode">Change the mode</label>
      <select id="mode" value={wanted} onChange={(event) => setWanted(event.currentTarget.value)}>
        {modes.map((one) => (
          <option key={one.mode} value={one.mode} disabled={!one.isAllowed}>
            {one.mode}: {one.meaning}
          </option>
        ))}
      </select>
      <button type="submit" class="button">
        Use this mode
      </button>
    </form>
  );
}

function windowText(window: WireSessionHere["window"]): string {
  if (window === null) return "nothing was sent yet";
  const sent = `${window.isEstimated ? "about " : ""}${window.sent.toLocaleString()}`;
  if (window.of === null) return `${sent} tokens; how many the model reads is not known`;
  return `${sent} of ${window.of.toLocaleString()} tokens (${percent(window.sent, window.of)})`;
}

function percent(sent: number, of: number): string {
  return `${Math.round((100 * sent) / of)} %`;
}
