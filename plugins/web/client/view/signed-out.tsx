import { Wing } from "./icons.tsx";

/** How to get in; only the terminal can let a browser in. */
export function SignedOut({ refusal }: { refusal: string | null }) {
  return (
    <main class="signed-out">
      <div class="panel">
        <Wing />
        <h1>Open Hermes with a link</h1>
        {refusal !== null && (
          <p class="refusal" role="alert">
            {refusal}
          </p>
        )}
        <p>This page is yours alone, so a browser needs a link from your terminal once.</p>
        <ol>
          <li>
            In the terminal, run <code>hermes web open</code>.
          </li>
          <li>Open the link that it prints, in this browser, within two minutes.</li>
        </ol>
        <p class="hint">The browser then stays signed in for 30 days after each visit.</p>
      </div>
    </main>
  );
}
