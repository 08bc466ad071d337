/** However many ask, the disk or the CouchDB is asked once in a while. */
const knownMs = 1_000

/**
 * One look for all who ask at a time, and for a while after one that went well.
 * @param check rejects with the reason
 * @param isSound false when something has failed since the last look
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
