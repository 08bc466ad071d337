/**
 * Aborts when any of them does, then removes its listeners: `AbortSignal.any`, which browsers of
 * 2023 lack.
 */
export function joinSignals(signals: readonly AbortSignal[]): AbortSignal {
  const joined = new AbortController()
  for (const signal of signals) {
    if (signal.aborted) joined.abort(signal.reason)
    const abort = () => joined.abort(signal.reason)
    signal.addEventListener('abort', abort, { once: true, signal: joined.signal })
  }
  return joined.signal
}
