import { createBackOff } from './platform/back-off.ts'

const firstMs = 1_000
const longestMs = 5 * 60_000

/**
 * Asks for people whom the device does not know, one after the other, each until there is an answer: whoever cannot be
 * read waits behind the others, and longer after each failure.
 * @param read gives up their place when it resolves
 */
export function createAskedPeople(options: {
  read: (userId: string) => Promise<unknown>
  random: () => number
}) {
  const { read, random } = options
  const closing = new AbortController()
  const backOff = createBackOff({ random, firstMs, longestMs })
  const waiting = new Set<string>()
  let isRunning = false

  async function askOne(userId: string) {
    const attempt = await backOff.begin(closing.signal)
    waiting.delete(userId)
    try {
      await read(userId)
      backOff.succeed()
    } catch {
      waiting.add(userId)
      backOff.fail(attempt)
    }
  }

  async function run() {
    isRunning = true
    for (const userId of waiting) await askOne(userId)
    isRunning = false
  }

  return {
    ask(userId: string) {
      waiting.add(userId)
      if (!isRunning && !closing.signal.aborted) run().catch(() => {})
    },
    /** The server can be reached again: asks now. */
    hurry: backOff.hurry,
    close() {
      closing.abort(new Error('Nobody is asked for any more.'))
      backOff.close()
    },
  }
}
