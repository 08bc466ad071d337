import * as z from 'zod/mini'
import type { Relations } from '../access/relations.ts'
import type { ServerLink } from '../cluster/server-link.ts'
import type { Connections } from './connections/connections.ts'

const userIds = z.array(z.string())

/**
 * A block on one server hides people at once on all. After a link outage, rereads the blocks of
 * everybody connected.
 */
export function createSharedBlockChanges(options: {
  relations: Pick<Relations, 'onChanged' | 'handleChanged'>
  connections: Pick<Connections, 'listUsers'>
  link: ServerLink
}) {
  const { relations, connections, link } = options
  const state = { isHearing: false }

  function handle(changed: readonly string[]) {
    state.isHearing = true
    relations.handleChanged(changed)
    state.isHearing = false
  }

  const stopListening = [
    relations.onChanged((changed) => {
      if (!state.isHearing) link.publish('blocks-changed', changed)
    }),
    link.listen('blocks-changed', (data) => handle(userIds.parse(data))),
    link.onTurn((isUp) => {
      if (isUp) handle(connections.listUsers())
    }),
  ]
  return {
    close() {
      for (const stop of stopListening) stop()
    },
  }
}
