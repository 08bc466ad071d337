import type { Privacy } from '../access/privacy/privacy.ts'
import type { Relations } from '../access/relations.ts'
import type { Sessions } from '../access/sessions.ts'
import type { ServerLink } from '../cluster/server-link.ts'
import type { Connections } from './connections/connections.ts'
import { createFronts, type Fronts } from './presence/fronts.ts'
import type { Presence } from './presence/presence.ts'
import { type SharedFronts, shareFronts } from './presence/shared-fronts.ts'
import { createSharedPresence } from './presence/shared-presence.ts'
import { shareConnections } from './share-connections.ts'
import { shareSessionEndings } from './share-session-endings.ts'
import { createSharedBlockChanges } from './shared-block-changes.ts'
import { createSharedPrivacyChanges } from './shared-privacy-changes.ts'

/**
 * Shares presence, events, blocks and ended sign-ins across linked servers, and who looks at a
 * device; without a link leaves them local.
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
}): {
  presence: Presence
  connections: Connections
  /** Of this server's devices, and of all servers'. */
  fronts: Fronts
  allFronts: SharedFronts
  close(): void
} {
  const { link, presence, connections, sessions, relations, privacy, writeLastSeen, onError } =
    options
  const fronts = createFronts()
  if (!link) {
    const allFronts = shareFronts({ fronts, link, findServers: () => [] })
    return { presence, connections, fronts, allFronts, close: () => undefined }
  }
  const shared = createSharedPresence({ presence, link, writeLastSeen, onError })
  const { findServers } = shared
  const endings = shareSessionEndings({ sessions, connections, link, onError })
  const blockChanges = createSharedBlockChanges({ relations, connections, link })
  const privacyChanges = createSharedPrivacyChanges({ privacy, link })
  return {
    presence: shared,
    connections: shareConnections({ connections, link, findServers }),
    fronts,
    allFronts: shareFronts({ fronts, link, findServers }),
    close() {
      endings.close()
      blockChanges.close()
      privacyChanges.close()
    },
  }
}
