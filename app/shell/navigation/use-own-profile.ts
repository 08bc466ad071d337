import type { OwnUser } from '../../../schema/user.ts'
import type { RequestEntry } from '../../database/storage/queued-request.ts'
import { useObjectUrl } from '../../media/loading/use-file.ts'
import type { OwnProfile } from '../../profile/own-profile.ts'
import {
  applyWaitingProfile,
  findWaitingPicture,
} from '../../sync/requests/apply-waiting-profile.ts'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { useMessenger } from '../session/messenger-context.tsx'
import { useSession } from '../session/services-context.ts'

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

/** What of one's own record is only on this device so far, in words. */
export function describeWaiting(
  entries: readonly Pick<RequestEntry, 'state' | 'request' | 'problem'>[],
  { isOffline }: { isOffline: boolean },
): { changes?: string; picture?: string } {
  const waiting = entries.filter(
    ({ state, problem }) => state === 'waiting' && (isOffline || problem !== undefined),
  )
  const why = isOffline ? "when you're back online" : 'as soon as the server answers'
  const has = (kind: RequestEntry['request']['kind']) =>
    waiting.some(({ request }) => request.kind === kind)
  return {
    ...(has('profile') && { changes: `Your changes are kept here and will be saved ${why}.` }),
    ...(has('picture') && {
      picture: `Your new picture is kept here and will be uploaded ${why}.`,
    }),
  }
}
