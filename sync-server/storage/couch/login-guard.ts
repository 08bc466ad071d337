import { LoginRefused } from './login-refused.ts'

/**
 * After five wrong logins within five minutes CouchDB locks the login out, for every server that
 * uses it.
 */
const triedAgainAfterMs = 2 * 60_000

/**
 * Stops retrying a login that CouchDB refused: requests then fail here, and one now and then checks
 * whether it works again.
 * @param now epoch ms
 */
export function createLoginGuard({ now = Date.now }: { now?: () => number } = {}) {
  const state = { refusal: undefined as string | undefined, triedAt: 0 }

  return {
    /** Call before each request. @throws LoginRefused while the login counts as refused */
    check() {
      if (state.refusal === undefined) return
      if (now() - state.triedAt < triedAgainAfterMs) throw new LoginRefused(state.refusal)
      state.triedAt = now()
    },
    /** Call with each answer. @throws LoginRefused for one that refuses the login */
    async record(response: Response) {
      const reason = await readRefusal(response)
      if (reason === undefined) {
        state.refusal = undefined
        return
      }
      const isNew = state.refusal === undefined
      state.refusal = `CouchDB refuses the login: ${reason} Set COUCHDB_URL to a name and a password that it takes.`
      if (isNew) state.triedAt = now()
      throw new LoginRefused(state.refusal)
    },
  }
}

/** A known user without admin rights also gets 401. */
async function readRefusal(response: Response): Promise<string | undefined> {
  if (response.status !== 401 && response.status !== 403) return undefined
  const answer: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  const { reason } = (answer ?? {}) as { reason?: unknown }
  const words = typeof reason === 'string' ? reason : `it answers ${response.status}.`
  const isLocked = /locked/.test(words)
  if (response.status === 403) return isLocked ? endSentence(words) : undefined
  return /server admin/.test(words) ? undefined : endSentence(words)
}

function endSentence(words: string): string {
  return words.endsWith('.') ? words : `${words}.`
}
