import { useState } from 'react'
import type { Messenger } from '../sync/messenger-types.ts'
import { ConfirmDialog } from '../ui/dialogs/confirm-dialog.tsx'
import styles from './contact-panel.module.css'
import { BlockDialog } from './dialogs/block-dialog.tsx'
import { ReportDialog } from './dialogs/report-dialog.tsx'
import { PanelRow } from './panel-row.tsx'

interface RiskyActionsProps {
  messenger: Messenger
  peerId: string
  name: string
  isBlocked: boolean
  canBlock: boolean
  /** Is there anything to clear? */
  hasChat: boolean
  attempt(work: Promise<unknown>, words: string): void
  onDeleted(): void
}

const keptWords = 'Messages will be removed from your devices. The other person keeps their copy.'

/** Block, report, clear and delete; each asks first. */
export function RiskyActions(props: RiskyActionsProps) {
  const { messenger, peerId, name, isBlocked, canBlock, hasChat, attempt, onDeleted } = props
  const { requests, undo } = messenger
  const [asked, setAsked] = useState<'block' | 'report' | 'clear' | 'delete'>()
  const close = () => setAsked(undefined)
  const block = (blocked: boolean) => requests.add({ kind: 'block', userId: peerId, blocked })

  async function report({ reason, alsoBlocks }: { reason: string; alsoBlocks: boolean }) {
    await requests.add({ kind: 'report', userId: peerId, reason })
    if (alsoBlocks) await block(true)
  }

  return (
    <ul className={styles.rows}>
      {canBlock && (
        <PanelRow
          icon="block"
          label={isBlocked ? `Unblock ${name}` : `Block ${name}`}
          isDanger={!isBlocked}
          onClick={() => {
            if (isBlocked) attempt(block(false), 'Failed to unblock user')
            else setAsked('block')
          }}
        />
      )}
      {canBlock && (
        <PanelRow
          icon="warning"
          label={`Report ${name}`}
          isDanger
          onClick={() => setAsked('report')}
        />
      )}
      {hasChat && (
        <PanelRow icon="clear" label="Clear chat" isDanger onClick={() => setAsked('clear')} />
      )}
      {hasChat && (
        <PanelRow icon="trash" label="Delete chat" isDanger onClick={() => setAsked('delete')} />
      )}
      {asked === 'block' && (
        <BlockDialog
          name={name}
          onBlock={() => attempt(block(true), 'Failed to block user')}
          onClose={close}
        />
      )}
      {asked === 'report' && (
        <ReportDialog name={name} isBlocked={isBlocked} onReport={report} onClose={close} />
      )}
      {asked === 'clear' && (
        <ConfirmDialog
          title="Clear this chat?"
          text={keptWords}
          confirmLabel="Clear"
          isDanger
          onConfirm={() => attempt(undo.clearConversation(peerId), 'Failed to clear chat')}
          onClose={close}
        />
      )}
      {asked === 'delete' && (
        <ConfirmDialog
          title="Are you sure you want to delete this conversation?"
          text={keptWords}
          confirmLabel="Delete"
          isDanger
          // Where it fails, the panel stays and says so.
          onConfirm={() =>
            attempt(undo.clearConversation(peerId).then(onDeleted), 'Failed to delete chat')
          }
          onClose={close}
        />
      )}
    </ul>
  )
}
