import { type Dispatch, type SetStateAction, useRef } from 'react'
import { isBlank } from '../../../schema/helpers/is-blank.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { useMediaQuery } from '../../ui/hooks/use-media-query.ts'
import { describeMessage } from '../../ui/text/describe-message.ts'
import { useLiveMessage } from '../message/use-live-message.ts'
import { CannotWrite } from './cannot-write.tsx'
import styles from './composer.module.css'
import { Composer } from './composer.tsx'
import type { DrawComposerTools } from './composer-tools.ts'
import type { WriteObstacle } from './use-write-obstacle.ts'
import { newMode, type WriteMode } from './write-mode.ts'

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
  ownName: string
  mode: WriteMode
  /** Why nothing new can be written; an edit still can. */
  obstacle: WriteObstacle | undefined
  /** Does something else take its place? The text stays meanwhile. */
  isAside: boolean
  /** A change gives the composer the focus, where there is a keyboard. */
  focusWish: number
  drawTools?: DrawComposerTools | undefined
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
        <ModeComposer {...props} />
      )}
    </div>
  )
}

/** The composer in its three modes: a new message with its draft, a reply, an edit. */
function ModeComposer(props: WriteAreaProps) {
  const { mode } = props
  const hasKeyboard = useMediaQuery('(hover: hover) and (pointer: fine)')
  const problem = useLiveValue(props.messenger.drafts.problem)
  return mode.kind === 'edit' ? (
    <EditComposer
      {...{ ...props, mode, hasKeyboard, problem }}
      key={`edit ${mode.message._id} ${mode.text}`}
    />
  ) : (
    <NewComposer {...{ ...props, mode, hasKeyboard, problem }} key="new" />
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
        answered && (
          <ComposerBar
            title={`Replying to ${answered.senderId === peerId ? props.peerName : props.ownName}`}
            messenger={messenger}
            message={answered}
            cancelLabel="Cancel reply"
            onCancel={leave}
          />
        )
      }
      drawTools={props.drawTools}
      sending={{ replyTo: answered?._id, onSent }}
      onType={(text) => {
        messenger.drafts.set(peerId, text)
        if (isBlank(text)) messenger.stopTyping(peerId)
        else messenger.typing(peerId)
      }}
      onSubmit={async (content) => {
        const replyTo = answered ? { replyTo: answered._id } : {}
        await messenger.commands.sendMessage({ peerId, content, ...replyTo })
        onSent()
      }}
      onCancel={leave}
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
