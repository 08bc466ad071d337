import * as z from 'zod/mini'
import type { Sessions } from '../access/sessions.ts'
import type { ServerLink } from '../cluster/server-link.ts'
import type { Connections } from './connections/connections.ts'

/** How often connections are checked while nobody can be heard. */
const checkEveryMs = 30_000

const caller = z.object({ userId: z.string(), sessionId: z.string() })

/**
 * A sign-in that ends on one server ends on all: its devices are cut off wherever they are connected. Whatever may have
 * been missed is found in the database when the servers hear each other again, and now and then until they do.
 */
export function shareSessionEndings(options: {
  sessions: Sessions
  connections: Connections
  link: ServerLink
  onError: (error: unknown) => void
}) {
  const { sessions, connections, link, onError } = options
  const state = { isHearing: false }

  async function checkAll() {
    for (const connected of connections.listCallers()) await sessions.check(connected)
  }
  const check = () => void checkAll().catch(onError)

  const checking = setInterval(() => {
    if (!link.isUp()) check()
  }, checkEveryMs).unref()

  const stopListening = [
    sessions.onEnded((ended) => {
      if (!state.isHearing) link.publish('session-ended', ended)
    }),
    link.listen('session-ended', (data) => {
      const ended = caller.parse(data)
      state.isHearing = true
      sessions.handleEnded(ended)
      state.isHearing = false
    }),
    link.listen('sessions-check', check),
    link.onTurn((isUp) => {
      if (!isUp) return
      link.publish('sessions-check', null)
      check()
    }),
  ]

  return {
    close() {
      clearInterval(checking)
      for (const stop of stopListening) stop()
    },
  }
}
