import type { ReactNode } from 'react'
import { isBlank } from '../../schema/is-blank.ts'
import type { Messenger } from '../sync/messenger.ts'
import { useMediaQuery } from '../ui/use-media-query.ts'
import { Composer } from './composer.tsx'
import { ComposerBar } from './composer-bar.tsx'
import { newMode, type WriteMode } from './write-mode.ts'

interface WriteAreaProps {
  messenger: Messenger
  peerId: string
  peerName: string
  ownName: string
  mode: WriteMode
  /** Does something else stand in its place? What is written stays meanwhile. */
  isAside: boolean
  /** A change of it gives the focus to the composer, where there is a keyboard. */
  focusWish: number
  tools?: ReactNode
  onModeChange(mode: WriteMode): void
  /** Called when the newest own message is to be changed. */
  onEditNewest(): void
  /** Called when an own message has been stored. */
  onSent(): void
}

/** The composer, which keeps its text while it is out of sight. */
export function WriteArea(props: WriteAreaProps) {
  return (
    <div hidden={props.isAside}>
      <ModeComposer {...props} />
    </div>
  )
}

/** In its three uses: a new message with its draft, an answer, a change. */
function ModeComposer(props: WriteAreaProps) {
  const { messenger, peerId, peerName, mode, isAside, onModeChange } = props
  const hasKeyboard = useMediaQuery('(hover: hover) and (pointer: fine)')
  const draft = messenger.drafts.get(peerId)
  const leave = () => onModeChange(newMode)

  if (mode.kind === 'edit') {
    return (
      <Composer
        key={`edit ${mode.message._id}`}
        initialText={mode.text}
        submitLabel="Save"
        takesFocus={!isAside}
        hasKeyboard={hasKeyboard}
        focusKey={`${mode.message._id} ${props.focusWish}`}
        bar={
          <ComposerBar
            title="Edit message"
            messenger={messenger}
            message={mode.message}
            cancelLabel="Cancel edit"
            onCancel={leave}
          />
        }
        onType={() => {}}
        onSubmit={async (content) => {
          await changeMessage(messenger, mode.message._id, content)
          leave()
        }}
        onCancel={leave}
      />
    )
  }

  const answered = mode.kind === 'reply' ? mode.message : undefined
  return (
    <Composer
      key="new"
      initialText={draft.getSnapshot()}
      submitLabel="Send"
      takesFocus={!isAside && (hasKeyboard || answered !== undefined)}
      hasKeyboard={hasKeyboard}
      focusKey={`${answered?._id ?? ''} ${props.focusWish}`}
      bar={
        answered && (
          <ComposerBar
            title={`Replying to ${answered.senderId === peerId ? peerName : props.ownName}`}
            messenger={messenger}
            message={answered}
            cancelLabel="Cancel reply"
            onCancel={leave}
          />
        )
      }
      tools={props.tools}
      onType={(text) => {
        messenger.drafts.set(peerId, text)
        if (isBlank(text)) messenger.stopTyping(peerId)
        else messenger.typing(peerId)
      }}
      onSubmit={async (content) => {
        const replyTo = answered ? { replyTo: answered._id } : {}
        await messenger.commands.sendMessage({ peerId, content, ...replyTo })
        leave()
        props.onSent()
      }}
      onCancel={leave}
      {...(answered ? {} : { onUp: props.onEditNewest })}
    />
  )
}

/** A message that never left is sent again with its new text. Throws words where there is nothing to change. */
async function changeMessage(
  { commands, messages }: Messenger,
  messageId: string,
  content: string,
): Promise<void> {
  const message = messages.get(messageId).getSnapshot()
  if (message?.deletedAt !== undefined) throw new Error('This message was deleted')
  await commands.editMessage(messageId, content)
  // What was refused before has been made again, or something else in its place.
  if (message?.refused) await commands.dismissRefusal(messageId)
}
