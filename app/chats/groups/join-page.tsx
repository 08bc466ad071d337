import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { GroupPreview } from '../../../schema/api/groups.ts'
import { wordsOf } from '../../../schema/helpers/text.ts'
import { isPassing } from '../../api/api-error.ts'
import type { RequestEntry } from '../../database/storage/queued-request.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import { useLivePart, useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { Page } from '../../ui/layout/page.tsx'
import { Avatar } from '../../ui/people/avatar.tsx'
import styles from './join-page.module.css'

interface JoinPageProps {
  messenger: Messenger
  /** Of the link. */
  code: string
  /** The group is on this device. */
  onJoined(groupId: string): void
  onBack(): void
}

type Found =
  | { kind: 'looking' }
  | { kind: 'found'; preview: GroupPreview }
  /** `isFinal`: asking again would change nothing. */
  | { kind: 'failed'; words: string; isFinal: boolean }

/** Says where a group's link leads, and joins by it, or asks to. */
export function JoinPage({ messenger, code, onJoined, onBack }: JoinPageProps) {
  const isOffline = useLivePart(messenger.connection, ({ state }) => state === 'offline')
  const { found, look } = useLook(messenger, code)
  const asked = useAsked(messenger, code, look)
  const preview = found.kind === 'found' ? found.preview : undefined
  useArrival(messenger, preview?.groupId, onJoined)
  const join = () => void messenger.groupDesk.join(code, preview?.name)
  const forget = (entry: RequestEntry) => void messenger.requests.discard(entry._id)
  const isUnseen = isOffline && !preview
  return (
    <Page title="Join group" backLabel="Back to chats" onBack={onBack}>
      <section className={styles.body}>
        {isUnseen && !asked && (
          <>
            <p role="status">
              You're offline. The group behind this link is shown when you're back.
            </p>
            <p>You can join now: everyone in the group then sees your name and picture.</p>
            <Button onClick={join}>Join when I'm back</Button>
          </>
        )}
        {found.kind === 'looking' && !isOffline && <p role="status">Loading...</p>}
        {found.kind === 'failed' && !isOffline && (
          <>
            <p role="alert">{found.words}</p>
            {found.isFinal ? (
              <Button onClick={onBack}>Go to your chats</Button>
            ) : (
              <Button onClick={() => void look()}>Try Again</Button>
            )}
          </>
        )}
        {preview && (
          <>
            <Avatar name={preview.name} picture={preview.picture ?? undefined} size={8} isGroup />
            <p className={styles.name} dir="auto">
              {preview.name}
            </p>
            <p className={styles.about}>
              Group · {preview.memberCount === 1 ? '1 member' : `${preview.memberCount} members`}
            </p>
            {!isKept(asked, isOffline) && (
              <Standing
                preview={preview}
                isBusy={asked?.state === 'waiting'}
                onJoin={join}
                onBack={onBack}
              />
            )}
            {asked?.state === 'refused' && (
              <p role="alert" className={styles.problem}>
                {asked.problem?.words}
              </p>
            )}
          </>
        )}
        {asked && isKept(asked, isOffline) && (
          <>
            <p role="status">
              {isOffline
                ? "You're offline. You join when you're back."
                : `You join when the server takes it. ${asked.problem?.words ?? ''}`}
            </p>
            <div className={styles.buttons}>
              <Button look="quiet" onClick={() => forget(asked)}>
                Don't join
              </Button>
              <Button onClick={onBack}>Go to your chats</Button>
            </div>
          </>
        )}
      </section>
    </Page>
  )
}

interface StandingProps {
  preview: GroupPreview
  isBusy: boolean
  onJoin(): void
  onBack(): void
}

/** Where this person stands with the group, and what they can do. */
function Standing({ preview, isBusy, onJoin, onBack }: StandingProps) {
  const { state, requiresApproval, groupId } = preview
  if (groupId !== undefined) return <p role="status">You're in the group. Opening it...</p>
  if (state === 'waiting') {
    return (
      <>
        <p role="status">
          You asked to join. The group appears in your chats once an admin lets you in.
        </p>
        <Button look="quiet" onClick={onBack}>
          Go to your chats
        </Button>
      </>
    )
  }
  return (
    <>
      <p>
        {requiresApproval
          ? 'An admin of the group has to let you in. They see your name and picture.'
          : 'Everyone in the group sees your name and picture.'}
      </p>
      <Button isBusy={isBusy} onClick={onJoin}>
        {requiresApproval ? 'Ask to join' : 'Join group'}
      </Button>
    </>
  )
}

/** Does joining wait for the network, or for what the server gave as a reason? */
const isKept = (asked: RequestEntry | undefined, isOffline: boolean) =>
  asked?.state === 'waiting' && (isOffline || asked.problem !== undefined)

/** The request to join by this link that is yet to be taken; once it is over the link is looked at. */
function useAsked(
  { requests }: Pick<Messenger, 'requests'>,
  code: string,
  look: () => Promise<void>,
): RequestEntry | undefined {
  const entries = useLiveValue(requests.entries)
  const asked = useMemo(
    () => entries.find(({ request }) => request.kind === 'join' && request.code === code),
    [entries, code],
  )
  const before = useRef(asked)
  useEffect(() => {
    if (before.current && !asked) void look()
    before.current = asked
  }, [asked, look])
  return asked
}

/** What the server says of the link; asked again with each connection, and when a group changes. */
function useLook(
  { groupDesk, connection }: Pick<Messenger, 'groupDesk' | 'connection'>,
  code: string,
): { found: Found; look(): Promise<void> } {
  const isLive = useLivePart(connection, ({ state }) => state === 'live')
  const [found, setFound] = useState<Found>({ kind: 'looking' })
  const look = useCallback(async () => {
    try {
      setFound({ kind: 'found', preview: await groupDesk.preview(code) })
    } catch (cause) {
      const isFinal = !isPassing(cause)
      // What is shown stays until the server can be asked again.
      setFound((now) =>
        now.kind === 'found' && !isFinal ? now : { kind: 'failed', words: wordsOf(cause), isFinal },
      )
    }
  }, [groupDesk, code])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new connection asks again
  useEffect(() => {
    void look()
    return groupDesk.onHint(() => void look())
  }, [groupDesk, look, isLive])
  return { found, look }
}

/** Calls back once this device has the group, which comes like any other change. */
function useArrival(
  { groups }: Pick<Messenger, 'groups'>,
  groupId: string | undefined,
  onJoined: (groupId: string) => void,
) {
  const arrived = useLatest(onJoined)
  useEffect(() => {
    if (groupId === undefined) return
    const group = groups.get(groupId)
    const look = () => {
      const known = group.getSnapshot()
      if (known && !known.hasLeft) arrived.current(groupId)
    }
    look()
    return group.subscribe(look)
  }, [groups, groupId, arrived])
}
