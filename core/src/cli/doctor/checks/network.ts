import { parseModelName } from "../../../agent/model-name.ts";
import { providerAccess } from "../../../agent/provider-access.ts";
import { asHermesError, reasonOf } from "../../../base/errors.ts";
import { type ProxyAddress, readProxySettings } from "../../../base/proxy/proxy-settings.ts";
import { type TunnelEnd, TunnelSocket } from "../../../base/proxy/tunnel-socket.ts";
import { type Check, type DoctorContext, type DoctorFinding, ofError, ok, problem } from "../check.ts";

export const networkCheck: Check = {
  name: "network",
  title: "Network",
  async run(context, signal) {
    const { environment } = context;
    try {
      const settings = readProxySettings(environment);
      if (settings === null) return [ok("No proxy is set: connections are made directly.")];
      const to = modelServer(context);
      const exceptions = environment.no_proxy || environment.NO_PROXY;
      const except = exceptions ? ` NO_PROXY: ${exceptions}.` : "";
      if (to === null) return [ok(`A proxy is set.${except} No model's server is known to try it with.`)];
      const proxy = settings.proxyFor(to.host, to.port, to.isEncrypted);
      if (proxy === null) return [ok(`A proxy is set, and ${to.host} is reached without it.${except}`)];
      return [await tryProxy(proxy, to, signal, except)];
    } catch (error) {
      signal.throwIfAborted();
      return [ofError(asHermesError(error))];
    }
  },
};

async function tryProxy(
  proxy: ProxyAddress,
  to: TunnelEnd,
  signal: AbortSignal,
  except: string,
): Promise<DoctorFinding> {
  const socket = new TunnelSocket(proxy, to);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once("connect", resolve).once("error", reject);
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort);
  try {
    await promise;
    return ok(`The proxy ${proxy.host}:${proxy.port} opens a way to ${to.host}:${to.port}.${except}`);
  } catch (error) {
    signal.throwIfAborted();
    const message = `No way to ${to.host}:${to.port}: ${reasonOf(error)}.`;
    return problem(
      message,
      "Correct HTTPS_PROXY or HTTP_PROXY, or name the host in NO_PROXY if it is reached directly.",
    );
  } finally {
    signal.removeEventListener("abort", abort);
    socket.on("error", () => {}).destroy();
  }
}

/** Where the model is asked; null where none is set, or it cannot be said. */
function modelServer({ checked, environment }: DoctorContext): (TunnelEnd & { readonly isEncrypted: boolean }) | null {
  const { model = null, providers = {} } = checked?.config ?? {};
  if (model === null) return null;
  try {
    const url = new URL(providerAccess(parseModelName(model).provider, { providers, environment }).baseUrl);
    const isEncrypted = url.protocol === "https:";
    return { host: url.hostname, port: Number(url.port) || (isEncrypted ? 443 : 80), isEncrypted };
  } catch {
    return null;
  }
}
