import { useState } from 'react'
import { limits } from '../../../schema/limits.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import { findRecipients } from '../../database/search/find-recipients.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { ChoosePeople } from '../../ui/fields/choose-people.tsx'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import styles from './dialogs.module.css'
import { useForwarding } from './use-forwarding.ts'

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
        find={(name) => findRecipients({ rows, everybody, blocked, name })}
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
