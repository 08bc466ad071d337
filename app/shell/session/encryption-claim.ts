import { useEffect } from 'react'
import type { ServerDescription } from '../../../schema/api/auth.ts'
import type { KeyValueStorage, SessionStore } from '../../api/session-store.ts'
import { createLiveValue, type LiveValue } from '../../database/views/live-value.ts'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { useServices } from './services-context.ts'

export const claimKey = 'server-encryption'

/**
 * May screens say that messages are end-to-end encrypted? As the server last said, here or in
 * anybody's own record; not until it has said so once. Kept on the device, for pages without a network.
 */
export interface EncryptionClaim {
  isMade: LiveValue<boolean>
  /** What the server says of itself, asked now. */
  describeServer(): Promise<ServerDescription>
  close(): void
}

export function createEncryptionClaim(options: {
  texts: KeyValueStorage
  sessions: Pick<SessionStore, 'get' | 'subscribe'>
  describe: () => Promise<ServerDescription>
}): EncryptionClaim {
  const { texts, sessions, describe } = options
  const isMade = createLiveValue(texts.getItem(claimKey) === 'on')

  /** A server before this version says nothing of it, and takes no sealed messages either. */
  function take(said: 'on' | 'off' = 'off') {
    isMade.set(said === 'on')
    if (texts.getItem(claimKey) === said) return
    try {
      texts.setItem(claimKey, said)
    } catch {
      // Full: the next page asks again.
    }
  }

  function takeOwn() {
    const user = sessions.get()?.user
    if (user) take(user.encryption)
  }

  takeOwn()
  return {
    isMade,
    async describeServer() {
      const description = await describe()
      take(description.encryption)
      return description
    },
    close: sessions.subscribe(takeOwn),
  }
}

/** For screens before the sign-in: asks the server, too. */
export function useEncryptionClaim(): boolean {
  const { encryption } = useServices()
  useEffect(() => {
    // Without an answer, what was last known stands.
    encryption.describeServer().catch(() => undefined)
  }, [encryption])
  return useLiveValue(encryption.isMade)
}
