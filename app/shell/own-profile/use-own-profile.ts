import type { OwnUser } from '../../../schema/user.ts'
import { useObjectUrl } from '../../media/loading/use-object-url.ts'
import type { OwnProfile } from '../../profile/own-profile.ts'
import {
  applyWaitingProfile,
  findWaitingPicture,
} from '../../sync/requests/apply-waiting-profile.ts'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { useMessenger } from '../session/messenger-context.tsx'
import { useSession } from '../session/use-session.ts'
import { describeWaiting } from './describe-waiting.ts'

/** One's own name and picture, with what still waits for the network. */
export function useOwnFace(): { user: OwnUser | undefined; picture: string | undefined } {
  const session = useSession()
  const entries = useLiveValue(useMessenger().requests.entries)
  const waiting = findWaitingPicture(entries)
  const url = useObjectUrl(waiting ?? undefined)
  const user = session && applyWaitingProfile(session.user, entries)
  return {
    user,
    picture: url ?? (waiting === null ? undefined : user?.profilePicture) ?? undefined,
  }
}

/** One's own record and what can be done with it; undefined once signed out. */
export function useOwnProfile(): OwnProfile | undefined {
  const { connection, requests } = useMessenger()
  const { user, picture } = useOwnFace()
  const entries = useLiveValue(requests.entries)
  const { state } = useLiveValue(connection)
  if (!user) return undefined
  return {
    user,
    picture,
    waiting: describeWaiting(entries, { isOffline: state === 'offline' }),
    async onSave(change) {
      await requests.submit({ kind: 'profile', change })
    },
    async onSavePicture(given) {
      await requests.submit({ kind: 'picture', picture: given })
    },
    async onRemovePicture() {
      await requests.submit({ kind: 'profile', change: { profilePicture: null } })
    },
  }
}
