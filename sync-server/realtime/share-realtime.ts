import type { Privacy } from '../access/privacy.ts'
import type { Relations } from '../access/relations.ts'
import type { Sessions } from '../access/sessions.ts'
import type { ServerLink } from '../cluster/server-link.ts'
import type { Connections } from './connections/connections.ts'
import type { Presence } from './presence/presence.ts'
import { createSharedPresence } from './presence/shared-presence.ts'
import { shareConnections } from './share-connections.ts'
import { shareSessionEndings } from './share-session-endings.ts'
import { createSharedBlockChanges } from './shared-block-changes.ts'
import { createSharedPrivacyChanges } from './shared-privacy-changes.ts'

/**
 * Shares presence, events, blocks and ended sign-ins across linked servers; without a link leaves
 * them local.
 */
export function shareRealtime(options: {
  link: ServerLink | undefined
  presence: Presence
  connections: Connections
  sessions: Sessions
  relations: Relations
  privacy: Privacy
  writeLastSeen: (userIds: readonly string[], lastSeen: number) => Promise<void>
  onError: (error: unknown) => void
}): { presence: Presence; connections: Connections; close(): void } {
  const { link, presence, connections, sessions, relations, privacy, writeLastSeen, onError } =
    options
  if (!link) return { presence, connections, close: () => undefined }
  const shared = createSharedPresence({ presence, link, writeLastSeen, onError })
  const { findServers } = shared
  const endings = shareSessionEndings({ sessions, connections, link, onError })
  const blockChanges = createSharedBlockChanges({ relations, connections, link })
  const privacyChanges = createSharedPrivacyChanges({ privacy, link })
  return {
    presence: shared,
    connections: shareConnections({ connections, link, findServers }),
    close() {
      endings.close()
      blockChanges.close()
      privacyChanges.close()
    },
  }
}
