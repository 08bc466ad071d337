import { useCallback, useEffect, useState } from 'react'
import type { GroupPreview } from '../../../schema/api/groups.ts'
import { wordsOf } from '../../../schema/helpers/text.ts'
import { isPassing } from '../../api/api-error.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { useSubmission } from '../../ui/forms/use-submission.ts'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import { useLivePart } from '../../ui/hooks/use-live-value.ts'
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
  const [joinedId, setJoinedId] = useState<string>()
  const submission = useSubmission()
  const preview = found.kind === 'found' ? found.preview : undefined
  const groupId = joinedId ?? preview?.groupId
  useArrival(messenger, groupId, onJoined)
  const join = async () => {
    setJoinedId(await messenger.groupDesk.join(code))
    await look()
  }
  return (
    <Page title="Join group" backLabel="Back to chats" onBack={onBack}>
      <section className={styles.body}>
        {found.kind === 'looking' && (
          <p role="status">
            {isOffline
              ? "You're offline. The group behind this link is shown when you're back."
              : 'Loading...'}
          </p>
        )}
        {found.kind === 'failed' && (
          <>
            <p role="alert">
              {isOffline
                ? "You're offline. The group behind this link is shown when you're back."
                : found.words}
            </p>
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
            <Standing
              preview={preview}
              isJoined={groupId !== undefined}
              isBusy={submission.isBusy}
              onJoin={() => void submission.run(join)}
              onBack={onBack}
            />
            {submission.problem && (
              <p role="alert" className={styles.problem}>
                {isOffline ? "You're offline. Joining needs a connection." : submission.problem}
              </p>
            )}
          </>
        )}
      </section>
    </Page>
  )
}

interface StandingProps {
  preview: GroupPreview
  isJoined: boolean
  isBusy: boolean
  onJoin(): void
  onBack(): void
}

/** Where this person stands with the group, and what they can do. */
function Standing({ preview, isJoined, isBusy, onJoin, onBack }: StandingProps) {
  const { state, requiresApproval } = preview
  if (isJoined) return <p role="status">You're in the group. Opening it...</p>
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
