import { createBackOff } from '../platform/back-off.ts'

const firstMs = 1_000
const longestMs = 5 * 60_000

/**
 * Requests unknown people from the server one by one, retrying until it answers. A failing request
 * goes to the back of the queue, with a longer delay after each failure.
 * @param read removes them from the queue when it resolves
 */
export function createAskedPeople(options: {
  read: (userId: string) => Promise<unknown>
  random: () => number
}) {
  const { read, random } = options
  const closing = new AbortController()
  const backOff = createBackOff({ random, firstMs, longestMs })
  const waiting = new Set<string>()
  /** Its answer is on the way, also for whoever asks meanwhile. */
  let current: string | undefined
  let isRunning = false

  async function askOne(userId: string) {
    const attempt = await backOff.begin(closing.signal)
    waiting.delete(userId)
    current = userId
    try {
      await read(userId)
      backOff.succeed()
    } catch {
      waiting.add(userId)
      backOff.fail(attempt)
    } finally {
      current = undefined
    }
  }

  async function run() {
    isRunning = true
    for (const userId of waiting) await askOne(userId)
    isRunning = false
  }

  return {
    ask(userId: string) {
      if (userId !== current) waiting.add(userId)
      if (!isRunning && !closing.signal.aborted) run().catch(() => {})
    },
    /** The server is reachable again: retry now. */
    hurry: backOff.hurry,
    close() {
      closing.abort(new Error('Nobody is asked for any more.'))
      backOff.close()
    },
  }
}
