/**
 * Makes a `fetch` that asks again without `stream_options`, by which servers are asked to count tokens, where a server
 * refuses a request because of it: some that speak OpenAI's protocol do not know it.
 */
export function askingForCounts(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await send(input, init);
    if ((response.status !== 400 && response.status !== 422) || typeof init?.body !== "string") return response;
    const said = await response.text();
    if (said.includes("stream_options")) {
      const { stream_options: _, ...body } = JSON.parse(init.body);
      return send(input, { ...init, body: JSON.stringify(body) });
    }
    const { status, statusText, headers } = response;
    return new Response(said, { status, statusText, headers });
  };
}
