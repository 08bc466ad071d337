import { type FormEvent, useEffect, useId, useState } from 'react'
import type { ReportedMessage } from '../../schema/api/usage.ts'
import { lockOf } from '../../schema/encryption/sealed-part.ts'
import { limits } from '../../schema/limits.ts'
import type { MessageDocument } from '../../schema/message.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import { Button } from '../ui/buttons/button.tsx'
import { ConfirmDialog } from '../ui/dialogs/confirm-dialog.tsx'
import { Dialog } from '../ui/dialogs/dialog.tsx'
import { cutAtWord, describeMessage } from '../ui/text/describe-message.ts'
import styles from './contact-panel.module.css'
import reportDialogStyles from './dialogs/report-dialog.module.css'
import { PanelRow } from './panel-row.tsx'

const { reportReasonMinLength: min, reportReasonMaxLength: max } = limits

interface RiskyActionsProps {
  messenger: Messenger
  peerId: string
  name: string
  isBlocked: boolean
  canBlock: boolean
  isGroup?: boolean
  /** Is there anything to clear? */
  hasChat: boolean
  attempt(work: Promise<unknown>, words: string): void
  onDeleted(): void
}

const keptWords = {
  person: 'Messages will be removed from your devices. The other person keeps their copy.',
  group: 'Messages will be removed from your devices. The other members keep theirs.',
} as const

/** Block, report, clear and delete; each asks first. */
export function RiskyActions(props: RiskyActionsProps) {
  const { messenger, peerId, name, isBlocked, canBlock, hasChat, attempt, onDeleted } = props
  const { requests, undo } = messenger
  const text = keptWords[props.isGroup ? 'group' : 'person']
  const [asked, setAsked] = useState<'block' | 'report' | 'clear' | 'delete'>()
  const close = () => setAsked(undefined)
  const block = (blocked: boolean) => requests.add({ kind: 'block', userId: peerId, blocked })

  async function report({ alsoBlocks, ...given }: GivenReport) {
    await requests.add({ kind: 'report', userId: peerId, ...given })
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
        <ReportDialog
          {...{ messenger, peerId, name, isBlocked }}
          onReport={report}
          onClose={close}
        />
      )}
      {asked === 'clear' && (
        <ConfirmDialog
          title="Clear this chat?"
          text={text}
          confirmLabel="Clear"
          isDanger
          onConfirm={() => attempt(undo.clearConversation(peerId), 'Failed to clear chat')}
          onClose={close}
        />
      )}
      {asked === 'delete' && (
        <ConfirmDialog
          title="Are you sure you want to delete this conversation?"
          text={text}
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

interface BlockDialogProps {
  name: string
  onBlock(): void
  onClose(): void
}

/** Says what blocking does before it is done. */
function BlockDialog({ name, onBlock, onClose }: BlockDialogProps) {
  return (
    <ConfirmDialog
      title={`Block ${name}?`}
      text={`Messages from ${name} won't reach you, and neither of you will see when the other is online. ${name} won't get a notice. The messages you have stay here.`}
      confirmLabel="Block"
      isDanger
      onConfirm={onBlock}
      onClose={onClose}
    />
  )
}

interface GivenReport {
  reason: string
  messages?: readonly ReportedMessage[]
  alsoBlocks: boolean
}

interface ReportDialogProps {
  messenger: Messenger
  peerId: string
  name: string
  /** Are they blocked already? Then there is nothing to offer. */
  isBlocked: boolean
  /** Rejects with words for a person. */
  onReport(report: GivenReport): Promise<void>
  onClose(): void
}

/** Asks for the reason of a report, and whether the last messages come with it: nobody there could read them. */
function ReportDialog(props: ReportDialogProps) {
  const { messenger, peerId, name, isBlocked, onReport, onClose } = props
  const [reason, setReason] = useState('')
  const messages = useLastMessages(messenger, peerId)
  const [hasMessages, setHasMessages] = useState(true)
  const [alsoBlocks, setAlsoBlocks] = useState(!isBlocked)
  const [problem, setProblem] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const id = useId()

  async function submit(event: FormEvent) {
    event.preventDefault()
    const found = checkReason(reason)
    setProblem(found)
    if (found) return
    setIsBusy(true)
    try {
      await onReport({
        reason: reason.trim(),
        ...(hasMessages && messages.length > 0 && { messages }),
        alsoBlocks: alsoBlocks && !isBlocked,
      })
      onClose()
    } catch {
      setProblem('Failed to report user')
      setIsBusy(false)
    }
  }

  return (
    <Dialog
      title={`Report ${name}`}
      text={`Your report goes to the people who run this server. ${name} won't get a notice.`}
      onClose={onClose}
    >
      <form className={reportDialogStyles.form} noValidate onSubmit={(event) => void submit(event)}>
        <label className={reportDialogStyles.label} htmlFor={id}>
          Reason
        </label>
        <textarea
          id={id}
          className={reportDialogStyles.field}
          rows={3}
          maxLength={limits.reportReasonMaxLength}
          value={reason}
          aria-invalid={problem !== undefined}
          aria-describedby={problem ? `${id}-problem` : undefined}
          onChange={(event) => {
            setReason(event.target.value)
            setProblem(undefined)
          }}
        />
        {problem && (
          <p className={reportDialogStyles.problem} id={`${id}-problem`} role="alert">
            {problem}
          </p>
        )}
        {messages.length > 0 && (
          <label className={reportDialogStyles.check}>
            <input
              type="checkbox"
              checked={hasMessages}
              onChange={(event) => setHasMessages(event.target.checked)}
            />
            {`Show them the last ${messages.length === 1 ? 'message' : `${messages.length} messages`} of this chat`}
          </label>
        )}
        {!isBlocked && (
          <label className={reportDialogStyles.check}>
            <input
              type="checkbox"
              checked={alsoBlocks}
              onChange={(event) => setAlsoBlocks(event.target.checked)}
            />
            Also block {name}
          </label>
        )}
        <div className={reportDialogStyles.foot}>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button look="danger" type="submit" isBusy={isBusy}>
            Report
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** What was written last, in words, oldest first; without what cannot be read here. */
function useLastMessages(messenger: Messenger, peerId: string): readonly ReportedMessage[] {
  const [last, setLast] = useState<readonly ReportedMessage[]>([])
  useEffect(() => {
    const view = messenger.openConversation(peerId)
    const read = () => {
      const shown = view.messages
        .getSnapshot()
        .items.filter((message) => message.deletedAt === undefined && !lockOf(message))
      setLast(shown.slice(-limits.reportedMessagesMax).map((one) => toReported(one, peerId)))
    }
    const stop = view.messages.subscribe(read)
    read()
    return () => {
      stop()
      view.close()
    }
  }, [messenger, peerId])
  return last
}

function toReported(message: MessageDocument, peerId: string): ReportedMessage {
  const text = message.content === '' ? describeMessage(message) : message.content
  return {
    isTheirs: message.senderId === peerId,
    text: cutAtWord(text, limits.reportedTextMaxLength - 1),
    writtenAt: new Date(message.createdAt).toISOString(),
  }
}

/** What is wrong with a report's reason, in words. Source: decision 61, section 5. */
export function checkReason(reason: string): string | undefined {
  const { length } = reason.trim()
  if (length < min) return `Reason must be at least ${min} characters long`
  if (length > max) return `Reason must be at most ${max} characters long`
  return undefined
}
