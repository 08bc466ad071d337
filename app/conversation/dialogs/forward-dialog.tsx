import { useRef, useState } from 'react'
import { wordsOf } from '../../../schema/helpers/text.ts'
import { limits } from '../../../schema/limits.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import { listForwardable, pickFile } from '../../database/commands/change-message.ts'
import { findRecipients } from '../../database/search/find-recipients.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { ChoosePeople } from '../../ui/forms/choose-people.tsx'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { useLiveMessages } from '../message/use-live-messages.ts'
import styles from './dialogs.module.css'

export interface ForwardDialogProps {
  messenger: Messenger
  messages: readonly MessageDocument[]
  /** Called when every message is stored for every recipient. */
  onForwarded(peerIds: readonly string[]): void
  onClose(): void
}

/**
 * Lets the person choose recipients, and sends each of them the texts and files. Works offline, as
 * for any message.
 */
export function ForwardDialog(props: ForwardDialogProps) {
  const { messenger, onClose } = props
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const { forward, count, isReady, error } = useForwarding(props)

  const rows = useLiveValue(messenger.conversations)
  const everybody = useLiveValue(messenger.users.list())
  const blocked = useLiveValue(messenger.blocked)
  const toggle = (id: string) => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    setChosen(next)
  }

  return (
    <Dialog
      title={count > 1 ? `Forward ${count} messages to` : 'Forward message to'}
      onClose={onClose}
    >
      <ChoosePeople
        find={(name) => findRecipients({ rows, everybody, blocked, name, ownId: messenger.userId })}
        drawChoice={({ _id }, { className, inside }) => (
          <label className={className}>
            {inside}
            <input
              type="checkbox"
              checked={chosen.has(_id)}
              disabled={!chosen.has(_id) && chosen.size >= limits.forwardRecipientsMax}
              onChange={() => toggle(_id)}
            />
          </label>
        )}
      />
      {error && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
      <div className={styles.foot}>
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button disabled={chosen.size === 0 || !isReady} onClick={() => void forward([...chosen])}>
          Forward
        </Button>
      </div>
    </Dialog>
  )
}

interface ForwardingOptions {
  messenger: Messenger
  messages: readonly MessageDocument[]
  onForwarded(peerIds: readonly string[]): void
}

/**
 * Sends the texts and files to one person after the other. After a failure a retry sends only the
 * missing ones.
 */
function useForwarding({ messenger, messages, onForwarded }: ForwardingOptions) {
  const forwardable = listForwardable(useLiveMessages(messenger, messages))
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<string>()
  const { commands } = messenger
  const isRunning = useRef(false)
  const sent = useRef(new Set<string>())

  async function sendTo(peerId: string) {
    for (const message of forwardable) {
      const key = `${peerId} ${message._id}`
      if (sent.current.has(key)) continue
      const { content, link } = message
      await commands.sendMessage({
        peerId,
        content,
        keepsDraft: true,
        isForward: true,
        forwarded: pickFile(message),
        link,
      })
      sent.current.add(key)
    }
  }

  async function forward(peerIds: readonly string[]) {
    // The second click of a double click arrives before the next render.
    if (isRunning.current) return
    isRunning.current = true
    setIsBusy(true)
    setError(undefined)
    try {
      for (const peerId of peerIds) await sendTo(peerId)
      onForwarded(peerIds)
    } catch (cause) {
      setError(wordsOf(cause, 'Failed to send message'))
      isRunning.current = false
      setIsBusy(false)
    }
  }

  const count = forwardable.length
  return { forward, count, isReady: !isBusy && count > 0, error }
}
