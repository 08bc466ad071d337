/** Probes the disk or the CouchDB at most this often, however many ask. */
const knownMs = 1_000

/**
 * Shares one probe among concurrent callers, and its success for a while.
 * @param check rejects with the reason
 * @param isSound false when something failed since the last probe
 */
export function createReadyCheck(
  check: () => Promise<void>,
  isSound: () => boolean = () => true,
): () => Promise<void> {
  const state = { until: 0, checking: undefined as Promise<void> | undefined }

  async function look() {
    await check()
    state.until = performance.now() + knownMs
  }

  return async () => {
    if (performance.now() < state.until && isSound()) return
    state.checking ??= look().finally(() => {
      state.checking = undefined
    })
    await state.checking
  }
}
