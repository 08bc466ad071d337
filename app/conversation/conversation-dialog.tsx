import { Suspense } from 'react'
import { unreachable } from '../../schema/unreachable.ts'
import type { Messenger } from '../sync/messenger.ts'
import { LazyActionMenu } from '../ui/lazy-action-menu.tsx'
import { LazyAlertDialog } from '../ui/lazy-alert-dialog.tsx'
import type { MessageHandlers } from './draw-message.ts'
import { LazyDateDialog, LazyForwardDialog, LazyMessageInformationDialog } from './lazy-parts.tsx'
import { listMessageActions } from './list-message-actions.ts'
import { listTexts } from './list-texts.ts'
import type { OpenDialog } from './open-dialog.ts'

interface ConversationDialogProps {
  messenger: Messenger
  dialog: OpenDialog
  actions: MessageHandlers
  /** When the oldest loaded message was ordered, epoch ms. */
  oldestTime: number
  onForwarded(): void
  onDate(time: number): void
  onClose(): void
}

/** The menu or dialog that is open. */
export function ConversationDialog(props: ConversationDialogProps) {
  return (
    <Suspense fallback={null}>
      <DialogBody {...props} />
    </Suspense>
  )
}

function DialogBody(props: ConversationDialogProps) {
  const { messenger, dialog, onClose } = props
  switch (dialog.kind) {
    case 'menu':
      return (
        <LazyActionMenu
          label="Message actions"
          point={dialog.point}
          actions={listMessageActions({
            message: dialog.message,
            isOwn: dialog.message.senderId === messenger.userId,
            on: props.actions,
          })}
          onClose={onClose}
        />
      )
    case 'forward':
      return (
        <LazyForwardDialog
          messenger={messenger}
          texts={listTexts(dialog.messages)}
          onClose={() => {
            props.onForwarded()
            onClose()
          }}
        />
      )
    case 'information':
      return <LazyMessageInformationDialog message={dialog.message} onClose={onClose} />
    case 'date':
      return (
        <LazyDateDialog initialTime={props.oldestTime} onChoose={props.onDate} onClose={onClose} />
      )
    case 'delete-failed':
      return (
        <LazyAlertDialog
          text="Failed to delete some messages. Please try again."
          onClose={onClose}
        />
      )
    default:
      return unreachable(dialog)
  }
}
