import { useState } from 'react'
import { wordsOf } from '../../schema/helpers/words-of.ts'
import { IconButton } from '../ui/buttons/icon-button.tsx'
import { DialogField, DialogForm, DialogHint } from '../ui/forms/dialog-form.tsx'
import type { Channel } from './channel/channel.ts'
import { ChannelDialog } from './channel/channel-dialog.tsx'
import styles from './styles/whatsapp.module.css'

interface RepliesDialogProps {
  channel: Channel
  replies: readonly string[]
  /** Rejects with words for a person. */
  onChange(replies: readonly string[]): Promise<unknown>
  /** Called with the text to insert. */
  onChoose(text: string): void
  onClose(): void
}

const replyMax = 1_000

/** The operator's own quick replies: inserts one into the composer, adds and removes others. */
export function RepliesDialog(props: RepliesDialogProps) {
  const { channel, onChange, onChoose, onClose } = props
  // Shows changes, and lets further ones build on them, before they are stored.
  const [replies, setReplies] = useState(props.replies)
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()
  const change = (next: readonly string[]) => {
    setProblem(undefined)
    setReplies(next)
    onChange(next).catch((cause: unknown) => {
      setReplies(replies)
      setProblem(wordsOf(cause))
    })
  }
  const add = () => {
    const added = text.trim()
    if (added === '') return
    if (!replies.includes(added)) change([...replies, added])
    setText('')
  }
  return (
    <ChannelDialog title="Quick replies" channel={channel} onClose={onClose}>
      {replies.length === 0 ? (
        <DialogHint>Texts that you often need. Add the first one below.</DialogHint>
      ) : (
        <ul className={styles.replies}>
          {replies.map((reply) => (
            <li key={reply}>
              <button type="button" dir="auto" onClick={() => onChoose(reply)}>
                {reply}
              </button>
              <IconButton
                icon="trash"
                label={`Delete "${reply}"`}
                isSmall
                onClick={() => change(replies.filter((one) => one !== reply))}
              />
            </li>
          ))}
        </ul>
      )}
      <DialogForm action="Add" leave="Close" problem={problem} onSubmit={add} onLeave={onClose}>
        <DialogField label="New quick reply">
          <textarea
            name="reply"
            rows={2}
            dir="auto"
            maxLength={replyMax}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </DialogField>
      </DialogForm>
    </ChannelDialog>
  )
}
