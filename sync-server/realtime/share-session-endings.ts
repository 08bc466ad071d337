import * as z from 'zod/mini'
import type { Sessions } from '../access/sessions.ts'
import type { ServerLink } from '../cluster/server-link.ts'
import type { Connections } from './connections/connections.ts'

/** How often connections are checked while the link is down. */
const checkEveryMs = 30_000

const caller = z.object({ userId: z.string(), sessionId: z.string() })

/**
 * Ending a sign-in on one server ends it on all and cuts off its devices everywhere. Checks the
 * database for missed endings when the servers reconnect, and periodically until then.
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
