import {
  type Dispatch,
  type RefObject,
  type SetStateAction,
  useCallback,
  useEffect,
  useRef,
  useState,
} from 'react'
import { Link } from 'react-router-dom'
import { kindOf } from '../../../schema/conversation.ts'
import { canBeginMention } from '../../../schema/helpers/mentions.ts'
import { isBlank } from '../../../schema/helpers/text.ts'
import type { LinkPreview } from '../../../schema/link-preview.ts'
import { isIncoming, type MessageDocument } from '../../../schema/message.ts'
import { foldText } from '../../database/search/fold-text.ts'
import {
  findGroupObstacle,
  type KnownPerson,
  nameOf,
  pictureOf,
} from '../../database/storage/known-peer.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { isEncrypted } from '../../sync/people/encryption-states.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { useAttempt } from '../../ui/dialogs/lazy-dialogs.tsx'
import { type Completions, FieldCompletion } from '../../ui/forms/field-completion.tsx'
import { useLivePart, useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { useMediaQuery } from '../../ui/hooks/use-media-query.ts'
import { Avatar } from '../../ui/people/avatar.tsx'
import { describeMessage } from '../../ui/text/describe-message.ts'
import { describePlainChat } from '../../ui/text/describe-plain-chat.ts'
import { LinkCard } from '../../ui/text/link-card.tsx'
import { splitLinks } from '../../ui/text/split-links.ts'
import { useLiveMessage } from '../message/use-live-messages.ts'
import cannotWriteStyles from './cannot-write.module.css'
import styles from './composer.module.css'
import { Composer } from './composer.tsx'
import { type DrawComposerTools, newMode, type WriteMode } from './composer-tools.ts'
import { useGroupCreation } from './use-group-state.ts'

/** Half an address is no question for the server. */
const writtenAfterMs = 700

/** A name begun after an @, up to the cursor. */
const begunName = /@([^\s@](?:[^@\n]{0,48}[^\s@])?|)$/u

const offeredMax = 50

interface ComposerBarProps {
  title: string
  messenger: Messenger
  message: MessageDocument
  cancelLabel: string
  onCancel(): void
}

interface WriteAreaProps {
  messenger: Messenger
  peerId: string
  peerName: string
  /** Names whoever wrote a message here. */
  nameOf(userId: string): string
  mode: WriteMode
  /** Why nothing new can be written; an edit still can. */
  obstacle: WriteObstacle | undefined
  /** Does something else take its place? The text stays meanwhile. */
  isAside: boolean
  /** A change gives the composer the focus, where there is a keyboard. */
  focusWish: number
  drawTools?: DrawComposerTools | undefined
  readLink(url: string): Promise<LinkPreview | undefined>
  onModeChange: Dispatch<SetStateAction<WriteMode>>
  /** Called to edit the newest own message. */
  onEditNewest(): void
  /** Called when an own message is stored. */
  onSent(): void
}

/** The composer; keeps its text while hidden. */
export function WriteArea(props: WriteAreaProps) {
  return (
    <div hidden={props.isAside}>
      {props.obstacle && props.mode.kind !== 'edit' ? (
        <CannotWrite {...props} obstacle={props.obstacle} />
      ) : (
        <>
          <PlainSign {...props} />
          <ModeComposer {...props} />
        </>
      )}
    </div>
  )
}

/** Above the composer of a chat that others than its two people could read, or that waits for keys. */
function PlainSign({ messenger, peerId, peerName }: WriteAreaProps) {
  const state = useLiveValue(messenger.encryption.of(peerId))
  const peer = useLiveValue(messenger.peers.get(peerId))
  if (state === 'locked') {
    return (
      <p className={styles.plainSign}>
        Messages send once you unlock this device. <Link to="/settings/security">Unlock</Link>
      </p>
    )
  }
  if (state !== 'plain' || !peer) return null
  return <p className={styles.plainSign}>{describePlainChat({ ...peer, username: peerName })}</p>
}

/** The composer in its three modes: a new message with its draft, a reply, an edit. */
function ModeComposer(props: WriteAreaProps) {
  const { mode, messenger, peerId } = props
  const drawOthers = props.drawTools
  const drawTools: DrawComposerTools = useCallback(
    (tools) => (
      <>
        {drawOthers?.(tools)}
        <MentionCompletion
          messenger={messenger}
          groupId={peerId}
          field={tools.field}
          place={tools.place}
        />
      </>
    ),
    [drawOthers, messenger, peerId],
  )
  const hasKeyboard = useMediaQuery('(hover: hover) and (pointer: fine)')
  const problem = useLiveValue(props.messenger.drafts.problem)
  return mode.kind === 'edit' ? (
    <EditComposer
      {...{ ...props, drawTools, mode, hasKeyboard, problem }}
      key={`edit ${mode.message._id} ${mode.text}`}
    />
  ) : (
    <NewComposer {...{ ...props, drawTools, mode, hasKeyboard, problem }} key="new" />
  )
}

interface ModeProps<Kind extends WriteMode['kind']> extends WriteAreaProps {
  mode: Extract<WriteMode, { kind: Kind }>
  hasKeyboard: boolean
  /** Why the draft cannot be stored. */
  problem: string | undefined
}

function EditComposer(props: ModeProps<'edit'>) {
  const { messenger, peerId, mode, problem, isAside, onModeChange } = props
  const isSaved = useRef(false)
  const messageId = mode.message._id
  // The person may have chosen another mode while this one's text was being stored.
  const leave = () => onModeChange((now) => (now === mode ? newMode : now))
  return (
    <Composer
      initialText={() => mode.text}
      problem={problem}
      submitLabel="Save"
      takesFocus={!isAside}
      focusKey={`${messageId} ${props.focusWish}`}
      bar={
        <ComposerBar
          title="Edit message"
          messenger={messenger}
          message={mode.message}
          cancelLabel="Cancel edit"
          onCancel={leave}
        />
      }
      drawTools={props.drawTools}
      onType={(text) => {
        // Clearing the field after the save is no further edit.
        if (!isSaved.current) messenger.drafts.setEdit(peerId, { messageId, text })
      }}
      onSubmit={async (content) => {
        await changeMessage(messenger, messageId, content)
        isSaved.current = true
        leave()
      }}
      onCancel={leave}
    />
  )
}

function NewComposer(props: ModeProps<'new' | 'reply'>) {
  const { messenger, peerId, mode, problem, hasKeyboard, isAside, onModeChange } = props
  const answered = mode.kind === 'reply' ? mode.message : undefined
  const link = useWrittenLink(props)
  const leave = () => onModeChange((now) => (now === mode ? newMode : now))
  const onSent = () => {
    leave()
    props.onSent()
  }
  return (
    <Composer
      initialText={() => messenger.drafts.begin(peerId).text}
      problem={problem}
      submitLabel="Send"
      takesFocus={!isAside && (hasKeyboard || answered !== undefined)}
      focusKey={`${answered?._id ?? ''} ${props.focusWish}`}
      bar={
        (answered || link.shown) && (
          <>
            {answered && (
              <ComposerBar
                title={`Replying to ${isIncoming(answered, messenger.userId) ? props.nameOf(answered.senderId) : 'yourself'}`}
                messenger={messenger}
                message={answered}
                cancelLabel="Cancel reply"
                onCancel={leave}
              />
            )}
            {link.shown && (
              <div className={styles.linkBar}>
                <LinkCard {...link.shown} />
                <IconButton icon="close" label="Remove preview" isSmall onClick={link.remove} />
              </div>
            )}
          </>
        )
      }
      drawTools={props.drawTools}
      sending={{ replyTo: answered?._id, onSent }}
      onType={(text) => {
        messenger.drafts.set(peerId, text)
        link.write(text)
        if (isBlank(text)) messenger.stopTyping(peerId)
        else messenger.typing(peerId)
      }}
      onSubmit={async (content) => {
        const replyTo = answered ? { replyTo: answered._id } : {}
        await messenger.commands.sendMessage({
          peerId,
          content,
          link: link.of(content),
          ...replyTo,
        })
        onSent()
      }}
      // Escape takes the reply back first.
      onCancel={answered ? leave : link.remove}
      {...(answered ? {} : { onUp: props.onEditNewest })}
    />
  )
}

/**
 * Sends a message that never left again, with its new text. Throws words if there is nothing to
 * edit.
 */
async function changeMessage(
  { commands, messages }: Messenger,
  messageId: string,
  content: string,
): Promise<void> {
  const message = messages.get(messageId).getSnapshot()
  if (message?.deletedAt !== undefined) throw new Error('This message was deleted')
  await commands.editMessage(messageId, content)
  // The refused edit was made again, or replaced by another one.
  if (message?.refused) await commands.dismissRefusal(messageId)
}

/** Shows the message that the next one replies to or edits. */
function ComposerBar(props: ComposerBarProps) {
  const message = useLiveMessage(props.messenger, props.message)
  return (
    <div className={styles.bar}>
      <div className={styles.barWords}>
        <p className={styles.barTitle}>{props.title}</p>
        <p className={styles.barText} dir="auto">
          {describeMessage(message)}
        </p>
      </div>
      <IconButton icon="close" label={props.cancelLabel} isSmall onClick={props.onCancel} />
    </div>
  )
}

interface CannotWriteProps {
  messenger: Messenger
  peerId: string
  peerName: string
  obstacle: WriteObstacle
}

/** In the composer's place: why nothing can be written, and what helps. */
function CannotWrite({ messenger, peerId, peerName, obstacle }: CannotWriteProps) {
  const { requests, connection } = messenger
  const { attempt, failure } = useAttempt()
  const isWaiting = useLivePart(requests.entries, (entries) =>
    entries.some(({ request, state }) => isBlockOf(request, peerId) && state === 'waiting'),
  )
  const isLive = useLivePart(connection, ({ state }) => state === 'live')
  if (obstacle === 'unmade') return <GroupUnmade messenger={messenger} groupId={peerId} />
  if (obstacle !== 'blocked') {
    return (
      <div className={cannotWriteStyles.bar} role="status">
        <p>{obstacleWords[obstacle]}</p>
      </div>
    )
  }
  const unblock = () => requests.add({ kind: 'block', userId: peerId, blocked: false })
  return (
    <div className={cannotWriteStyles.bar}>
      <p role="status">
        You blocked {peerName}. Unblock to send messages.
        {isWaiting && !isLive && (
          <small>Waiting for a connection. Until then, new messages may still arrive.</small>
        )}
      </p>
      <Button look="quiet" onClick={() => attempt(unblock(), 'Failed to unblock user')}>
        Unblock
      </Button>
      {failure}
    </div>
  )
}

const obstacleWords = {
  deleted: "This account was deleted. You can't send messages here.",
  left: "You aren't in this group any more, so you can't send messages here.",
  admins: 'Only admins can send messages in this group.',
} as const

/** The server would not make the group: why, and another try. */
function GroupUnmade({ messenger, groupId }: { messenger: Messenger; groupId: string }) {
  const creation = useGroupCreation(messenger, groupId)
  const { attempt, failure } = useAttempt()
  if (!creation) return null
  const retry = () => messenger.requests.retry(creation.entryId)
  return (
    <div className={cannotWriteStyles.bar}>
      <p role="status">This group wasn't created. {creation.problem}</p>
      <Button look="quiet" onClick={() => attempt(retry(), 'Failed to create the group')}>
        Try again
      </Button>
      {failure}
    </div>
  )
}

function isBlockOf(request: { kind: string; userId?: string }, peerId: string): boolean {
  return request.kind === 'block' && request.userId === peerId
}

/**
 * Why nothing can be written: the other person's account was deleted, the reader blocks them, is not
 * in the group any more, is no admin where only they write, or the server would not make the group.
 */
type WriteObstacle = 'deleted' | 'blocked' | 'left' | 'admins' | 'unmade'

export function useWriteObstacle(
  messenger: Pick<Messenger, 'peers' | 'blocked' | 'requests' | 'userId'>,
  peerId: string,
): WriteObstacle | undefined {
  const peer = useLiveValue(messenger.peers.get(peerId))
  const isBlocked = useLivePart(messenger.blocked, (ids) => ids.includes(peerId))
  const isUnmade = useGroupCreation(messenger, peerId)?.state === 'refused'
  if (peer?.isGroup) return isUnmade ? 'unmade' : findGroupObstacle(peer, messenger.userId)
  if (peer?.isDeleted) return 'deleted'
  return isBlocked ? 'blocked' : undefined
}

/** Said to somebody who wants to reply where nothing can be written. */
export function describeNoReply(obstacle: WriteObstacle, peerName: string): string {
  switch (obstacle) {
    case 'blocked':
      return `Unblock ${peerName} to reply`
    case 'deleted':
      return "This account was deleted. You can't reply."
    case 'left':
      return "You aren't in this group any more. You can't reply."
    case 'admins':
      return 'Only admins can send messages in this group.'
    case 'unmade':
      return "This group wasn't created. You can't reply."
  }
}

interface MentionCompletionProps {
  messenger: Messenger
  groupId: string
  field: RefObject<HTMLTextAreaElement | null>
  place: HTMLElement | null
}

/**
 * Offers the members of a group for a name being typed after an @. Chosen or typed to its end, the
 * name in the text is the mention: nothing else is kept.
 */
function MentionCompletion({ messenger, groupId, field, place }: MentionCompletionProps) {
  const group = useLiveValue(messenger.groups.get(groupId))
  if (!group) return null

  function find(text: string, cursor: number): Completions<KnownPerson> | undefined {
    const begun = findBegunName(text, cursor)
    if (!begun || !group) return undefined
    const { users, userId } = messenger
    const others = group.members.flatMap((member) => {
      const person = member.userId === userId ? undefined : users.get(member.userId).getSnapshot()
      return person && !person.isDeleted ? [person] : []
    })
    return { ...begun, items: rankByName(others, begun.name).slice(0, offeredMax) }
  }

  return (
    <FieldCompletion
      field={field}
      place={place}
      id="mention-completion"
      label="Members"
      find={find}
      keyOf={({ _id }) => _id}
      draw={(person) => (
        <>
          <Avatar name={nameOf(person)} picture={pictureOf(person)} size={2} />
          <span className={styles.memberName} dir="auto">
            {nameOf(person)}
          </span>
        </>
      )}
      write={(person) => `@${nameOf(person)} `}
    />
  )
}

interface BegunName {
  /** What is typed after the @. */
  name: string
  /** From the @ to the cursor, in UTF-16 units. */
  start: number
  end: number
}

/** The name begun before the cursor; not a mailbox, nor an @ between spaces. */
export function findBegunName(text: string, cursor: number): BegunName | undefined {
  const [whole, name] = begunName.exec(text.slice(0, cursor)) ?? []
  if (whole === undefined || name === undefined) return undefined
  const start = cursor - whole.length
  return canBeginMention(text, start) ? { name, start, end: cursor } : undefined
}

/** Those with a word in their name that begins so; whose whole name does come first. */
export function rankByName<Person extends Pick<KnownPerson, 'username'>>(
  people: readonly Person[],
  begun: string,
): Person[] {
  const wanted = foldText(begun)
  const ranked = people.flatMap((person) => {
    const name = foldText(person.username)
    if (name.startsWith(wanted)) return [{ person, rank: 0 }]
    return name.includes(` ${wanted}`) ? [{ person, rank: 1 }] : []
  })
  return ranked
    .toSorted((a, b) => a.rank - b.rank || a.person.username.localeCompare(b.person.username))
    .map(({ person }) => person)
}

interface WrittenLinkOptions {
  messenger: Messenger
  peerId: string
  readLink(url: string): Promise<LinkPreview | undefined>
}

interface WrittenLink {
  /** What is known of the first address in the text, unless the person removed it. */
  shown: LinkPreview | undefined
  /** Call with each change of the text. */
  write(text: string): void
  /** What goes with this text. */
  of(text: string): LinkPreview | undefined
  remove(): void
}

/**
 * The preview of the first address in the text being written. None without a network, in an encrypted chat, whose
 * addresses the server may not read, to a customer, whose app makes its own, or where the person wants none.
 */
function useWrittenLink({ messenger, peerId, readLink }: WrittenLinkOptions): WrittenLink {
  const [url, setUrl] = useState(() => findFirst(messenger.drafts.get(peerId).getSnapshot()))
  const [found, setFound] = useState<LinkPreview>()
  const [removed, setRemoved] = useState<string>()
  const now = useRef(url)
  const isLive = useLivePart(messenger.connection, ({ state }) => state === 'live')
  const isSealed = useLivePart(messenger.encryption.of(peerId), isEncrypted)
  const isCustomer = kindOf(useLiveValue(messenger.peers.get(peerId))) === 'business'
  const isWanted = useLivePart(messenger.settings.values, ({ linkPreviews }) => linkPreviews)
  const isAllowed = isWanted && !isSealed && !isCustomer
  const asked = isAllowed && isLive && url !== removed && found?.url !== url ? url : undefined
  useEffect(() => {
    if (asked === undefined) return
    let isStill = true
    const timer = setTimeout(() => {
      // Without one the message goes as it is.
      const none = () => undefined
      void readLink(asked)
        .catch(none)
        .then((preview) => isStill && preview && setFound(preview))
    }, writtenAfterMs)
    return () => {
      isStill = false
      clearTimeout(timer)
    }
  }, [asked, readLink])

  const pick = (wanted: string | undefined) =>
    isAllowed && wanted !== undefined && wanted !== removed && found?.url === wanted
      ? found
      : undefined
  return {
    shown: pick(url),
    write(text) {
      const first = findFirst(text)
      if (first === now.current) return
      now.current = first
      setUrl(first)
      // Once the text has none, the next one is asked for, also if it is the same.
      if (first === undefined) setRemoved(undefined)
    },
    of: (text) => pick(findFirst(text)),
    remove: () => setRemoved(url),
  }
}

function findFirst(text: string): string | undefined {
  return splitLinks(text).find(({ href }) => href !== undefined)?.href
}
